//! Rules for values that operators give: host names, addresses, buckets, prefixes.

use pintail_worker_api::bootstrap::{IcebergAuth, S3Target};

use crate::{CatalogSpec, Error, StorageKind};

/// Longest host name (RFC 1035, section 2.3.4, without the root's dot).
const LONGEST_HOST: usize = 253;
/// Longest prefix; S3 keys have at most 1024 bytes, and file names follow.
const LONGEST_PREFIX: usize = 512;

/// A host name as it is kept: lower case, without the root's dot (RFC 1123, section 2.1).
pub(crate) fn host(name: &str) -> Result<String, Error> {
    let refuse = |reason: &str| Err(Error::invalid("the host name", reason));
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    if name.is_empty() || name.len() > LONGEST_HOST {
        return refuse("it must have 1 to 253 characters");
    }
    let good = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if !name.split('.').all(good) {
        return refuse("its labels must have 1 to 63 of a to z, 0 to 9 and -, without - at either end");
    }
    if name
        .rsplit('.')
        .next()
        .is_some_and(|last| last.bytes().all(|b| b.is_ascii_digit()))
    {
        return refuse("it must be a name, not an address");
    }
    Ok(name)
}

/// A URL prefix such as `s3://bucket/prefix/`.
pub(crate) fn location(url: &str) -> Result<(), Error> {
    let refuse = |reason: &str| Err(Error::invalid("the location", reason));
    let Some((scheme, rest)) = url.split_once("://") else {
        return refuse("it must be a URL, such as s3://bucket/prefix/");
    };
    if !["s3", "r2", "gcs", "gs", "https", "http"].contains(&scheme) {
        return refuse("its scheme must be s3, r2, gcs, gs, https or http");
    }
    let Some((authority, path)) = rest.split_once('/') else {
        return refuse("it must end in /");
    };
    if authority.is_empty()
        || !authority
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b))
    {
        return refuse("it must name a bucket or a host, without a user");
    }
    prefix("the location", path)
}

/// Empty, or path segments that each end in `/`.
fn prefix(what: &'static str, path: &str) -> Result<(), Error> {
    if path.len() > LONGEST_PREFIX {
        return Err(Error::invalid(what, "its path may have at most 512 characters"));
    }
    if path.is_empty() {
        return Ok(());
    }
    let Some(inner) = path.strip_suffix('/') else {
        return Err(Error::invalid(what, "it must end in /"));
    };
    let plain = |segment: &str| {
        !["", ".", ".."].contains(&segment)
            && segment
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.=+,@".contains(&b))
    };
    if inner.split('/').all(plain) {
        Ok(())
    } else {
        Err(Error::invalid(
            what,
            "between its / it may hold only a to z, A to Z, 0 to 9 and - _ . = + , @, and neither . nor .. alone",
        ))
    }
}

/// Everything that a specification holds.
pub(crate) fn catalog(spec: &CatalogSpec) -> Result<(), Error> {
    match spec {
        CatalogSpec::DuckLake { storage } => match storage {
            StorageKind::Local => Ok(()),
            StorageKind::S3 {
                bucket,
                prefix_root,
                target,
            } => {
                self::bucket(bucket)?;
                prefix("the prefix", prefix_root)?;
                s3(target)
            }
        },
        CatalogSpec::Iceberg {
            endpoint,
            warehouse,
            auth,
            storage,
            locations,
        } => {
            http("the endpoint", endpoint)?;
            text("the warehouse", warehouse)?;
            self::auth(auth)?;
            storage.iter().try_for_each(s3)?;
            locations.iter().try_for_each(|url| location(url))
        }
        CatalogSpec::DuckDbFile { .. } | CatalogSpec::Memory => Ok(()),
    }
}

/// The rules that S3 and the stores like it share.
fn bucket(name: &str) -> Result<(), Error> {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.';
    let ends = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    let good = (3..=63).contains(&name.len())
        && name.bytes().all(inner)
        && ends(name.bytes().next())
        && ends(name.bytes().last())
        && !name.contains("..");
    if good {
        Ok(())
    } else {
        Err(Error::invalid(
            "the bucket",
            "it must have 3 to 63 of a to z, 0 to 9, - and ., with a letter or a digit at both ends",
        ))
    }
}

fn s3(target: &S3Target) -> Result<(), Error> {
    let good = |b: u8| b.is_ascii_alphanumeric() || b".-_:[]".contains(&b);
    if !target.endpoint.bytes().all(good) {
        return Err(Error::invalid(
            "the store's endpoint",
            "it must be host[:port], or empty for AWS",
        ));
    }
    text("the region", &target.region)?;
    text("the key's id", target.key_id.expose())?;
    text("the secret key", target.secret.expose())
}

fn auth(auth: &IcebergAuth) -> Result<(), Error> {
    match auth {
        IcebergAuth::OAuth2 {
            server_uri,
            client_id,
            client_secret,
            scope,
        } => {
            http("the token endpoint", server_uri)?;
            text("the client's id", client_id.expose())?;
            text("the client's secret", client_secret.expose())?;
            if scope.is_empty() {
                Ok(())
            } else {
                text("the scope", scope)
            }
        }
        IcebergAuth::Token(token) => text("the token", token.expose()),
        IcebergAuth::None => Ok(()),
    }
}

fn http(what: &'static str, url: &str) -> Result<(), Error> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let authority = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let good = |b: u8| b.is_ascii_graphic() && !b"@?#\"'\\<>".contains(&b);
    if !authority.is_empty() && url.bytes().all(good) {
        Ok(())
    } else {
        Err(Error::invalid(
            what,
            "it must be http[s]://host[:port][/path], without user, query and fragment",
        ))
    }
}

/// Something printable. The value is never repeated: it may be a secret.
pub(crate) fn text(what: &'static str, value: &str) -> Result<(), Error> {
    if (1..=4096).contains(&value.len()) && !value.chars().any(char::is_control) {
        Ok(())
    } else {
        Err(Error::invalid(
            what,
            "it must have 1 to 4096 bytes without control characters",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_names_are_lowered_and_checked() {
        assert_eq!(host("Acme.DB.Example.com.").expect("good"), "acme.db.example.com");
        assert_eq!(host("localhost").expect("good"), "localhost");
        for bad in [
            "",
            ".",
            "a..b",
            "-a.b",
            "a-.b",
            "a_b.c",
            "10.0.0.1",
            "é.example",
            "a b",
            &"a".repeat(64),
            "*.b",
        ] {
            assert!(host(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn locations_are_prefixes_that_cannot_climb() {
        for good in [
            "s3://partner/",
            "s3://partner/exchange/2024/",
            "https://host.example:8443/a/",
        ] {
            assert!(location(good).is_ok(), "{good}");
        }
        for bad in [
            "s3://partner",
            "s3:///x/",
            "s3://b/x",
            "s3://b/../",
            "s3://b/x/../y/",
            "s3://b//x/",
            "s3://b/%2e%2e/",
            "s3://b/*/",
            "s3://user@b/",
            "file:///etc/",
            "/etc/",
            "s3://b/x\n/",
            "s3://b/x'/",
        ] {
            assert!(location(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn endpoints_have_no_user_and_no_quotes() {
        for good in ["https://rest.example.com", "http://127.0.0.1:8181/iceberg"] {
            assert!(http("x", good).is_ok(), "{good}");
        }
        for bad in [
            "https://",
            "rest.example.com",
            "https://u:p@h/",
            "https://h/?t=1",
            "https://h/'",
            "https://h/ x",
        ] {
            assert!(http("x", bad).is_err(), "{bad:?}");
        }
    }
}
