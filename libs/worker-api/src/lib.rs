//! The contract between the control plane and a worker.
//!
//! Knows the Flight commands, the frames of a result, the error detail, the bootstrap document and the traits by which
//! a control plane gets workers. Knows nothing of `DuckDB`, of sockets of clients, or of where a worker runs.

pub mod bootstrap;
pub mod client;
pub mod error;
pub mod messages;
pub mod provider;
mod relation;
mod secret;

pub use relation::TextRow;
pub use secret::Secret;
