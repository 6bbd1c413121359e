//! The worker: the only program that links `DuckDB`. One organisation, one session at a time, disposable.
//!
//! Knows the engine, the organisation's catalogs and the Flight contract. Knows nothing of the client's protocol
//! conversation, and of no other tenant.

mod dies;
mod engine;
mod error;
mod extensions;
mod flight;
mod kernel_wall;
mod left_out;
pub mod process;
mod session;
mod tasks;
mod worker;

pub use error::{Error, StopReason, Unavailable};
