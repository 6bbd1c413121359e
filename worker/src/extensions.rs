//! The directory of engine extensions: which files are there and that they are the ones pinned.
//!
//! Instances are opened with unsigned extensions allowed, because checking a signature costs tens of milliseconds at every
//! load. The check is made once a process instead: each file's SHA-256 against `--extension name=sha256` or the directory's
//! `SHA256SUMS`. A file without a pin is not loaded where any pin is given.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::Error;

const SUFFIX: &str = ".duckdb_extension";
const MANIFEST: &str = "SHA256SUMS";

/// The extension files that may be loaded, verified.
#[derive(Debug, Clone)]
pub(crate) struct Extensions {
    directory: PathBuf,
    files: HashMap<String, PathBuf>,
}

impl Extensions {
    /// Lists the directory and verifies every pinned file. `pins` overrule the manifest.
    pub(crate) fn verify(directory: &Path, pins: &[(String, String)]) -> Result<Self, Error> {
        let directory = directory
            .canonicalize()
            .map_err(io_error("cannot open the extension directory"))?;
        let mut pinned = manifest(&directory.join(MANIFEST))?;
        pinned.extend(pins.iter().cloned());
        let mut files = HashMap::new();
        for name in NEEDED {
            let path = directory.join(format!("{name}{SUFFIX}"));
            if !path.is_file() {
                continue;
            }
            match pinned.get(*name) {
                Some(wanted) => check(&path, wanted)?,
                None if pinned.is_empty() => {}
                None => continue,
            }
            files.insert((*name).to_owned(), path);
        }
        Ok(Self { directory, files })
    }

    /// The file of an extension.
    pub(crate) fn path(&self, name: &str) -> Result<&Path, Error> {
        let missing = || Error::Start(format!("extension \"{name}\" is not in {}", self.directory.display()));
        self.files.get(name).map(PathBuf::as_path).ok_or_else(missing)
    }

    /// Every file that may be loaded, for the kernel wall.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.values().map(PathBuf::as_path)
    }
}

/// The extensions that a catalog of any kind needs; nothing else in the directory is ever loaded.
const NEEDED: &[&str] = &["ducklake", "postgres_scanner", "httpfs", "avro", "iceberg"];

fn manifest(path: &Path) -> Result<HashMap<String, String>, Error> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashMap::new()),
        Err(error) => return Err(io_error("cannot read the extensions' checksums")(error)),
    };
    let pin = |line: &str| {
        let (sum, file) = line.split_once(char::is_whitespace)?;
        let name = file.trim_start().trim_start_matches('*').strip_suffix(SUFFIX)?;
        Some((name.to_owned(), sum.to_owned()))
    };
    Ok(text.lines().filter_map(pin).collect())
}

fn check(path: &Path, wanted: &str) -> Result<(), Error> {
    let failed = io_error("cannot read an extension file");
    let mut file = File::open(path).map_err(&failed)?;
    let mut digest = Sha256::new();
    let mut block = vec![0; 1 << 20];
    loop {
        let count = file.read(&mut block).map_err(&failed)?;
        if count == 0 {
            break;
        }
        digest.update(&block[..count]);
    }
    let found = digest
        .finalize()
        .iter()
        .fold(String::with_capacity(64), |text, byte| format!("{text}{byte:02x}"));
    if found.eq_ignore_ascii_case(wanted) {
        return Ok(());
    }
    Err(Error::Start(format!(
        "{} does not have the pinned checksum",
        path.display()
    )))
}

fn io_error(what: &str) -> impl Fn(io::Error) -> Error {
    let what = what.to_owned();
    move |source| Error::Io {
        what: what.clone(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory_with(manifest: Option<&str>) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("ducklake.duckdb_extension"), b"abc").expect("a file");
        std::fs::write(directory.path().join("sqlite_scanner.duckdb_extension"), b"abc").expect("a file");
        if let Some(text) = manifest {
            std::fs::write(directory.path().join(MANIFEST), text).expect("a manifest");
        }
        directory
    }

    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn a_pinned_file_must_match() {
        let line = format!("{ABC}  ducklake.duckdb_extension\n");
        let directory = directory_with(Some(&line));
        assert!(Extensions::verify(directory.path(), &[]).is_ok());
        let wrong = [("ducklake".to_owned(), "00".to_owned())];
        assert!(matches!(
            Extensions::verify(directory.path(), &wrong),
            Err(Error::Start(_))
        ));
    }

    #[test]
    fn only_needed_files_can_be_loaded() {
        let directory = directory_with(None);
        let extensions = Extensions::verify(directory.path(), &[]).expect("extensions");
        assert!(extensions.path("ducklake").is_ok());
        assert!(extensions.path("sqlite_scanner").is_err());
    }

    #[test]
    fn a_file_without_a_pin_is_left_out_where_there_are_pins() {
        let directory = directory_with(Some("00  other.duckdb_extension\n"));
        let extensions = Extensions::verify(directory.path(), &[]).expect("extensions");
        assert!(extensions.path("ducklake").is_err());
    }
}
