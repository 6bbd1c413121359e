//! From when until when a certificate is good.

use std::time::{Duration, SystemTime};

use tokio_rustls::rustls::pki_types::CertificateDer;
use x509_parser::prelude::{FromDer as _, X509Certificate};
use x509_parser::time::ASN1Time;

/// The time of a certificate (RFC 5280 §4.1.2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Validity {
    from: SystemTime,
    until: SystemTime,
}

impl Validity {
    /// `None` for a certificate that cannot be read.
    pub(super) fn of(certificate: &CertificateDer<'_>) -> Option<Self> {
        let (_, parsed) = X509Certificate::from_der(certificate).ok()?;
        let validity = parsed.validity();
        Some(Self {
            from: system_time(validity.not_before),
            until: system_time(validity.not_after),
        })
    }

    /// Whether less than a third of its time is left.
    pub(super) fn comes_to_its_end(&self, now: SystemTime) -> bool {
        let whole = self.until.duration_since(self.from).unwrap_or_default();
        self.until.duration_since(now).unwrap_or_default() < whole / 3
    }
}

/// A time before 1970 is as good as 1970.
fn system_time(time: ASN1Time) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(time.timestamp()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_third_is_the_end() {
        let day = Duration::from_hours(24);
        let from = SystemTime::UNIX_EPOCH + 20_000 * day;
        let validity = Validity {
            from,
            until: from + 90 * day,
        };
        assert!(!validity.comes_to_its_end(from + 59 * day));
        assert!(validity.comes_to_its_end(from + 61 * day));
        assert!(validity.comes_to_its_end(from + 91 * day));
    }
}
