//! Rows of a relation as Arrow, both ways. All columns are texts; who reads them casts.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};

use crate::messages::Relation;

/// The values of a row, by column.
pub type TextRow = Vec<Option<String>>;

impl Relation {
    /// A relation of texts; each row has a value a column.
    pub fn of_texts(name: &str, columns: &[&str], rows: &[TextRow]) -> Result<Self, ArrowError> {
        let fields: Vec<Field> = columns
            .iter()
            .map(|column| Field::new(*column, DataType::Utf8, true))
            .collect();
        let arrays = (0..columns.len()).map(|index| {
            let values = rows.iter().map(|row| row.get(index).and_then(Option::as_deref));
            Arc::new(values.collect::<StringArray>()) as ArrayRef
        });
        let schema = Arc::new(Schema::new(fields));
        let count = RecordBatchOptions::new().with_row_count(Some(rows.len()));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays.collect(), &count)?;
        let mut writer = StreamWriter::try_new(Vec::new(), &schema)?;
        writer.write(&batch)?;
        Ok(Self {
            name: name.to_owned(),
            arrow: writer.into_inner()?.into(),
        })
    }

    /// The columns of texts, all of one length; none where the relation has no rows.
    pub fn texts(&self) -> Result<Vec<StringArray>, ArrowError> {
        let mut batches = StreamReader::try_new(self.arrow.as_ref(), None)?;
        let Some(batch) = batches.next().transpose()? else {
            return Ok(Vec::new());
        };
        batch
            .columns()
            .iter()
            .map(|column| {
                let texts = column.as_any().downcast_ref::<StringArray>();
                texts
                    .cloned()
                    .ok_or_else(|| ArrowError::SchemaError(format!("a column of {} is not text", self.name)))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_survive_the_way() {
        let rows = [
            vec![Some("é".to_owned()), None],
            vec![Some(String::new()), Some("x".to_owned())],
        ];
        let relation = Relation::of_texts("r", &["a", "b"], &rows).expect("encodes");
        let columns = relation.texts().expect("decodes");
        assert_eq!(columns.len(), 2);
        assert_eq!((columns[0].value(0), columns[0].value(1)), ("é", ""));
        assert!(columns[1].is_null(0) && columns[1].value(1) == "x");
        let empty = Relation::of_texts("r", &["a"], &[])
            .expect("encodes")
            .texts()
            .expect("decodes");
        assert_eq!(empty.first().map_or(0, Array::len), 0);
    }
}
