//! What an installation knows: organisations, users, catalogs, their secrets, and who changed them.
//!
//! Knows `PostgreSQL` as a store, the migrations of its schema, the naming contract, and how secrets are sealed at rest. Knows
//! nothing of clients' sockets or SQL, or of workers beyond the description of a catalog that they attach.

mod audit;
mod catalog;
mod check;
mod connect;
mod error;
mod extent;
mod fresh;
mod hashing;
mod ids;
mod load;
mod lock;
mod migrate;
mod name;
mod org;
mod replica;
mod role;
mod rotate;
mod seal;
mod secret;
mod snapshot;
mod spec;
mod store;
mod stored;
mod token;
mod tombstone;
mod user;
mod verifier;

pub use audit::AuditEntry;
pub use error::{Error, Refusal};
pub use ids::{CatalogId, OrgId, TombstoneId, UserId};
pub use lock::CatalogLock;
pub use name::{CatalogName, InvalidName, OrgSlug, UserName, metadata_schema};
pub use replica::{LockMode, ReplicaLocks, Told};
pub use seal::{SealError, Sealer, SealingKey};
pub use snapshot::{Catalog, CatalogKind, CatalogState, Org, Snapshot, User};
pub use spec::{Actor, CatalogSpec, Change, Limits, OrgSpec, Role, Standing, StorageKind, UserSpec};
pub use store::Store;
pub use token::{Token, TokenEntry, TokenRole};
pub use tombstone::Tombstone;
pub use user::SALT_KEY;
pub use verifier::login_salt;
