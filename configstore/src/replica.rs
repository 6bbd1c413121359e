//! What the control planes of an installation share while they run: locks, and what they tell each other.

use std::time::Duration;

use deadpool_postgres::ClientWrapper;
use futures::StreamExt as _;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_postgres::AsyncMessage;
use tokio_util::sync::CancellationToken;

use crate::{Error, OrgId, Store};

/// Wakes those that follow. The channel is open to every role of the database, so nothing but the wake goes through it.
const CHANNEL: &str = "pintail_told";
/// How often to look without having been woken.
const POLL: Duration = Duration::from_secs(15);
/// Between attempts to follow again.
const PAUSE: Duration = Duration::from_millis(500);
/// How long an answer on the following connection may take.
const ANSWER: Duration = Duration::from_secs(5);

/// How a lock is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMode {
    /// Beside other shared holders.
    Shared,
    /// Alone.
    Exclusive,
}

/// Locks that this process holds against others; all are given back when it is dropped, or the process ends.
pub struct ReplicaLocks {
    client: ClientWrapper,
}

impl Store {
    /// A connection to hold locks on.
    pub async fn replica_locks(&self) -> Result<ReplicaLocks, Error> {
        let client = self.lock_connection().await?;
        Ok(ReplicaLocks { client })
    }
}

impl ReplicaLocks {
    /// Takes a lock if no other process has it in a mode that conflicts. Counts: it is given back as often as it was taken.
    pub async fn try_lock(&self, number: i64, mode: LockMode) -> Result<bool, Error> {
        let sql = match mode {
            LockMode::Shared => "SELECT pg_try_advisory_lock_shared($1)",
            LockMode::Exclusive => "SELECT pg_try_advisory_lock($1)",
        };
        Ok(self.client.query_one(sql, &[&number]).await?.get(0))
    }

    /// Gives a lock back once.
    pub async fn unlock(&self, number: i64, mode: LockMode) -> Result<(), Error> {
        let sql = match mode {
            LockMode::Shared => "SELECT pg_advisory_unlock_shared($1)",
            LockMode::Exclusive => "SELECT pg_advisory_unlock($1)",
        };
        self.client.query_one(sql, &[&number]).await?;
        Ok(())
    }

    /// Whether the connection still stands.
    pub fn stands(&self) -> bool {
        !self.client.is_closed()
    }
}

/// What another process told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Whom it is about.
    pub org: OrgId,
    /// As it was given to [`Store::tell`].
    pub body: String,
}

impl Store {
    /// Tells all other processes of something.
    pub async fn tell(&self, origin: &str, org: OrgId, body: &str) -> Result<(), Error> {
        let mut client = self.client().await?;
        let tx = client.transaction().await?;
        // In turn, so that numbers are seen in their order.
        tx.batch_execute("LOCK TABLE pintail.told IN SHARE ROW EXCLUSIVE MODE")
            .await?;
        tx.execute(
            "INSERT INTO pintail.told (origin, org_id, body) VALUES ($1, $2, $3)",
            &[&origin, &org.0, &body],
        )
        .await?;
        tx.batch_execute(&format!("NOTIFY {CHANNEL}")).await?;
        Ok(tx.commit().await?)
    }

    /// Follows what other processes tell, until cancelled or nobody takes it.
    pub async fn follow(&self, origin: &str, told: mpsc::Sender<Told>, stop: CancellationToken) {
        let mut last = None;
        let mut troubled = false;
        let following = async {
            while !told.is_closed() {
                if let Err(error) = self.follow_once(origin, &told, &mut last, &mut troubled).await
                    && !std::mem::replace(&mut troubled, true)
                {
                    let error = crate::error::chain(&error);
                    tracing::error!(error, "what other control planes tell cannot be followed; trying on");
                }
                sleep(PAUSE).await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = following => {}
        }
    }

    async fn follow_once(
        &self,
        origin: &str,
        told: &mpsc::Sender<Told>,
        last: &mut Option<i64>,
        troubled: &mut bool,
    ) -> Result<(), Error> {
        let (client, mut messages) = self.endpoint.connect().await?;
        let (wake, mut woken) = mpsc::channel(1);
        let driving = async {
            while let Some(Ok(message)) = messages.next().await {
                if matches!(message, AsyncMessage::Notification(_)) {
                    // One that waits is enough.
                    let _ = wake.try_send(());
                }
            }
        };
        let reading = async {
            answer(client.batch_execute(&format!("LISTEN {CHANNEL}"))).await?;
            if last.is_none() {
                let newest = "SELECT coalesce(max(told_id), 0) FROM pintail.told";
                *last = Some(answer(client.query_one(newest, &[])).await?.get(0));
            }
            *troubled = false;
            loop {
                let rows = "SELECT told_id, origin, org_id, body FROM pintail.told WHERE told_id > $1 ORDER BY told_id";
                for row in answer(client.query(rows, &[&*last])).await? {
                    *last = Some(row.get(0));
                    if row.get::<_, String>(1) == origin {
                        continue;
                    }
                    let one = Told {
                        org: OrgId(row.get(2)),
                        body: row.get(3),
                    };
                    if told.send(one).await.is_err() {
                        return Ok(());
                    }
                }
                tokio::select! {
                    _ = woken.recv() => {}
                    () = sleep_until(Instant::now() + POLL) => {
                        // Whoever was away for longer has missed it.
                        let old = "DELETE FROM pintail.told WHERE told_at < now() - interval '5 minutes'";
                        answer(client.execute(old, &[])).await?;
                    }
                }
            }
        };
        tokio::select! {
            () = driving => Err(Error::gone()),
            result = reading => result,
        }
    }
}

async fn answer<T>(request: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, Error> {
    match timeout(ANSWER, request).await {
        Ok(result) => Ok(result?),
        Err(_) => Err(Error::gone()),
    }
}
