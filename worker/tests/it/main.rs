//! A real worker process on a temporary directory, driven through the contract's client.

mod harness;
mod results;
