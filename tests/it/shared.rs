//! What sessions share: relations about them, notifications, advisory locks, and the calls that reach another session.

mod advisory;
mod backends;
mod notify;
mod relations;
mod replicas;

use std::sync::OnceLock;
use std::time::Duration;

use pintail_tests::Installation;
use pintail_tests::operator::Client;
use tokio::sync::mpsc;
use tokio_postgres::{AsyncMessage, Notification};

/// Long enough for a busy machine; whatever should come comes at once.
const PATIENCE: Duration = Duration::from_secs(30);

/// Three organisations: `acme` with an owner, a reader and a writer, `globex` and `initech`.
fn server() -> &'static Installation {
    static SERVER: OnceLock<Installation> = OnceLock::new();
    SERVER.get_or_init(|| {
        let installation = Installation::start().expect("start");
        for (org, users) in [("acme", &["olga"][..]), ("globex", &["gus"]), ("initech", &["ines"])] {
            installation.org(org, users, &[]).expect("organisation");
            installation
                .cli(&["catalog", "create", org, "lake", "--kind", "memory"])
                .expect("catalog");
        }
        for (user, role) in [("wim", "writer"), ("rita", "reader")] {
            installation.user("acme", user, &["--role", role]).expect("user");
        }
        installation
    })
}

async fn session(org: &str, user: &str) -> tokio_postgres::Client {
    server().connect_as(&Client::of(org, user)).await.expect("connect")
}

/// A session with the notifications that it gets.
async fn listener(
    installation: &Installation,
    client: &Client,
) -> (tokio_postgres::Client, mpsc::UnboundedReceiver<Notification>) {
    let tls = installation.tls().expect("TLS");
    let (client, mut connection) = installation.config_of(client).connect(tls).await.expect("connect");
    let (sender, notifications) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(Ok(message)) = std::future::poll_fn(|context| connection.poll_message(context)).await {
            if let AsyncMessage::Notification(notification) = message {
                let _ = sender.send(notification);
            }
        }
    });
    (client, notifications)
}

/// Channel and payload of the next notification.
async fn next(notifications: &mut mpsc::UnboundedReceiver<Notification>) -> (String, String) {
    let notification = tokio::time::timeout(PATIENCE, notifications.recv())
        .await
        .expect("in time")
        .expect("a notification");
    (notification.channel().to_owned(), notification.payload().to_owned())
}

async fn pid(client: &tokio_postgres::Client) -> i32 {
    let row = client.query_one("SELECT pg_backend_pid()", &[]).await.expect("pid");
    row.get(0)
}

/// Asks until the first value is `wanted`.
async fn until(client: &tokio_postgres::Client, sql: &str, wanted: &str) {
    let deadline = std::time::Instant::now() + PATIENCE;
    loop {
        let value = pintail_tests::operator::value(client, sql).await;
        if value == wanted {
            return;
        }
        assert!(std::time::Instant::now() < deadline, "{sql} gives {value}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
