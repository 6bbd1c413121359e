//! Notifications on their way to the sessions of other control planes, and from them.
//!
//! The store carries them in a table that no catalog's role can read. While it is away they wait, a bounded number of them.

use std::time::Duration;

use pintail_configstore::{OrgId, Store};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Hub, Notification};

/// Between two attempts to tell.
const PAUSE: Duration = Duration::from_millis(500);
/// A transaction's notifications are tried so often; then the store had its time.
const ATTEMPTS: usize = 120;
/// What others told and nobody took yet.
const INCOMING: usize = 64;

/// The way to other control planes and back.
pub struct Relay {
    hub: Hub,
    outgoing: mpsc::Receiver<(OrgId, Vec<Notification>)>,
}

impl Relay {
    pub(super) fn new(hub: Hub, outgoing: mpsc::Receiver<(OrgId, Vec<Notification>)>) -> Self {
        Self { hub, outgoing }
    }

    /// Works until cancelled.
    pub async fn carry(self, store: Store, stop: CancellationToken) {
        let Self { hub, mut outgoing } = self;
        let origin = format!("{:032x}", rand::random::<u128>());
        let (told, mut incoming) = mpsc::channel(INCOMING);
        let following = store.follow(&origin, told, stop.clone());
        let telling = async {
            while let Some((org, notifications)) = outgoing.recv().await {
                tell(&store, &origin, org, &notifications).await;
            }
        };
        let delivering = async {
            while let Some(told) = incoming.recv().await {
                match serde_json::from_str::<Vec<Notification>>(&told.body) {
                    Ok(notifications) => hub.deliver(told.org, &notifications),
                    Err(error) => tracing::warn!(%error, "another control plane told what cannot be read"),
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            _ = async { tokio::join!(following, telling, delivering) } => {}
        }
    }
}

async fn tell(store: &Store, origin: &str, org: OrgId, notifications: &[Notification]) {
    let Ok(body) = serde_json::to_string(notifications) else {
        return;
    };
    for attempt in 0..ATTEMPTS {
        match store.tell(origin, org, &body).await {
            Ok(()) => return,
            Err(error) => {
                if attempt == 0 {
                    tracing::warn!(error = %crate::chain(&error), "notifications wait for the configuration store");
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    tracing::error!(%org, "notifications were not told to other control planes: the configuration store is away");
}
