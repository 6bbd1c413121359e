//! Result columns as any reader of Arrow or Parquet knows them: what the engine marks as a type of its own becomes a boolean
//! or its `PostgreSQL` text.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray as _;
use arrow_array::types::Int8Type;
use arrow_array::{Array as _, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::BooleanBuffer;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::encode::cells::Encode;
use crate::encode::plan::{self, Form};
use crate::kind::Kind;
use crate::{ColumnSpec, Error, RenderSettings};

/// Turns batches of one result into batches of plain columns.
pub struct PlainColumns {
    schema: SchemaRef,
    forms: Vec<Plain>,
}

/// How a column becomes plain.
enum Plain {
    /// It is.
    Same,
    /// From bytes.
    Boolean,
    /// By its text.
    Text(Box<dyn Encode>),
}

impl std::fmt::Debug for PlainColumns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlainColumns")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

impl PlainColumns {
    /// Chooses forms.
    pub fn new(columns: &[ColumnSpec], settings: &RenderSettings) -> Result<Self, Error> {
        let form = |column: &ColumnSpec| {
            let field = column.field.as_ref();
            Ok(match Kind::of(field) {
                Kind::Bool if *field.data_type() == DataType::Int8 => Plain::Boolean,
                _ if is_plain(field) => Plain::Same,
                _ => Plain::Text(plan::encoder(field, column.pg.oid, Form::Text, settings)?),
            })
        };
        let forms = columns.iter().map(form).collect::<Result<Vec<_>, Error>>()?;
        let fields = columns.iter().zip(&forms).map(|(column, form)| match form {
            Plain::Same => column.field.as_ref().clone(),
            Plain::Boolean => Field::new(column.field.name(), DataType::Boolean, true),
            Plain::Text(_) => Field::new(column.field.name(), DataType::Utf8, true),
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Ok(Self { schema, forms })
    }

    /// The schema of what comes out.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The same rows in plain columns.
    pub fn convert(&mut self, batch: &RecordBatch) -> Result<RecordBatch, Error> {
        if batch.num_columns() != self.forms.len() {
            return Err(Error::layout("a batch of the announced columns", batch.schema_ref()));
        }
        let columns = batch.columns().iter().zip(&mut self.forms);
        let columns = columns
            .map(|(array, form)| form.convert(array))
            .collect::<Result<_, _>>()?;
        let count = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let made = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &count);
        made.map_err(|error| Error::layout("plain columns", &error))
    }
}

impl Plain {
    fn convert(&mut self, array: &ArrayRef) -> Result<ArrayRef, Error> {
        match self {
            Self::Same => Ok(Arc::clone(array)),
            Self::Boolean => {
                let bytes = array.as_primitive_opt::<Int8Type>();
                let bytes = bytes.ok_or_else(|| Error::layout("bytes", array.data_type()))?;
                let bits = BooleanBuffer::collect_bool(bytes.len(), |row| bytes.values()[row] != 0);
                Ok(Arc::new(BooleanArray::new(bits, bytes.nulls().cloned())))
            }
            Self::Text(encoder) => {
                let cells = encoder.fill(array.as_ref(), 0..array.len())?;
                let mut texts = StringBuilder::new();
                for row in 0..array.len() {
                    texts.append_option(cells.get(row).map(|bytes| String::from_utf8_lossy(bytes)));
                }
                Ok(Arc::new(texts.finish()))
            }
        }
    }
}

/// Whether a column, with all that is inside it, is one that other readers know.
fn is_plain(field: &Field) -> bool {
    match Kind::of(field) {
        Kind::Bool => *field.data_type() == DataType::Boolean,
        Kind::HugeInt
        | Kind::UHugeInt
        | Kind::BigNum
        | Kind::TimeTz
        | Kind::Bit
        | Kind::Interval
        | Kind::Union(_)
        | Kind::Unsupported => false,
        Kind::List(item) | Kind::Map(item) => is_plain(item),
        Kind::Record(fields) => fields.iter().all(|field| is_plain(field)),
        _ => true,
    }
}
