//! Where a result's columns come from.

use prost::{Message, Oneof};

/// The tables and columns behind a result's columns.
#[derive(Clone, PartialEq, Message)]
pub struct Origins {
    /// What `columns` number, from 0.
    #[prost(message, repeated, tag = "1")]
    pub tables: Vec<OriginTable>,
    /// By position, but that [`OriginFrom::All`] stands for several.
    #[prost(message, repeated, tag = "2")]
    pub columns: Vec<OriginColumn>,
}

/// A table, a view, or a relation of the system catalogs.
#[derive(Clone, PartialEq, Message)]
pub struct OriginTable {
    /// Where it may be; the first place that has it counts.
    #[prost(message, repeated, tag = "1")]
    pub places: Vec<OriginPlace>,
    /// Its name.
    #[prost(string, tag = "2")]
    pub name: String,
}

/// A schema of an attached database.
#[derive(Clone, PartialEq, Eq, Hash, Message)]
pub struct OriginPlace {
    /// The database.
    #[prost(string, tag = "1")]
    pub database: String,
    /// The schema.
    #[prost(string, tag = "2")]
    pub schema: String,
}

/// Where one column comes from.
#[derive(Clone, PartialEq, Message)]
pub struct OriginColumn {
    /// Absent for an expression whose type has no modifier.
    #[prost(oneof = "OriginFrom", tags = "1, 2, 3")]
    pub from: Option<OriginFrom>,
}

/// See [`OriginColumn`].
#[derive(Clone, PartialEq, Oneof)]
pub enum OriginFrom {
    /// A column of one of several tables.
    #[prost(message, tag = "1")]
    Named(OriginName),
    /// All columns of the table of that number.
    #[prost(uint32, tag = "2")]
    All(u32),
    /// An expression whose type has this modifier.
    #[prost(sint32, tag = "3")]
    Modifier(i32),
}

/// A column by name.
#[derive(Clone, PartialEq, Message)]
pub struct OriginName {
    /// The tables' numbers: the first that has such a column is meant.
    #[prost(uint32, repeated, tag = "1")]
    pub tables: Vec<u32>,
    /// The column's name.
    #[prost(string, tag = "2")]
    pub name: String,
}
