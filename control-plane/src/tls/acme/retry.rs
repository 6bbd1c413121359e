//! When an authority is asked again after it gave nothing. Public authorities count failures and stop listening.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// After the first failure of a host name; doubled each time.
const FIRST: Duration = Duration::from_mins(5);
const LONGEST: Duration = Duration::from_hours(24);
/// After the authority said that it is asked too often: for every host name.
const LIMITED: Duration = Duration::from_hours(1);
/// The problem that says so (RFC 8555 §6.7).
const RATE_LIMITED: &str = "urn:ietf:params:acme:error:rateLimited";

/// What failed, and until when it is let rest.
#[derive(Debug, Default)]
pub(super) struct Retries {
    hosts: HashMap<String, Failed>,
    paused: Option<Instant>,
}

#[derive(Debug)]
struct Failed {
    pause: Duration,
    until: Instant,
}

impl Retries {
    /// Whether a host name may be asked for.
    pub(super) fn may_try(&self, host: &str, now: Instant) -> bool {
        !self.is_paused(now) && self.hosts.get(host).is_none_or(|failed| failed.until <= now)
    }

    /// Whether nothing may be asked for.
    pub(super) fn is_paused(&self, now: Instant) -> bool {
        self.paused.is_some_and(|until| until > now)
    }

    /// Forgets the failures of a host name.
    pub(super) fn succeeded(&mut self, host: &str) {
        self.hosts.remove(host);
    }

    /// Lets a host name rest, or all of them; gives for how long.
    pub(super) fn failed(&mut self, host: &str, error: &anyhow::Error, now: Instant) -> Duration {
        if is_rate_limit(error) {
            self.paused = Some(now + LIMITED);
            return LIMITED;
        }
        let pause = self
            .hosts
            .get(host)
            .map_or(FIRST, |failed| (failed.pause * 2).min(LONGEST));
        let until = now + pause;
        self.hosts.insert(host.to_owned(), Failed { pause, until });
        pause
    }
}

fn is_rate_limit(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| match cause.downcast_ref() {
        Some(instant_acme::Error::Api(problem)) => problem.r#type.as_deref() == Some(RATE_LIMITED),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_end_with_a_success() {
        let (mut retries, now) = (Retries::default(), Instant::now());
        assert!(retries.may_try("a", now));
        let error = anyhow::anyhow!("refused");
        assert_eq!(retries.failed("a", &error, now), FIRST);
        assert!(!retries.may_try("a", now) && retries.may_try("b", now));
        let later = now + FIRST;
        assert!(retries.may_try("a", later));
        assert_eq!(retries.failed("a", &error, later), FIRST * 2);
        retries.succeeded("a");
        assert!(retries.may_try("a", later));
        for _ in 0..20 {
            retries.failed("a", &error, later);
        }
        assert_eq!(retries.failed("a", &error, later), LONGEST);
    }

    #[test]
    fn an_authority_that_is_asked_too_often_is_let_rest_for_all() {
        let problem =
            serde_json::from_value(serde_json::json!({"type": RATE_LIMITED, "status": 429})).expect("a problem");
        let error = anyhow::Error::new(instant_acme::Error::Api(problem)).context("ordering");
        let (mut retries, now) = (Retries::default(), Instant::now());
        assert_eq!(retries.failed("a", &error, now), LIMITED);
        assert!(retries.is_paused(now) && !retries.may_try("b", now));
        let later = now + LIMITED;
        assert!(retries.may_try("a", later) && retries.may_try("b", later));
    }
}
