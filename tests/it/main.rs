//! A real control plane, real workers, real clients.

mod architecture;
mod authentication;
mod cancel;
mod conflicts;
mod copy;
mod cursors;
mod differential;
mod first_start;
mod idle;
mod isolation;
mod lost;
mod orgs;
mod protocol;
mod returning;
mod rust_client;
mod sessions;
mod shared;
mod start;
mod streams;
mod types;
mod wire;
mod workers;
