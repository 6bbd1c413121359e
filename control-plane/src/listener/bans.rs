//! Bans after repeated failures: of an address, and of an address as one user.
//!
//! A banned client is refused before a password is asked for, also with the right one, so that guessing goes no faster than
//! the bans allow. Names are counted whether they exist or not.

use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;
use pintail_sqlstate::{Report, SqlState};

use super::gate::network;

/// Addresses and users remembered; those that failed longest ago are forgotten first.
const REMEMBERED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(16_383);

/// When a ban begins and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BanLimits {
    /// Failures of an address; 0 for no such ban.
    pub address: usize,
    /// Failures of an address as one user; 0 for no such ban.
    pub user: usize,
    /// Within this time.
    pub window: Duration,
    /// How long a ban lasts.
    pub time: Duration,
}

/// Failures and bans of one control plane.
pub struct Bans {
    limits: BanLimits,
    /// Names are kept as their hashes: a name may be 10 kB long.
    hasher: RandomState,
    failed: Mutex<LruCache<Who, Failures>>,
}

/// Who fails: an address, and the user it says it is.
type Who = (IpAddr, Option<u64>);

#[derive(Debug, Clone, Copy)]
struct Failures {
    count: usize,
    since: Instant,
    banned_until: Option<Instant>,
}

/// Whose login it is.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// The client's address.
    pub address: IpAddr,
    /// The organisation that it is looked up in.
    pub org: &'a str,
    /// The user's name.
    pub user: &'a str,
}

impl Bans {
    /// No failure yet.
    pub fn new(limits: BanLimits) -> Self {
        Self {
            limits,
            hasher: RandomState::new(),
            failed: Mutex::new(LruCache::new(REMEMBERED)),
        }
    }

    /// Refuses a banned client: 53400 with the limit's name.
    pub fn check(&self, attempt: Attempt<'_>, now: Instant) -> Result<(), Report> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        for (who, limit, name) in self.counted(attempt) {
            let until = failed.peek(&who).and_then(|failures| failures.banned_until);
            if let Some(left) = until.and_then(|until| until.checked_duration_since(now)) {
                let (window, seconds) = (humantime::format_duration(self.limits.window), left.as_secs() + 1);
                let report = Report::new(SqlState::CONFIGURATION_LIMIT_EXCEEDED, "too many failed logins");
                return Err(report
                    .with_detail(format!("The installation's limit {name} is {limit} within {window}."))
                    .with_hint(format!("Try again in {seconds} s.")));
            }
        }
        Ok(())
    }

    /// Notes a failed login.
    pub fn fail(&self, attempt: Attempt<'_>, now: Instant) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        for (who, limit, name) in self.counted(attempt) {
            let fresh = Failures {
                count: 0,
                since: now,
                banned_until: None,
            };
            let failures = failed.get_or_insert_mut(who, || fresh);
            if now.duration_since(failures.since) > self.limits.window {
                *failures = Failures {
                    banned_until: failures.banned_until,
                    ..fresh
                };
            }
            failures.count += 1;
            if failures.count >= limit {
                failures.banned_until = Some(now + self.limits.time);
                tracing::warn!(address = %attempt.address, limit = name, "banned after failed logins");
            }
        }
    }

    /// A login that was right ends the count of its user; that of its address goes on.
    pub fn succeed(&self, attempt: Attempt<'_>) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.pop(&self.as_user(attempt));
    }

    /// What an attempt counts for: who, the limit and its name.
    fn counted(&self, attempt: Attempt<'_>) -> impl Iterator<Item = (Who, usize, &'static str)> {
        let limits = [
            (
                (network(attempt.address), None),
                self.limits.address,
                "ban_address_after",
            ),
            (self.as_user(attempt), self.limits.user, "ban_user_after"),
        ];
        limits.into_iter().filter(|(_, limit, _)| *limit > 0)
    }

    fn as_user(&self, attempt: Attempt<'_>) -> Who {
        let name = self.hasher.hash_one((attempt.org, attempt.user));
        (network(attempt.address), Some(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    fn bans(address: usize, user: usize) -> Bans {
        Bans::new(BanLimits {
            address,
            user,
            window: MINUTE,
            time: MINUTE * 5,
        })
    }

    fn attempt(address: &str, user: &'static str) -> Attempt<'static> {
        Attempt {
            address: address.parse().expect("an address"),
            org: "acme",
            user,
        }
    }

    #[test]
    fn a_user_is_banned_at_one_address_and_for_a_time() {
        let (bans, now) = (bans(0, 3), Instant::now());
        let ann = attempt("10.0.0.1", "ann");
        for _ in 0..3 {
            assert!(bans.check(ann, now).is_ok());
            bans.fail(ann, now);
        }
        let report = bans.check(ann, now).expect_err("banned");
        assert_eq!(report.sqlstate, SqlState::CONFIGURATION_LIMIT_EXCEEDED);
        let detail = report.detail.unwrap_or_default();
        assert_eq!(detail, "The installation's limit ban_user_after is 3 within 1m.");
        for free in [attempt("10.0.0.2", "ann"), attempt("10.0.0.1", "bob")] {
            assert!(bans.check(free, now).is_ok(), "{free:?}");
        }
        assert!(bans.check(ann, now + MINUTE * 5 + Duration::from_secs(1)).is_ok());
    }

    #[test]
    fn an_address_is_banned_whatever_names_it_tries() {
        let (bans, now) = (bans(3, 0), Instant::now());
        for user in ["a", "b", "c"] {
            bans.fail(attempt("10.0.0.1", user), now);
        }
        assert!(bans.check(attempt("10.0.0.1", "ann"), now).is_err());
        assert!(bans.check(attempt("10.0.0.2", "ann"), now).is_ok());
    }

    #[test]
    fn failures_far_apart_and_before_a_success_do_not_count_together() {
        let (bans, now) = (bans(0, 2), Instant::now());
        let ann = attempt("10.0.0.1", "ann");
        bans.fail(ann, now);
        bans.fail(ann, now + MINUTE * 2);
        assert!(bans.check(ann, now + MINUTE * 2).is_ok());
        bans.succeed(ann);
        bans.fail(ann, now + MINUTE * 2);
        assert!(bans.check(ann, now + MINUTE * 2).is_ok());
    }

    #[test]
    fn nought_is_no_ban_and_memory_is_bounded() {
        let (off, now) = (bans(0, 0), Instant::now());
        (0..1000).for_each(|_| off.fail(attempt("10.0.0.1", "ann"), now));
        assert!(off.check(attempt("10.0.0.1", "ann"), now).is_ok());
        let on = bans(1, 1);
        for number in 0..20_000u32 {
            let address = IpAddr::V4((0x0a00_0000 + number).into());
            on.fail(
                Attempt {
                    address,
                    org: "",
                    user: "",
                },
                now,
            );
        }
        assert_eq!(on.failed.lock().expect("lock").len(), REMEMBERED.get());
    }
}
