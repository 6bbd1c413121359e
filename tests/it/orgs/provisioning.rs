//! A provisioner that dies at any step leaves what the next one finishes.

use pintail_tests::Installation;
use pintail_tests::operator::{Client, value};

#[tokio::test]
async fn killed_at_each_step_a_catalog_is_made_and_removed_all_the_same() {
    let mut installation = Installation::start().expect("start");
    installation.org("acme", &["ann"], &[]).expect("acme");
    installation.stop().expect("stop");
    let aborted = |arguments: &[&str], step: &str| {
        let output = installation
            .run_cli(arguments, &[("PINTAIL_TEST_STOP_AFTER", step)])
            .expect("run");
        assert!(
            output.status.code().is_none(),
            "{step}: it was to be killed: {output:?}"
        );
    };
    for (number, step) in ["provisioning", "role", "storage", "opened"].into_iter().enumerate() {
        let name = format!("made_{number}");
        aborted(&["catalog", "create", "acme", &name, "--offline"], step);
        let again = installation
            .cli(&["catalog", "provision", "acme", &name, "--offline"])
            .unwrap_or_else(|error| panic!("{step}: {error}"));
        assert_eq!(again["state"], "ready", "{step}");
    }
    installation
        .cli(&["catalog", "create", "acme", "whole", "--offline"])
        .expect("undisturbed");
    // A server goes on by itself with what was left half made or half removed.
    aborted(&["catalog", "create", "acme", "left", "--offline"], "role");
    for (number, step) in ["retired", "dropped", "buried"].into_iter().enumerate() {
        aborted(
            &["catalog", "delete", "acme", &format!("made_{number}"), "--offline"],
            step,
        );
    }
    installation.launch().expect("start");
    let settled = || {
        let list = installation.cli(&["catalog", "list", "acme"]).ok()?;
        let states: Vec<_> = list
            .as_array()?
            .iter()
            .map(|catalog| {
                (
                    catalog["name"].as_str().unwrap_or_default(),
                    catalog["state"].as_str().unwrap_or_default(),
                )
            })
            .collect();
        (states == [("left", "ready"), ("made_3", "ready"), ("whole", "ready")]).then_some(())
    };
    pintail_tests::eventually("everything is finished", std::time::Duration::from_secs(60), settled).expect("settled");
    for name in ["left", "made_3", "whole"] {
        let session = installation
            .connect_as(&Client::of("acme", "ann").catalog(name))
            .await
            .expect("connect");
        session
            .batch_execute("CREATE TABLE t (i int PRIMARY KEY); INSERT INTO t VALUES (4)")
            .await
            .expect("table");
        assert_eq!(value(&session, "SELECT i FROM t").await, "4", "{name}");
    }
    // The name of a removed one is free, and its successor is a new one.
    let made = installation
        .cli(&["catalog", "create", "acme", "made_0"])
        .expect("again");
    assert_eq!(made["incarnation"], 2);
}
