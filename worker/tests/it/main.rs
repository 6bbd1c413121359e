//! A real worker process on a temporary directory, driven through the contract's client.

mod cancel;
mod catalogs;
mod copy;
mod errors;
mod harness;
mod iceberg;
mod isolation;
mod kept;
mod lake;
mod negative;
mod objects;
mod parameters;
mod postgres;
mod process;
mod results;
mod s3;
mod stock_clients;
mod suspended;
