//! A client's session: a state machine without I/O, and the driver that gives it sockets and a worker.

mod calls;
mod context;
mod copy;
mod cursor;
pub mod driver;
mod engine;
mod engine_settings;
mod extended;
mod identity;
mod listen;
mod local;
mod lost;
mod machine;
mod opening;
mod out;
mod output;
#[allow(clippy::unreadable_literal, reason = "generated from PostgreSQL's own bounds")]
mod parameters;
mod place;
mod portal;
mod relations;
mod relocate;
mod scripts;
mod secret;
mod settings;
mod statement;
mod steps;
mod transaction;
mod unit;

pub use calls::Shared;
pub use copy::{CopyAnswer, CopyCall};
pub use identity::{Identity, UserAccess};
pub use listen::{Change, TransactionEnd};
pub use machine::{Answer, Call, Event, Machine, Next};
pub(crate) use opening::run_silently;
pub use out::Out;
pub use scripts::ScriptCache;
