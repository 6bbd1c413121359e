//! Files without names: the messages of a suspended result until its reader goes on, and those of a result that may be
//! read again.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_flight::FlightData;
use prost::Message;

use crate::error::Error;

/// A result may set aside that many bytes.
pub(crate) const LIMIT: u64 = 16 << 30;

static NAMES: AtomicU64 = AtomicU64::new(0);

/// Messages in a file, first in, first out.
pub(crate) struct Spool {
    file: File,
    written: u64,
    read: u64,
}

impl Spool {
    /// An empty one.
    pub(crate) fn create(directory: &Path) -> io::Result<Self> {
        Ok(Self {
            file: nameless(directory)?,
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
        self.written += write_at(&self.file, self.written, message)?;
        Ok(())
    }

    /// The next message, if there is one.
    pub(crate) fn read(&mut self) -> io::Result<Option<FlightData>> {
        if self.is_empty() {
            return Ok(None);
        }
        let (message, length) = read_at(&self.file, self.read)?;
        self.read += length;
        Ok(Some(message))
    }
}

/// Messages in a file that can be read again, found by the number of a row.
pub(crate) struct History {
    file: File,
    written: u64,
    /// The first row of each message and where it stands, in order.
    places: Vec<(u64, u64)>,
}

impl History {
    /// An empty one.
    pub(crate) fn create(directory: &Path) -> io::Result<Self> {
        Ok(Self {
            file: nameless(directory)?,
            written: 0,
            places: Vec::new(),
        })
    }

    /// Appends a message whose first row has that number.
    pub(crate) fn append(&mut self, first: u64, message: &FlightData) -> Result<(), Error> {
        let place = self.written;
        self.written += write_at(&self.file, place, message)?;
        self.places.push((first, place));
        Ok(())
    }

    /// The message with a row, and the number of its first one.
    pub(crate) fn read(&self, row: u64) -> io::Result<(u64, FlightData)> {
        let index = self.places.partition_point(|(first, _)| *first <= row);
        let place = index.checked_sub(1).and_then(|index| self.places.get(index));
        let (first, place) = *place.ok_or_else(|| io::Error::other("a row that was never written"))?;
        Ok((first, read_at(&self.file, place)?.0))
    }
}

/// Makes a file and takes its name away, so that it goes when the process does.
pub(crate) fn nameless(directory: &Path) -> io::Result<File> {
    let name = format!("spool-{}", NAMES.fetch_add(1, Ordering::Relaxed));
    let path = directory.join(name);
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// Writes a message: its length, then its protobuf form; how many bytes that were.
fn write_at(file: &File, place: u64, message: &FlightData) -> Result<u64, Error> {
    let length = message.encoded_len();
    let mut bytes = Vec::with_capacity(length + 8);
    bytes.extend_from_slice(&(length as u64).to_le_bytes());
    if message.encode(&mut bytes).is_err() || place + bytes.len() as u64 > LIMIT {
        return Err(Error::SpoolFull);
    }
    file.write_all_at(&bytes, place).map_err(Error::Spool)?;
    Ok(bytes.len() as u64)
}

/// Reads what [`write_at`] wrote, and how many bytes it has.
fn read_at(file: &File, place: u64) -> io::Result<(FlightData, u64)> {
    let mut length = [0; 8];
    file.read_exact_at(&mut length, place)?;
    let length = u64::from_le_bytes(length);
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, place + 8)?;
    let message = FlightData::decode(bytes::Bytes::from(bytes)).map_err(io::Error::other)?;
    Ok((message, length + 8))
}
