//! Parameters: their types, their values, and what a description says before any is bound.

use anyhow::Result;
use pintail_sqlstate::ToReport;
use pintail_worker_api::messages::{Execute, Param, Prepare, Prepared};

use crate::harness::{TestWorker, text};

async fn describe(worker: &TestWorker, sql: &str, oids: &[u32]) -> Result<Prepared> {
    Ok(worker
        .client
        .prepare(&Prepare {
            sql: sql.into(),
            param_oids: oids.to_vec(),
            ..Prepare::default()
        })
        .await?)
}

async fn one(worker: &TestWorker, sql: &str, oids: &[u32], values: &[&str]) -> Result<(Vec<u32>, String)> {
    let prepared = describe(worker, sql, oids).await?;
    let params = values.iter().map(|value| Param {
        format: 0,
        value: Some((*value).to_owned().into()),
        type_oid: 0,
    });
    let execute = Execute {
        handle: prepared.handle,
        params: params.collect(),
        want: Some(text()),
        ..Execute::default()
    };
    let answer = worker.run(execute).await?;
    let told: Vec<_> = prepared.columns.iter().map(|column| column.type_oid).collect();
    assert_eq!(answer.oids(), told, "{sql}");
    Ok((
        told,
        answer.rows.first().and_then(|row| row[0].clone()).unwrap_or_default(),
    ))
}

