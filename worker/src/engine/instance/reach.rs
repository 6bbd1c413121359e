//! What an organisation's bootstrap lets its instances reach: prefixes for the engine's wall, directories and ports for the
//! kernel's.

use std::path::{Path, PathBuf};

use pintail_worker_api::bootstrap::{
    Bootstrap, CatalogSource, CatalogSpec, DataLocation, FileAccess, IcebergAuth, S3Target, Tls,
};

const HTTPS: u16 = 443;
const HTTP: u16 = 80;

/// The prefixes that SQL may read and write below.
///
/// A database file's directory is not among them: the attached file and its log stay open to the engine itself, and SQL can
/// neither overwrite them nor put files beside them.
pub(super) fn prefixes(bootstrap: &Bootstrap) -> Vec<String> {
    let data = bootstrap.catalogs.iter().flat_map(|spec| match &spec.source {
        CatalogSource::DuckLake { data, .. } => match data {
            DataLocation::Local { path } => vec![closed(path)],
            DataLocation::S3 { url, .. } => vec![closed(url)],
        },
        CatalogSource::Iceberg { locations, .. } => locations.iter().map(|url| closed(url)).collect(),
        CatalogSource::DuckDbFile { .. } | CatalogSource::Memory => Vec::new(),
    });
    let directories = bootstrap.directories.iter().chain([&bootstrap.temp_dir]);
    data.chain(directories.map(|path| closed(&path.to_string_lossy())))
        .chain(bootstrap.locations.iter().map(|url| closed(url)))
        .collect()
}

/// The local directories in which the process reads and writes.
pub(crate) fn written_directories(bootstrap: &Bootstrap) -> Vec<PathBuf> {
    let data = bootstrap.catalogs.iter().filter_map(|spec| match &spec.source {
        CatalogSource::DuckLake {
            data: DataLocation::Local { path },
            ..
        } => Some(PathBuf::from(path)),
        CatalogSource::DuckDbFile {
            path,
            access: FileAccess::ReadWrite,
        } => Path::new(path).parent().map(Path::to_path_buf),
        _ => None,
    });
    data.chain(bootstrap.directories.iter().cloned())
        .chain([bootstrap.temp_dir.clone()])
        .collect()
}

/// The local directories in which the process reads only.
pub(crate) fn read_directories(bootstrap: &Bootstrap) -> Vec<PathBuf> {
    let read = bootstrap.catalogs.iter().filter_map(|spec| match &spec.source {
        CatalogSource::DuckDbFile {
            path,
            access: FileAccess::ReadOnly,
        } => Path::new(path).parent().map(Path::to_path_buf),
        _ => None,
    });
    read.collect()
}

/// The TCP ports of every server that the catalogs name, and those that the operator adds.
///
/// Keys that a REST catalog vends name a store that nobody knows before; it is expected at the port of `https`.
pub(crate) fn ports(bootstrap: &Bootstrap) -> Vec<u16> {
    let named = bootstrap.catalogs.iter().flat_map(catalog_ports);
    let opened = bootstrap.locations.iter().map(|_| HTTPS);
    let mut ports: Vec<_> = named.chain(opened).chain(bootstrap.ports.iter().copied()).collect();
    ports.sort_unstable();
    ports.dedup();
    ports
}

fn catalog_ports(spec: &CatalogSpec) -> Vec<u16> {
    match &spec.source {
        CatalogSource::DuckLake { metadata, data, .. } => {
            let metadata = (!metadata.host.starts_with('/')).then_some(metadata.port);
            let store = match data {
                DataLocation::Local { .. } => None,
                DataLocation::S3 { store, .. } => Some(store_port(store)),
            };
            metadata.into_iter().chain(store).collect()
        }
        CatalogSource::Iceberg {
            endpoint,
            auth,
            storage,
            ..
        } => {
            let tokens = match auth {
                IcebergAuth::OAuth2 { server_uri, .. } => Some(url_port(server_uri)),
                IcebergAuth::Token(_) | IcebergAuth::None => None,
            };
            let store = storage.as_ref().map_or(HTTPS, store_port);
            [url_port(endpoint), store].into_iter().chain(tokens).collect()
        }
        CatalogSource::DuckDbFile { .. } | CatalogSource::Memory => Vec::new(),
    }
}

fn store_port(store: &S3Target) -> u16 {
    let default = match store.tls {
        Tls::On => HTTPS,
        Tls::Off => HTTP,
    };
    authority_port(&store.endpoint).unwrap_or(default)
}

fn url_port(url: &str) -> u16 {
    let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
    let authority = rest.split('/').next().unwrap_or_default();
    let default = if scheme.eq_ignore_ascii_case("http") {
        HTTP
    } else {
        HTTPS
    };
    authority_port(authority).unwrap_or(default)
}

/// The port of `host:port` or `[address]:port`.
fn authority_port(authority: &str) -> Option<u16> {
    let after_address = authority.rsplit(']').next()?;
    after_address.rsplit_once(':')?.1.parse().ok()
}

/// The engine compares prefixes, so one must end in its separator: `/data/a` would open `/data/ab` too.
pub(super) fn closed(prefix: &str) -> String {
    format!("{}/", prefix.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_follow_from_urls() {
        assert_eq!(url_port("https://catalog.example.com/api"), 443);
        assert_eq!(url_port("http://catalog.example.com"), 80);
        assert_eq!(url_port("http://127.0.0.1:8181/api"), 8181);
        assert_eq!(url_port("https://[::1]:8443/x"), 8443);
        assert_eq!(url_port("https://[::1]/x"), 443);
    }

    #[test]
    fn a_prefix_ends_in_its_separator() {
        assert_eq!(closed("s3://bucket/a"), "s3://bucket/a/");
        assert_eq!(closed("/data/a//"), "/data/a/");
    }
}
