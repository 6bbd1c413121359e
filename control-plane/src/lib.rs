//! The control plane: everything between a client's socket and a worker's.
//!
//! Knows sockets, TLS, authentication, the protocol, sessions, the worker pool and the admin port. Knows nothing of
//! `DuckDB`, of SQL's grammar, or of where workers run.

pub mod account;
pub mod admin;
pub mod advisory;
pub mod cancel;
pub mod cli;
pub mod config;
pub mod embedded;
pub mod listener;
pub mod login;
pub mod metrics;
pub mod notify;
pub mod pool;
pub mod provider;
pub mod provision;
pub mod routing;
pub mod serve;
pub mod session;
pub mod sessions;
pub mod shares;
pub mod tasks;
pub mod tenant;
pub mod threads;
pub mod tls;
pub mod unix;
pub mod wire;

use pintail_sqlstate::chain;
