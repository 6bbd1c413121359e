//! The control plane's own files.

#[path = "../../control-plane/src/wire/error.rs"]
mod error;
#[path = "../../control-plane/src/wire/frontend.rs"]
pub mod frontend;
#[path = "../../control-plane/src/wire/scram.rs"]
pub mod scram;
#[path = "../../control-plane/src/wire/startup.rs"]
pub mod startup;

pub use error::ProtocolError;
