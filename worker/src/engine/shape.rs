//! What a result looks like: its columns for the client, its Arrow schema, and a signature to notice that it changed.

use std::fmt::Write;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use pintail_pgtypes::{ColumnSpec, announced_type, pg_type};
use pintail_worker_api::messages::{Column, Header};

use super::capi::{ArrowOptions, LogicalType};
use super::failure::Failure;

/// What a result's column is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ColumnOrigin {
    /// A table's.
    Column {
        /// `pg_class.oid`.
        table_oid: u32,
        /// `pg_attribute.attnum`.
        number: i32,
    },
    /// An expression, whose type has this modifier, −1 for none.
    Computed(i32),
    /// What nobody knows; the engine's modifier is as good as any.
    Unknown,
}

impl ColumnOrigin {
    fn place(&self) -> (u32, i32) {
        match *self {
            Self::Column { table_oid, number } => (table_oid, number),
            Self::Computed(_) | Self::Unknown => (0, 0),
        }
    }

    fn modifier(&self) -> Option<i32> {
        match *self {
            Self::Computed(modifier) => Some(modifier),
            Self::Column { .. } | Self::Unknown => None,
        }
    }
}

/// The shape of a result.
#[derive(Debug)]
pub(crate) struct Shape {
    /// As the control plane gets it.
    pub(crate) header: Header,
    /// The columns' types for the encoder.
    pub(crate) columns: Vec<ColumnSpec>,
    /// The Arrow schema of the batches.
    pub(crate) schema: SchemaRef,
    /// The engine's types, written out; `None` where a comparison has to look deeper.
    pub(crate) signature: Option<String>,
}

impl Shape {
    /// The shape of such columns, under the types that they are announced as (by position, 0 for the engine's own), and as
    /// what they are; origins of another number of columns are passed over.
    pub(crate) fn of(
        columns: &[(String, LogicalType)],
        arrow: &ArrowOptions,
        announced: &[u32],
        origins: &[ColumnOrigin],
    ) -> Result<Arc<Self>, Failure> {
        let schema = arrow.schema(columns)?;
        let mut specs = Vec::with_capacity(columns.len());
        let mut described = Vec::with_capacity(columns.len());
        for (index, ((name, logical), field)) in columns.iter().zip(schema.fields()).enumerate() {
            let alias = alias(logical);
            let own = pg_type(field, (!alias.is_empty()).then_some(alias.as_str()));
            let wanted = announced.get(index).copied().filter(|oid| *oid != 0 && *oid != own.oid);
            let pg = wanted.and_then(|oid| announced_type(field, oid)).unwrap_or(own);
            let origin = origins.get(index).filter(|_| origins.len() == columns.len());
            let (table_oid, number) = origin.map_or((0, 0), ColumnOrigin::place);
            described.push(Column {
                name: name.clone(),
                type_oid: pg.oid,
                typmod: origin.and_then(ColumnOrigin::modifier).unwrap_or(pg.typmod),
                type_len: i32::from(pg.typlen),
                table_oid,
                number,
            });
            specs.push(ColumnSpec {
                field: Arc::clone(field),
                pg,
            });
        }
        let signature = signature(columns.iter().map(|(_, logical)| logical));
        let header = Header {
            columns: described,
            returns_rows: true,
        };
        Ok(Arc::new(Self {
            header,
            columns: specs,
            schema,
            signature,
        }))
    }

    /// Whether a client that was told one shape can read the other.
    pub(crate) fn answers_like(&self, other: &Self) -> bool {
        self.header.columns.len() == other.header.columns.len()
            && self
                .header
                .columns
                .iter()
                .zip(&other.header.columns)
                .all(|(left, right)| left.type_oid == right.type_oid)
    }
}

/// The name that makes a type more than its layout: `json` over text, an enum's name, a user's type.
pub(crate) fn alias(logical: &LogicalType) -> String {
    let own = logical.alias();
    match logical.element() {
        Some(element) if own.is_empty() => {
            let inner = alias(&element);
            if inner.is_empty() { inner } else { format!("{inner}[]") }
        }
        _ => own,
    }
}

/// The engine's types of some columns, written out; `None` where one is too deep to be compared cheaply.
pub(crate) fn signature<'a>(mut types: impl Iterator<Item = &'a LogicalType>) -> Option<String> {
    let mut text = String::new();
    types
        .try_for_each(|logical| write_signature(logical, &mut text))
        .map(|()| text)
}

fn write_signature(logical: &LogicalType, text: &mut String) -> Option<()> {
    if logical.is_composite() {
        return None;
    }
    // Writing to a text cannot fail.
    let _ = write!(text, "{}", logical.id());
    if logical.is_decimal() {
        let (width, scale) = logical.decimal();
        let _ = write!(text, ".{width}.{scale}");
    }
    let alias = logical.alias();
    if !alias.is_empty() {
        let _ = write!(text, ":{alias}");
    }
    text.push(';');
    logical
        .element()
        .map_or(Some(()), |element| write_signature(&element, text))
}
