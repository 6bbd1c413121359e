//! A file without a name that holds the messages of a suspended result until its reader goes on.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_flight::FlightData;
use prost::Message;

use crate::error::Error;

/// A result may set aside that many bytes.
const LIMIT: u64 = 16 << 30;

static NAMES: AtomicU64 = AtomicU64::new(0);

/// Messages in a file, first in, first out.
pub(crate) struct Spool {
    file: File,
    written: u64,
    read: u64,
}

impl Spool {
    /// Makes the file and takes its name away, so that it goes when the process does.
    pub(crate) fn create(directory: &Path) -> io::Result<Self> {
        let name = format!("spool-{}", NAMES.fetch_add(1, Ordering::Relaxed));
        let path = directory.join(name);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        std::fs::remove_file(&path)?;
        Ok(Self {
            file,
            written: 0,
            read: 0,
        })
    }

    /// Whether everything written was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.read == self.written
    }

    /// Appends a message: its length, then its protobuf form.
    pub(crate) fn write(&mut self, message: &FlightData) -> Result<(), Error> {
        if self.is_empty() && self.written > 0 {
            self.file.set_len(0).map_err(Error::Spool)?;
            (self.read, self.written) = (0, 0);
        }
        let length = message.encoded_len();
        let mut bytes = Vec::with_capacity(length + 8);
        bytes.extend_from_slice(&(length as u64).to_le_bytes());
        if message.encode(&mut bytes).is_err() || self.written + bytes.len() as u64 > LIMIT {
            return Err(Error::SpoolFull);
        }
        self.file.write_all_at(&bytes, self.written).map_err(Error::Spool)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// The next message, if there is one.
    pub(crate) fn read(&mut self) -> io::Result<Option<FlightData>> {
        if self.is_empty() {
            return Ok(None);
        }
        let mut length = [0; 8];
        self.file.read_exact_at(&mut length, self.read)?;
        let length = usize::try_from(u64::from_le_bytes(length)).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, self.read + 8)?;
        self.read += 8 + length as u64;
        let message = FlightData::decode(bytes::Bytes::from(bytes)).map_err(io::Error::other)?;
        Ok(Some(message))
    }
}
