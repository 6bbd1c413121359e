//! A real worker process on a temporary directory, driven through the contract's client.

mod cancel;
mod errors;
mod harness;
mod isolation;
mod lake;
mod parameters;
mod postgres;
mod results;
mod suspended;
