//! The standby: instances built ahead, so that a session opens in milliseconds.
//!
//! Each place has a thread that builds whenever it is empty, and again when the instance there is older than the set age.
//! Instances that nobody uses any more are handed here to be dropped off the session's path.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::instance::{Blueprint, Instance, Sharing};
use crate::error::{Error, Unavailable};

/// Pause between two attempts to build while the catalogs cannot be reached.
const RETRY: Duration = Duration::from_secs(1);

/// Instances kept ahead: with two, sessions that follow each other closely seldom wait for one to be built.
const AHEAD: usize = 2;

/// The instances built ahead; none where a blueprint allows only one at a time.
pub(crate) struct Standbys {
    places: Vec<Standby>,
    sharing: Sharing,
}

impl Standbys {
    /// Builds the first at once, and the others when the first session begins.
    pub(crate) fn start(blueprint: Blueprint) -> Result<Self, Error> {
        let sharing = blueprint.sharing();
        let blueprint = Arc::new(blueprint);
        let places = match sharing {
            Sharing::Shared => AHEAD,
            Sharing::Exclusive => 1,
        };
        let places = (0..places).map(|number| {
            let first = if number == 0 && sharing == Sharing::Shared {
                First::AtOnce
            } else {
                First::WhenAsked
            };
            Standby::start(Arc::clone(&blueprint), first)
        });
        let places = places.collect::<Result<_, _>>()?;
        Ok(Self { places, sharing })
    }

    /// Takes an instance, waiting for one if none is ready.
    pub(crate) fn take(&self) -> Result<Instance, Error> {
        let ready = self.places.iter().find(|standby| standby.is_ready());
        let coming = || self.places.iter().find(|standby| standby.is_building());
        match ready.or_else(coming).or_else(|| self.places.first()) {
            Some(standby) => standby.take(),
            None => Err(Error::Internal("no place for an instance".to_owned())),
        }
    }

    /// Has what is missing built while a session runs.
    pub(crate) fn refill(&self) {
        if self.sharing == Sharing::Shared {
            self.places.iter().for_each(Standby::refill);
        }
    }

    /// Drops a value off the session's path; at once where the next instance must wait for the end of this one.
    pub(crate) fn discard<T: Send + 'static>(&self, value: T) {
        match (self.sharing, self.places.last()) {
            (Sharing::Shared, Some(standby)) => standby.discard(value),
            (Sharing::Exclusive, _) | (Sharing::Shared, None) => drop(value),
        }
    }

    /// Whether an instance waits.
    pub(crate) fn is_ready(&self) -> bool {
        self.places.iter().any(Standby::is_ready)
    }
}

/// When a place's first instance is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    AtOnce,
    WhenAsked,
}

/// The place of one instance built ahead.
struct Standby {
    shared: Arc<Shared>,
    orders: Sender<Order>,
}

struct Shared {
    place: Mutex<Place>,
    changed: Condvar,
    blueprint: Arc<Blueprint>,
}

/// What is in the place.
enum Place {
    /// The thread is building; left for `Ready` or `Failed`.
    Building,
    /// Left when a session takes it, or when it is too old.
    Ready(Box<Instance>),
    /// The last attempt failed; left by the next attempt.
    Failed(Error),
    /// Taken; left by the order to build.
    Empty,
}

enum Order {
    Build,
    Drop(Box<dyn FnOnce() + Send>),
}

impl Standby {
    /// Starts the thread, which builds at once or when first asked.
    fn start(blueprint: Arc<Blueprint>, first: First) -> Result<Self, Error> {
        let place = Mutex::new(match first {
            First::AtOnce => Place::Building,
            First::WhenAsked => Place::Empty,
        });
        let shared = Arc::new(Shared {
            place,
            changed: Condvar::new(),
            blueprint,
        });
        let (orders, inbox) = channel();
        let worker = Arc::clone(&shared);
        let body = move || worker.work(&inbox);
        let started = thread::Builder::new().name("standby".to_owned()).spawn(body);
        started.map_err(|source| Error::Io {
            what: "cannot start a thread".to_owned(),
            source,
        })?;
        let standby = Self { shared, orders };
        if first == First::AtOnce {
            standby.order(Order::Build);
        }
        Ok(standby)
    }

    /// Takes the instance, waiting for it if it is being built; a failed attempt is made again first.
    fn take(&self) -> Result<Instance, Error> {
        let mut place = self.shared.lock();
        if matches!(*place, Place::Failed(_) | Place::Empty) {
            *place = Place::Building;
            self.order(Order::Build);
        }
        loop {
            match std::mem::replace(&mut *place, Place::Empty) {
                Place::Ready(instance) if !self.shared.is_old(&instance) => return Ok(*instance),
                Place::Ready(instance) => {
                    *place = Place::Building;
                    self.order(Order::Build);
                    self.discard(instance);
                }
                Place::Failed(error) => return Err(error),
                state @ (Place::Building | Place::Empty) => *place = state,
            }
            place = self.shared.changed.wait(place).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Has the next instance built while a session runs.
    fn refill(&self) {
        let mut place = self.shared.lock();
        if matches!(*place, Place::Empty) {
            *place = Place::Building;
            self.order(Order::Build);
        }
    }

    /// Drops a value on the standby's thread.
    fn discard<T: Send + 'static>(&self, value: T) {
        self.order(Order::Drop(Box::new(move || drop(value))));
    }

    /// Whether an instance is on its way.
    fn is_building(&self) -> bool {
        matches!(*self.shared.lock(), Place::Building)
    }

    /// Whether an instance waits.
    fn is_ready(&self) -> bool {
        matches!(*self.shared.lock(), Place::Ready(_))
    }

    fn order(&self, order: Order) {
        // The thread lives as long as this sender does.
        let _ = self.orders.send(order);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn max_age(&self) -> Duration {
        Duration::from_secs(self.blueprint.bootstrap.standby_max_age_seconds.max(1))
    }

    fn is_old(&self, instance: &Instance) -> bool {
        instance.built.elapsed() > self.max_age()
    }

    fn work(&self, inbox: &Receiver<Order>) {
        loop {
            match inbox.recv_timeout(self.max_age()) {
                Ok(Order::Drop(action)) => action(),
                Ok(Order::Build) => self.build(),
                Err(RecvTimeoutError::Timeout) => self.renew(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn build(&self) {
        if !matches!(*self.lock(), Place::Building) {
            return;
        }
        let outcome = Instance::build(&self.blueprint).or_else(|error| {
            if let Error::Catalog { problem, .. } = &error
                && *problem != Unavailable::Refused
            {
                return Err(error);
            }
            tracing::warn!(%error, "the standby instance could not be built");
            thread::sleep(RETRY);
            Instance::build(&self.blueprint)
        });
        let built = match outcome {
            Ok(instance) => Place::Ready(Box::new(instance)),
            Err(error) => Place::Failed(error),
        };
        *self.lock() = built;
        self.changed.notify_all();
    }

    /// Replaces an instance whose credentials are older than allowed.
    fn renew(&self) {
        let mut place = self.lock();
        if matches!(&*place, Place::Ready(instance) if self.is_old(instance)) {
            let old = std::mem::replace(&mut *place, Place::Building);
            drop(place);
            drop(old);
            self.build();
        }
    }
}
