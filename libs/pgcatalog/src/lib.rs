//! `pg_catalog` and `information_schema` as DuckDB macros and views, one file each.
//!
//! Data only. The worker runs [`install`] in each new instance, in an in-memory database attached as `"__pintail"`;
//! provisioning runs [`hidden_schema`] once in each lake.

mod columns;
mod hidden;
mod installed;
mod live;

pub use columns::{COLUMNS, Relation};
pub use hidden::{HIDDEN_SCHEMA, hidden_schema};
pub use installed::{INSTANCE, RELATIONS, install};
pub use live::{LIVE, live_columns};
