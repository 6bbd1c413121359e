//! Our bytes against `PostgreSQL`'s own, from a server that the tests start.
//!
//! Needs the embedded `PostgreSQL` under `$PINTAIL_CACHE`, which `./dev` fetches.

mod columns;
mod input;
mod output;
mod server;
