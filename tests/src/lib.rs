//! An installation of one's own for a test: the real binaries, a fresh data directory, free ports.

mod installation;
pub mod operator;
pub mod raw;
mod reaper;
mod tls;
mod wait;

pub use installation::program as program_path;
pub use installation::{Installation, Options};
pub use wait::eventually;
