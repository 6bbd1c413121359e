//! TLS to the store, as `sslmode` asks for it.

use pintail_configstore::{Sealer, Store};

use crate::harness::{Fixture, said};
use crate::server::PASSWORD;

async fn ping(fixture: &Fixture, host: &str, parameters: &str) -> Result<(), String> {
    let (port, database) = (fixture.server.port(), &fixture.target.database);
    let url = format!("postgres://postgres:{PASSWORD}@{host}:{port}/{database}?{parameters}");
    let store = Store::by_url(&url, Sealer::fresh().expect("key")).map_err(|error| said(&error))?;
    store.ping().await.map_err(|error| said(&error))
}

#[tokio::test]
async fn each_mode_demands_what_its_name_says() {
    let fixture = Fixture::new().await;
    let certificate = fixture.server.path().join("certificate.pem");
    let root = format!("sslrootcert={}", certificate.display());
    for (host, parameters) in [
        ("127.0.0.1", "sslmode=disable".to_owned()),
        ("127.0.0.1", "sslmode=prefer".to_owned()),
        ("127.0.0.1", "sslmode=require".to_owned()),
        ("127.0.0.1", format!("sslmode=verify-ca&{root}")),
        ("localhost", format!("sslmode=verify-full&{root}")),
    ] {
        ping(&fixture, host, &parameters)
            .await
            .unwrap_or_else(|error| panic!("{host} {parameters}: {error}"));
    }
    // The certificate is for `localhost`, and no root of the system's stands for it.
    for (host, parameters) in [
        ("127.0.0.1", format!("sslmode=verify-full&{root}")),
        ("localhost", "sslmode=verify-full".to_owned()),
        ("localhost", "sslmode=verify-ca".to_owned()),
        ("localhost", "sslmode=verify-ca&sslrootcert=/none.pem".to_owned()),
        ("localhost", "sslmode=sometimes".to_owned()),
    ] {
        assert!(ping(&fixture, host, &parameters).await.is_err(), "{host} {parameters}");
    }
}

#[tokio::test]
async fn require_means_tls() {
    let fixture = Fixture::new().await;
    let admin = fixture.super_user().await;
    let database = &fixture.target.database;
    let url = format!(
        "host=127.0.0.1 port={} dbname={database} user=postgres password={PASSWORD} sslmode=require",
        fixture.server.port()
    );
    let store = Store::by_url(&url, Sealer::fresh().expect("key")).expect("store");
    store.ping().await.expect("answers");
    let used = "SELECT count(*) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) \
                WHERE a.datname = current_database() AND a.client_addr IS NOT NULL AND s.ssl";
    assert_eq!(crate::harness::value::<i64>(&admin, used).await, 1);
}
