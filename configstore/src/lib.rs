//! What an installation knows: organisations, users, catalogs.
//!
//! Knows `PostgreSQL` as a store, the migrations of its schema and the naming contract. Knows nothing of clients' sockets or
//! SQL, or of workers beyond the description of a catalog that they attach.

mod error;
mod name;
mod provision;
mod store;

pub use error::Error;
pub use name::{CatalogName, InvalidName, OrgSlug, UserName, metadata_schema};
pub use provision::NewCatalog;
pub use store::{CatalogState, Login, Store};
