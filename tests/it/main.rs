//! A real control plane, real workers, real clients.

mod architecture;
mod authentication;
mod copy;
mod cursors;
mod differential;
mod first_start;
mod isolation;
mod lost;
mod orgs;
mod protocol;
mod returning;
mod sessions;
mod types;
mod wire;
mod workers;
