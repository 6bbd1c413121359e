//! A real worker process on a temporary directory, driven through the contract's client.

mod cancel;
mod errors;
mod harness;
mod isolation;
mod lake;
mod parameters;
mod postgres;
mod process;
mod results;
mod stock_clients;
mod suspended;
