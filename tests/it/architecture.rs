//! The rules of the tree: which way dependencies point, who owns a heavy crate, how long a file is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use cargo_metadata::{DependencyKind, MetadataCommand};

/// What each package may depend on, inside the workspace.
const ARROWS: &[(&str, &[&str])] = &[
    ("pintail-sqlstate", &[]),
    ("pintail-pgtypes", &["pintail-sqlstate"]),
    ("pintail-pgcatalog", &[]),
    ("pintail-worker-api", &["pintail-sqlstate"]),
    (
        "pintail-transpiler",
        &["pintail-sqlstate", "pintail-pgtypes", "pintail-pgcatalog"],
    ),
    ("pintail-configstore", &["pintail-sqlstate", "pintail-worker-api"]),
    (
        "pintail-worker",
        &[
            "pintail-sqlstate",
            "pintail-pgtypes",
            "pintail-pgcatalog",
            "pintail-worker-api",
        ],
    ),
    (
        "pintail",
        &[
            "pintail-sqlstate",
            "pintail-pgtypes",
            "pintail-pgcatalog",
            "pintail-worker-api",
            "pintail-transpiler",
            "pintail-configstore",
        ],
    ),
    ("pintail-tests", &[]),
];

/// Heavy crates and the packages that may name them.
const OWNERS: &[(&str, &[&str])] = &[
    ("pgwire", &["pintail"]),
    ("duckdb", &["pintail-worker"]),
    ("libduckdb-sys", &["pintail-worker"]),
    ("sqlparser", &["pintail-transpiler"]),
    ("tokio-postgres", &["pintail-configstore", "pintail-tests"]),
    ("deadpool-postgres", &["pintail-configstore"]),
    ("refinery", &["pintail-configstore"]),
    ("kube", &[]),
    ("axum", &["pintail"]),
    ("prometheus", &["pintail"]),
    ("arrow-flight", &["pintail-worker-api", "pintail-worker"]),
    ("tonic", &["pintail-worker-api", "pintail-worker"]),
    ("landlock", &["pintail-worker"]),
];

/// The house's limit of lines a file.
const LONGEST: usize = 600;

fn manifest() -> cargo_metadata::Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata")
}

#[test]
fn dependencies_point_one_way_and_heavy_crates_have_one_owner() {
    let metadata = manifest();
    let arrows: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let allowed = arrows
            .get(package.name.as_str())
            .unwrap_or_else(|| panic!("{} has no rule", package.name));
        for dependency in &package.dependencies {
            // What tests use is theirs to choose.
            if dependency.kind == DependencyKind::Development {
                continue;
            }
            if dependency.name.starts_with("pintail") && !allowed.contains(&dependency.name.as_str()) {
                wrong.push(format!("{} -> {}", package.name, dependency.name));
            }
            let owners = OWNERS.iter().find(|(name, _)| *name == dependency.name);
            if owners.is_some_and(|(_, owners)| !owners.contains(&package.name.as_str())) {
                wrong.push(format!("{} imports {}", package.name, dependency.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn inside_a_package_one_module_names_its_heavy_crate() {
    let owners = [
        ("pgwire::", "control-plane/src", &["wire", "session"][..]),
        ("duckdb", "worker/src", &["engine"][..]),
        ("axum::", "control-plane/src", &["admin"][..]),
        ("utoipa", "control-plane/src", &["admin"][..]),
        ("object_store::", "control-plane/src", &["provision"][..]),
        ("reqwest", "control-plane/src", &["cli"][..]),
    ];
    let mut wrong = Vec::new();
    for (name, root, modules) in owners {
        for file in tracked() {
            let Some(inside) = file.strip_prefix(root).map(|rest| rest.trim_start_matches('/')) else {
                continue;
            };
            let module = inside.split(['/', '.']).next().unwrap_or_default();
            let text = read(&file);
            let imports = text.lines().any(|line| {
                line.trim_start().starts_with(&format!("use {name}"))
                    || line.trim_start().starts_with(&format!("use lib{name}"))
            });
            if imports && !modules.contains(&module) {
                wrong.push(format!("{file} imports {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn files_are_short_and_none_is_called_mod_or_utils() {
    let mut wrong = BTreeSet::new();
    for file in tracked() {
        let name = Path::new(&file)
            .file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned();
        if ["mod", "utils", "util", "common", "helpers", "misc"].contains(&name.as_str()) {
            wrong.insert(format!("{file} has a name that says nothing"));
        }
        let text = read(&file);
        let lines = text.lines().count();
        if lines > LONGEST && !text.starts_with("// @generated") {
            wrong.insert(format!("{file} has {lines} lines"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_configuration_reference_is_the_programs_own() {
    let program = pintail_tests::program_path("pintail").expect("built");
    let output = Command::new(program)
        .args(["config", "reference"])
        .output()
        .expect("runs");
    let written =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/configuration.md")).expect("docs");
    assert_eq!(String::from_utf8_lossy(&output.stdout), written, "run `./dev generate`");
}

fn tracked() -> Vec<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let output = Command::new("git")
        .args(["-C", root, "ls-files", "*.rs"])
        .output()
        .expect("git");
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_owned)
        .collect()
}

fn read(file: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file)).unwrap_or_default()
}
