//! The protocol's messages: bytes in, bytes out. Knows nothing of sessions, workers or SQL.
//!
//! Frontend messages are decoded here rather than by the `pgwire` crate, whose decoders panic on truncated bodies and
//! replace invalid UTF-8; backend messages and SCRAM are that crate's.

pub mod backend;
mod error;
pub mod frontend;
pub mod scram;
pub mod startup;

pub use error::ProtocolError;
