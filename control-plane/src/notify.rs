//! NOTIFY between sessions of an organisation: channels, listeners and their mailboxes (manual, "NOTIFY").
//!
//! Delivery to sessions of this control plane is a matter of memory; [`relay`] carries notifications to others.

mod relay;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pintail_configstore::OrgId;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

pub use self::relay::Relay;

/// Unread notifications of one session are kept up to so many bytes; a session that lets more gather ends.
const MOST: usize = 16 << 20;
/// What a notification costs beside its texts.
const OVERHEAD: usize = 128;
/// Transactions whose notifications wait for the way to other control planes.
const OUTGOING: usize = 4096;

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notification {
    /// `pg_backend_pid()` of the session that sent it.
    pub pid: i32,
    /// Its channel.
    pub channel: String,
    /// Its payload, perhaps empty.
    pub payload: String,
}

/// All channels. Cloning shares them.
#[derive(Clone, Default)]
pub struct Hub {
    channels: Arc<Mutex<Channels>>,
    outgoing: Option<mpsc::Sender<(OrgId, Vec<Notification>)>>,
}

type Channels = HashMap<(OrgId, String), HashMap<i32, Arc<Inbox>>>;

/// Notifications that a session has not read.
struct Inbox {
    waiting: Mutex<Waiting>,
    arrived: Notify,
    /// Ends the session.
    end: CancellationToken,
}

#[derive(Default)]
struct Waiting {
    notifications: VecDeque<Notification>,
    size: usize,
}

/// A session's place at the hub. Dropping it listens to nothing any more.
pub struct Mailbox {
    hub: Hub,
    org: OrgId,
    pid: i32,
    inbox: Arc<Inbox>,
    channels: HashSet<String>,
}

impl Hub {
    /// The hub of a control plane beside which others may serve, and the way to those.
    pub fn beside_others() -> (Self, Relay) {
        let (outgoing, waiting) = mpsc::channel(OUTGOING);
        let hub = Self {
            channels: Arc::default(),
            outgoing: Some(outgoing),
        };
        let relay = Relay::new(hub.clone(), waiting);
        (hub, relay)
    }

    /// A session's place. `end` is cancelled when it lets more gather than is kept.
    pub fn mailbox(&self, org: OrgId, pid: i32, end: &CancellationToken) -> Mailbox {
        Mailbox {
            hub: self.clone(),
            org,
            pid,
            inbox: Arc::new(Inbox {
                waiting: Mutex::default(),
                arrived: Notify::new(),
                end: end.clone(),
            }),
            channels: HashSet::new(),
        }
    }

    /// Delivers what a committed transaction notified, here and elsewhere.
    pub fn publish(&self, org: OrgId, notifications: Vec<Notification>) {
        self.deliver(org, &notifications);
        if let Some(outgoing) = &self.outgoing
            && outgoing.try_send((org, notifications)).is_err()
        {
            tracing::error!(%org, "notifications were not told to other control planes: too many wait");
        }
    }

    /// Delivers to sessions here.
    fn deliver(&self, org: OrgId, notifications: &[Notification]) {
        let channels = self.lock();
        for notification in notifications {
            let key = (org, notification.channel.clone());
            for inbox in channels.get(&key).into_iter().flat_map(HashMap::values) {
                inbox.put(notification.clone());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Channels> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inbox {
    fn put(&self, notification: Notification) {
        let mut waiting = self.lock();
        waiting.size += OVERHEAD + notification.channel.len() + notification.payload.len();
        if waiting.size > MOST {
            if !self.end.is_cancelled() {
                tracing::warn!("a session ends because it left too many notifications unread");
            }
            self.end.cancel();
            return;
        }
        waiting.notifications.push_back(notification);
        drop(waiting);
        self.arrived.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Mailbox {
    /// Listens to a channel.
    pub fn listen(&mut self, channel: &str) {
        if self.channels.contains(channel) {
            return;
        }
        self.channels.insert(channel.to_owned());
        let mut channels = self.hub.lock();
        let listeners = channels.entry((self.org, channel.to_owned())).or_default();
        listeners.insert(self.pid, Arc::clone(&self.inbox));
    }

    /// Listens to a channel no longer.
    pub fn unlisten(&mut self, channel: &str) {
        if let Some(channel) = self.channels.take(channel) {
            self.leave(channel);
        }
    }

    /// Listens to nothing any longer.
    pub fn unlisten_all(&mut self) {
        for channel in std::mem::take(&mut self.channels) {
            self.leave(channel);
        }
    }

    /// Takes what has arrived, in order.
    pub fn take(&self) -> Vec<Notification> {
        let mut waiting = self.inbox.lock();
        waiting.size = 0;
        std::mem::take(&mut waiting.notifications).into()
    }

    /// Waits until something has arrived. Cancel safe.
    pub async fn arrival(&self) {
        while self.inbox.lock().notifications.is_empty() {
            self.inbox.arrived.notified().await;
        }
    }

    fn leave(&self, channel: String) {
        let mut channels = self.hub.lock();
        let key = (self.org, channel);
        if let Some(listeners) = channels.get_mut(&key) {
            listeners.remove(&self.pid);
            if listeners.is_empty() {
                channels.remove(&key);
            }
        }
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        self.unlisten_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACME: OrgId = OrgId(1);

    fn note(channel: &str, payload: &str) -> Notification {
        Notification {
            pid: 7,
            channel: channel.into(),
            payload: payload.into(),
        }
    }

    #[tokio::test]
    async fn what_is_listened_to_arrives_in_order_and_nothing_else() {
        let hub = Hub::default();
        let end = CancellationToken::new();
        let place = |org, pid| hub.mailbox(org, pid, &end);
        let (mut one, mut two, mut other) = (place(ACME, 1), place(ACME, 2), place(OrgId(2), 3));
        for mailbox in [&mut one, &mut two, &mut other] {
            mailbox.listen("a");
            mailbox.listen("a");
        }
        two.unlisten("a");
        two.listen("b");
        hub.publish(ACME, vec![note("a", "1"), note("c", "2"), note("a", "3")]);
        one.arrival().await;
        assert_eq!(one.take(), [note("a", "1"), note("a", "3")]);
        assert_eq!((two.take(), other.take()), (Vec::new(), Vec::new()));
        drop(one);
        drop(two);
        assert_eq!(hub.lock().len(), 1, "only the other organisation's channel is left");
    }

    #[test]
    fn a_mailbox_that_nobody_reads_is_bounded() {
        let hub = Hub::default();
        let end = CancellationToken::new();
        let mut mailbox = hub.mailbox(ACME, 1, &end);
        mailbox.listen("a");
        let big = "x".repeat(7000);
        for _ in 0..MOST / big.len() {
            hub.publish(ACME, vec![note("a", &big)]);
        }
        assert!(end.is_cancelled());
        let kept: usize = mailbox.take().iter().map(|it| it.payload.len()).sum();
        assert!(kept <= MOST);
    }
}
