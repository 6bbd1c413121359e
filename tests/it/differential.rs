//! The scripts of `it/wire` against Pintail and against a real `PostgreSQL`, with the same expectations.

use std::path::Path;
use std::sync::OnceLock;

use pintail_tests::raw::Endpoint;
use pintail_tests::reference::Reference;
use pintail_tests::script::{Script, Side, parse, run};
use pintail_tests::{Installation, Options};

fn server() -> &'static Installation {
    static SERVER: OnceLock<Installation> = OnceLock::new();
    SERVER.get_or_init(|| {
        // A busy machine takes its time; what authentication has of it is not looked at here.
        let settings = [("PINTAIL_WORKERS_MAX", "8"), ("PINTAIL_AUTHENTICATION_TIMEOUT", "1m")];
        let settings = settings.map(|(name, value)| (name, value.to_owned())).to_vec();
        Installation::start_with(Options { settings }).expect("start")
    })
}

fn reference() -> Option<&'static Reference> {
    static REFERENCE: OnceLock<Option<Reference>> = OnceLock::new();
    REFERENCE
        .get_or_init(|| Reference::start().expect("the reference"))
        .as_ref()
}

fn scripts(file: &str) -> Vec<Script> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/wire").join(file);
    let source = std::fs::read_to_string(&path).expect("a file of scripts");
    parse(&source).unwrap_or_else(|error| panic!("{file}: {error:#}"))
}

/// Runs every script of a file; tells all that answer otherwise.
fn answers_as_expected(file: &str, server: &impl Endpoint, side: Side) {
    let wrong: Vec<String> = scripts(file)
        .iter()
        .filter_map(|script| run(script, server, side).err())
        .map(|error| format!("{file}: {error:#}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn pintail(file: &str) {
    answers_as_expected(file, server(), Side::Pintail);
}

fn postgres(file: &str) {
    if let Some(reference) = reference() {
        answers_as_expected(file, reference, Side::Postgres(reference.major()));
    }
}

macro_rules! rows {
    ($($name:ident)+) => {
        $(
            mod $name {
                const FILE: &str = concat!(stringify!($name), ".wire");

                #[test]
                fn pintail() {
                    super::pintail(FILE);
                }

                #[test]
                fn postgres() {
                    super::postgres(FILE);
                }
            }
        )+

        const FILES: &[&str] = &[$(concat!(stringify!($name), ".wire")),+];
    };
}

rows! {
    startup options statuses simple tags extended portals limits errors fields cursors fetch fetch_extended copy copy_data copy_options lake shared types
    parameters arrays styles origins results states cursor_rules
}

#[test]
fn every_difference_has_a_row_with_its_reason() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = std::fs::read_to_string(root.join("docs/postgres-differences.md")).expect("the list of differences");
    for file in FILES {
        for script in scripts(file) {
            for row in &script.differences {
                let plain = |line: &str| line.replace('`', "").starts_with(&format!("| {row}"));
                assert!(
                    listed.lines().any(plain),
                    "{file}, \"{}\": no row begins with \"{row}\"",
                    script.title
                );
            }
            let differs = script.only_pintail
                || script.steps.iter().any(|(_, step)| match step {
                    pintail_tests::script::Step::Expect(expected) => expected.pintail != expected.postgres,
                    _ => false,
                });
            assert_eq!(differs, !script.differences.is_empty(), "{file}, \"{}\"", script.title);
        }
    }
}

#[test]
fn every_file_of_scripts_is_run() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/wire");
    for entry in std::fs::read_dir(directory).expect("the directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        assert!(FILES.contains(&name), "{name}");
    }
}
