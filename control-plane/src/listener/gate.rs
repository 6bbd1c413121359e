//! How many connections may be unauthenticated at a time, in all and from one address.
//!
//! Beyond a limit the oldest of them makes room: a client that means well authenticates in a moment, so whoever only holds
//! connections open loses them and keeps nobody out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// Limits, 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateLimits {
    /// In all.
    pub total: usize,
    /// From one address.
    pub per_address: usize,
}

/// The unauthenticated connections. Cloning shares them.
#[derive(Clone)]
pub struct Gate {
    limits: GateLimits,
    waiting: Arc<Mutex<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    next: u64,
    /// By age.
    all: BTreeMap<u64, (IpAddr, CancellationToken)>,
    by_address: HashMap<IpAddr, BTreeSet<u64>>,
}

/// A connection's place; dropping it gives it back.
pub struct Place {
    gate: Gate,
    number: u64,
    crowded_out: CancellationToken,
}

impl Gate {
    /// A gate with these limits.
    pub fn new(limits: GateLimits) -> Self {
        Self {
            limits,
            waiting: Arc::default(),
        }
    }

    /// Takes a place, if need be from the connection that had one for the longest time.
    pub fn enter(&self, address: IpAddr) -> Place {
        let address = network(address);
        let crowded_out = CancellationToken::new();
        let mut waiting = self.lock();
        let of_address = waiting.by_address.get(&address);
        let (here, oldest_here) = of_address.map_or((0, None), |all| (all.len(), all.first().copied()));
        let oldest = if self.limits.per_address > 0 && here >= self.limits.per_address {
            oldest_here
        } else if self.limits.total > 0 && waiting.all.len() >= self.limits.total {
            waiting.all.first_key_value().map(|(number, _)| *number)
        } else {
            None
        };
        if let Some((_, token)) = oldest.and_then(|number| waiting.leave(number)) {
            token.cancel();
        }
        let number = waiting.next;
        waiting.next += 1;
        waiting.all.insert(number, (address, crowded_out.clone()));
        waiting.by_address.entry(address).or_default().insert(number);
        drop(waiting);
        Place {
            gate: self.clone(),
            number,
            crowded_out,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn leave(&mut self, number: u64) -> Option<(IpAddr, CancellationToken)> {
        let (address, token) = self.all.remove(&number)?;
        if let Some(numbers) = self.by_address.get_mut(&address) {
            numbers.remove(&number);
            if numbers.is_empty() {
                self.by_address.remove(&address);
            }
        }
        Some((address, token))
    }
}

impl Place {
    /// Waits until the place is given to another connection. Cancel safe.
    pub async fn crowded_out(&self) {
        self.crowded_out.cancelled().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.gate.lock().leave(self.number);
    }
}

/// What counts as one address: an IPv4 address, or the /64 network that one IPv6 customer has.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(total: usize, per_address: usize) -> Gate {
        Gate::new(GateLimits { total, per_address })
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn out(place: &Place) -> bool {
        place.crowded_out.is_cancelled()
    }

    #[test]
    fn the_oldest_makes_room_for_the_newest() {
        let gate = gate(3, 2);
        let (one, other) = (address("10.0.0.1"), address("10.0.0.2"));
        let (first, second) = (gate.enter(one), gate.enter(one));
        let third = gate.enter(one);
        assert_eq!([out(&first), out(&second), out(&third)], [true, false, false]);
        let fourth = gate.enter(other);
        assert_eq!([out(&second), out(&fourth)], [false, false], "there was room in all");
        let fifth = gate.enter(other);
        assert_eq!([out(&second), out(&third), out(&fifth)], [true, false, false]);
    }

    #[test]
    fn a_place_that_was_left_is_free() {
        let gate = gate(1, 1);
        drop(gate.enter(address("10.0.0.1")));
        let first = gate.enter(address("10.0.0.1"));
        assert!(!out(&first));
        drop(first);
        let waiting = gate.lock();
        assert!(waiting.all.is_empty() && waiting.by_address.is_empty());
    }

    #[test]
    fn nought_is_no_limit() {
        let gate = gate(0, 0);
        let places: Vec<Place> = (0..5000).map(|_| gate.enter(address("10.0.0.1"))).collect();
        assert!(!places.iter().any(out));
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        assert_eq!(
            network(address("2001:db8::1")),
            network(address("2001:db8::ffff:1:2:3"))
        );
        assert_ne!(network(address("2001:db8::1")), network(address("2001:db8:0:1::1")));
        assert_eq!(network(address("::ffff:10.0.0.1")), address("10.0.0.1"));
    }
}
