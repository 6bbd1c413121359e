//! Large statements: what a session's thread spends on one of some hundred kilobytes is bounded.

use std::time::{Duration, Instant};

use pintail_sqlstate::ToReport;
use pintail_transpiler::{Context, parse, rewrite};

/// Many times what each takes without optimisation; what grows with the square of the size takes longer.
const LONGEST: Duration = Duration::from_secs(15);

fn list(count: usize, separator: &str, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(separator)
}

/// Statements of one shape each; more than the parser can nest is refused as that.
fn shapes() -> Vec<(&'static str, String)> {
    vec![
        (
            "WITH queries",
            format!("WITH {} SELECT 1", list(6000, ", ", |n| format!("c{n} AS (SELECT 1)"))),
        ),
        (
            "WITH queries in a chain",
            format!(
                "WITH c0 AS (SELECT 1 AS a), {} SELECT * FROM c2999",
                list(2999, ", ", |n| format!("c{} AS (SELECT a FROM c{n})", n + 1))
            ),
        ),
        ("columns", format!("SELECT {}", list(10_000, ", ", |n| format!("a{n}")))),
        ("sets", list(2000, " UNION ALL ", |n| format!("SELECT {n}"))),
        (
            "a list of values",
            format!("SELECT 1 FROM t WHERE a IN ({})", list(100_000, ",", |n| n.to_string())),
        ),
        (
            "joined tables",
            format!("SELECT 1 FROM {}", list(10_000, ", ", |n| format!("t{n}"))),
        ),
        (
            "joined queries",
            format!("SELECT 1 FROM {}", list(5000, ", ", |n| format!("(SELECT a FROM t) AS q{n}"))),
        ),
        (
            "joins",
            format!("SELECT 1 FROM t {}", list(3000, " ", |n| format!("JOIN t{n} ON true"))),
        ),
        (
            "alternatives",
            format!("SELECT CASE {} END", list(5000, " ", |n| format!("WHEN a = {n} THEN '{n}'"))),
        ),
        ("a sum", format!("SELECT {}", list(4000, " + ", |n| format!("a{n}")))),
        ("a concatenation", format!("SELECT {}", list(4000, " || ", |n| format!("a{n}")))),
        (
            "rows",
            format!("INSERT INTO t VALUES {}", list(20_000, ", ", |n| format!("({n}, 'x')"))),
        ),
    ]
}

fn spent(sql: &str) -> Duration {
    let start = Instant::now();
    match parse(sql) {
        Ok(script) => {
            for statement in script.statements.iter() {
                rewrite(statement, &Context::default()).expect("a plan");
            }
        }
        Err(error) => assert_eq!(error.to_report().sqlstate.as_str(), "54001"),
    }
    start.elapsed()
}

#[test]
fn large_statements_take_a_bounded_time() {
    let work = || {
        for (shape, sql) in shapes() {
            let spent = spent(&sql);
            println!("{shape}: {} bytes, {spent:?}", sql.len());
            assert!(spent < LONGEST, "{shape} took {spent:?}");
        }
    };
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(work);
    thread.expect("a thread").join().expect("no panic");
}
