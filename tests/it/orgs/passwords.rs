//! The embedded `PostgreSQL`: no role gets in without its password, on any socket.

use pintail_tests::Installation;
use pintail_tests::operator::told;
use tokio_postgres::NoTls;

#[tokio::test]
async fn no_role_connects_without_its_password() {
    let installation = Installation::start().expect("start");
    installation.org("acme", &["ann"], &["lake"]).expect("acme");
    let cluster = installation.data_dir().join("postgres");
    let rules = std::fs::read_to_string(cluster.join("data/pg_hba.conf")).expect("pg_hba.conf");
    for rule in rules
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        assert!(rule.ends_with("scram-sha-256") || rule.ends_with("reject"), "{rule}");
    }
    let lock = std::fs::read_to_string(cluster.join("data/postmaster.pid")).expect("postmaster.pid");
    let lines: Vec<&str> = lock.lines().collect();
    let (port, socket, listen) = (lines[3], lines[4], lines[5]);
    assert_eq!(listen.trim(), "", "it listens on a network address");
    let password = std::fs::read_to_string(installation.data_dir().join("postgres.password")).expect("password");
    let config = |user: &str| {
        let mut config = tokio_postgres::Config::new();
        config
            .host_path(socket.trim())
            .port(port.trim().parse().expect("a port"))
            .user(user);
        config
    };
    let (admin, connection) = config("pintail")
        .password(password.trim())
        .dbname("postgres")
        .connect(NoTls)
        .await
        .expect("with its password");
    tokio::spawn(connection);
    let roles = admin
        .query("SELECT rolname::text FROM pg_roles WHERE rolcanlogin", &[])
        .await
        .expect("roles");
    let databases = admin
        .query("SELECT datname::text FROM pg_database WHERE datallowconn", &[])
        .await
        .expect("databases");
    assert!(roles.iter().any(|row| row.get::<_, String>(0) == "dl_acme__lake"));
    for role in &roles {
        let role: String = role.get(0);
        for database in &databases {
            let database: String = database.get(0);
            let mut without = config(&role);
            without.dbname(&database);
            assert!(
                without.connect(NoTls).await.is_err(),
                "{role} gets into {database} without a password"
            );
            for wrong in ["", role.as_str(), "postgres", "wrong"] {
                let error = without.clone().password(wrong).connect(NoTls).await.err();
                let error = error.unwrap_or_else(|| panic!("{role} gets into {database} with {wrong:?}"));
                assert!(["28P01", ""].contains(&told(&error).0.as_str()), "{role}: {error}");
            }
        }
    }
}
