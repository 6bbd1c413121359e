//! A client's session: a state machine without I/O, and the driver that gives it sockets and a worker.

pub mod driver;
mod engine;
mod extended;
mod local;
mod machine;
mod out;
#[allow(clippy::unreadable_literal, reason = "generated from PostgreSQL's own bounds")]
mod parameters;
mod portal;
mod scripts;
mod settings;
mod statement;
mod transaction;
mod unit;

pub use machine::{Answer, Call, Event, Identity, Machine, Next};
pub use out::Out;
pub use scripts::ScriptCache;
