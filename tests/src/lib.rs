//! An installation of one's own for a test: the real binaries, a fresh data directory, free ports.

mod files;
mod installation;
mod memory;
pub mod operator;
pub mod raw;
mod reaper;
pub mod reference;
pub mod script;
mod tls;
mod wait;

pub use files::allow_files;
pub use installation::program as program_path;
pub use installation::{Installation, Options};
pub use memory::resident;
pub use wait::eventually;