/// Text, declared types, values, types of the columns, first value.
type Case<'a> = (&'a str, &'a [u32], &'a [&'a str], &'a [u32], &'a str);

#[tokio::test]
async fn what_is_described_is_what_comes() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker
        .sql("CREATE TABLE t (i INTEGER, b BIGINT, v VARCHAR, ts TIMESTAMP, d DATE, n DECIMAL(10, 2), j JSON)")
        .await?;
    worker
        .sql("INSERT INTO t VALUES (1, 2, 'x', '2020-01-01 10:00:00', '2020-01-01', 1.5, '{}')")
        .await?;
    let cases: &[Case<'_>] = &[
        ("SELECT $1", &[], &["abc"], &[25], "abc"),
        ("SELECT $1", &[23], &["7"], &[23], "7"),
        ("SELECT $1", &[1700], &["7.25"], &[1700], "7.25"),
        ("SELECT $1", &[1082], &["2020-02-03"], &[1082], "2020-02-03"),
        ("SELECT $1 + 1", &[], &["41"], &[23], "42"),
        ("SELECT $1 + 1", &[20], &["41"], &[20], "42"),
        ("SELECT $1::INTEGER", &[], &["5"], &[23], "5"),
        ("SELECT i FROM t WHERE ts > $1", &[], &["2019-01-01"], &[23], "1"),
        ("SELECT i FROM t WHERE d = $1", &[], &["2020-01-01"], &[23], "1"),
        ("SELECT i FROM t WHERE i = $1", &[], &["1"], &[23], "1"),
        ("SELECT i FROM t WHERE i = $1", &[20], &["1"], &[23], "1"),
        ("SELECT i FROM t WHERE b IN ($1, $2)", &[], &["1", "2"], &[23], "1"),
        ("SELECT v FROM t WHERE v LIKE $1", &[], &["x%"], &[25], "x"),
        ("SELECT v FROM t LIMIT $1", &[], &["1"], &[25], "x"),
        ("SELECT n FROM t WHERE n = $1", &[], &["1.50"], &[1700], "1.50"),
        ("SELECT lower($1)", &[], &["ABC"], &[25], "abc"),
        ("SELECT $1 || 'x'", &[], &["a"], &[25], "ax"),
        ("SELECT coalesce($1, 5)", &[], &["3"], &[23], "3"),
        ("SELECT CASE WHEN $1 THEN 1 ELSE 2 END", &[], &["true"], &[23], "1"),
        (
            "SELECT count(*) FROM range(10) r(i) WHERE i % 2 = $1",
            &[],
            &["0"],
            &[20],
            "5",
        ),
        ("SELECT $2, $1::INTEGER", &[], &["1", "b"], &[25, 23], "b"),
        ("SELECT $1::INTEGER[]", &[], &["{1,2,NULL}"], &[1007], "{1,2,NULL}"),
        ("SELECT $1", &[1007], &["{{1,2},{3,4}}"], &[1007], "{{1,2},{3,4}}"),
        ("SELECT $1", &[1231], &["{1.5,2.25,NULL}"], &[1231], "{1.50,2.25,NULL}"),
        ("SELECT $1", &[1009], &["{a,\"b c\"}"], &[1009], "{a,\"b c\"}"),
        ("SELECT i FROM t WHERE i = ANY($1)", &[1007], &["{1,2}"], &[23], "1"),
        (
            "SELECT $1",
            &[2950],
            &["123e4567-e89b-12d3-a456-426614174000"],
            &[2950],
            "123e4567-e89b-12d3-a456-426614174000",
        ),
        ("SELECT $1", &[17], &["\\x00ff"], &[17], "\\x00ff"),
        ("SELECT $1", &[1186], &["1 day 2 hours"], &[1186], "1 day 02:00:00"),
        ("SELECT $1", &[1562], &["10110"], &[1562], "10110"),
        (
            "SELECT $1",
            &[1184],
            &["2020-01-01 00:00:00+02"],
            &[1184],
            "2019-12-31 22:00:00+00",
        ),
        ("SELECT $1", &[16], &["t"], &[16], "t"),
        ("SELECT $1", &[701], &["1e10"], &[701], "10000000000"),
        ("SELECT 'é', $1 + $2", &[23, 23], &["1", "2"], &[25, 23], "é"),
    ];
    let mut wrong = Vec::new();
    for (sql, oids, values, columns, expected) in cases {
        match one(&worker, sql, oids, values).await {
            Ok((told, value)) if told == *columns && value == *expected => {}
            Ok((told, value)) => wrong.push(format!("{sql} {oids:?}: {told:?} {value}, not {columns:?} {expected}")),
            Err(error) => wrong.push(format!(
                "{sql} {oids:?}: {error:#} {:?}",
                error
                    .downcast_ref::<pintail_worker_api::error::CallError>()
                    .map(ToReport::to_report)
            )),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[tokio::test]
async fn parameter_types_are_inferred() -> Result<()> {
    let worker = TestWorker::start().await?;
    worker
        .sql("CREATE TABLE t (i INTEGER, ts TIMESTAMP, v VARCHAR)")
        .await?;
    let cases: &[(&str, &[u32])] = &[
        ("SELECT * FROM t WHERE i = $1 AND ts < $2", &[23, 1114]),
        ("INSERT INTO t VALUES ($1, $2, $3)", &[23, 1114, 25]),
        ("UPDATE t SET v = $1 WHERE i = $2", &[25, 23]),
        ("DELETE FROM t WHERE i = $1", &[23]),
        ("SELECT $1", &[25]),
        ("SELECT v FROM t LIMIT $1 OFFSET $2", &[20, 20]),
        ("INSERT INTO t VALUES ($1, $2, $3) RETURNING v", &[23, 1114, 25]),
    ];
    for (sql, expected) in cases {
        assert_eq!(describe(&worker, sql, &[]).await?.param_oids, *expected, "{sql}");
    }
    Ok(())
}

#[tokio::test]
async fn bad_values_leave_the_session_usable() -> Result<()> {
    let worker = TestWorker::start().await?;
    let prepared = describe(&worker, "SELECT $1::INTEGER", &[23]).await?;
    let param = |format, value: &'static [u8]| Param {
        format,
        value: Some(value.into()),
        type_oid: 0,
    };
    let run = |params| Execute {
        handle: prepared.handle,
        params,
        want: Some(text()),
        ..Execute::default()
    };
    for (params, state) in [
        (vec![param(0, b"x")], "22P02"),
        (vec![param(0, b"99999999999")], "22003"),
        (vec![param(1, b"\x00\x01")], "08P01"),
        (vec![], "42P02"),
    ] {
        let error = worker.run(run(params)).await.expect_err("a bad value");
        assert_eq!(error.to_report().sqlstate.as_str(), state);
    }
    assert_eq!(worker.run(run(vec![param(1, b"\x00\x00\x00\x07")])).await?.value(), "7");
    let null = Param {
        format: 0,
        value: None,
        type_oid: 0,
    };
    assert_eq!(worker.run(run(vec![null])).await?.rows, [[None::<String>]]);
    Ok(())
}

/// Why the gate takes only literals there: the engine folds anything else when the statement runs.
#[tokio::test]
async fn a_parameter_a_variable_and_an_expression_can_name_a_file() -> Result<()> {
    let worker = TestWorker::start().await?;
    let path = worker.directory.path().join("files/a.txt");
    std::fs::write(&path, "read")?;
    let path = path.to_string_lossy();
    worker.sql(&format!("SET VARIABLE file = '{path}'")).await?;
    for sql in [
        "SELECT content FROM read_text(getvariable('file'))",
        "SELECT content FROM read_text(concat(getvariable('file'), ''))",
    ] {
        assert_eq!(worker.sql(sql).await?.value(), "read", "{sql}");
    }
    let answer = worker
        .run(Execute {
            sql: "SELECT content FROM read_text($1)".into(),
            params: vec![Param {
                format: 0,
                value: Some(path.into_owned().into_bytes().into()),
                type_oid: 25,
            }],
            want: Some(text()),
            ..Execute::default()
        })
        .await?;
    assert_eq!(answer.value(), "read");
    Ok(())
}
