//! Records: the engine's structs as `PostgreSQL`'s anonymous composites (`record_out`, `record_send`).

use std::ops::Range;

use arrow_array::Array;
use arrow_array::cast::AsArray as _;

use super::cells::{Cells, Encode, Scratch};
use super::list::put_element;
use crate::Error;

/// One field of a record.
pub(crate) struct Field {
    pub(crate) encoder: Box<dyn Encode>,
    /// The field's type, for the binary form.
    pub(crate) oid: u32,
    /// The key with its colon, for the JSON form: `"a":`.
    pub(crate) key: Vec<u8>,
}

/// How a record's fields are put together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RecordForm {
    /// `(1,"b c",)`
    Text,
    /// `record_send`.
    Binary,
    /// A JSON object.
    Json,
}

/// Encodes structs.
pub(crate) struct Record {
    fields: Vec<Field>,
    form: RecordForm,
    scratch: Scratch,
}

impl Record {
    pub(crate) fn new(fields: Vec<Field>, form: RecordForm) -> Self {
        Self {
            fields,
            form,
            scratch: Scratch::default(),
        }
    }
}

impl Encode for Record {
    fn fill<'a>(&'a mut self, array: &'a dyn Array, rows: Range<usize>) -> Result<Cells<'a>, Error> {
        let record = array
            .as_struct_opt()
            .ok_or_else(|| Error::layout("a struct", array.data_type()))?;
        self.scratch.clear();
        let mut oids_and_keys = Vec::with_capacity(self.fields.len());
        let mut cells = Vec::with_capacity(self.fields.len());
        for (field, column) in self.fields.iter_mut().zip(record.columns()) {
            cells.push(field.encoder.fill(column.as_ref(), rows.clone())?);
            oids_and_keys.push((field.oid, field.key.as_slice()));
        }
        if cells.len() != record.num_columns() {
            return Err(Error::layout("a struct of as many fields", array.data_type()));
        }
        for (index, row) in rows.enumerate() {
            if record.is_null(row) {
                self.scratch.push_null();
                continue;
            }
            let fields = oids_and_keys.iter().zip(cells.iter().map(|cells| cells.get(index)));
            self.scratch.push(|out| {
                match self.form {
                    RecordForm::Text => text(fields.map(|(_, value)| value), out),
                    RecordForm::Binary => {
                        let count = i32::try_from(oids_and_keys.len()).map_err(|_| Error::TooLarge)?;
                        out.extend_from_slice(&count.to_be_bytes());
                        for ((oid, _), value) in fields {
                            out.extend_from_slice(&oid.to_be_bytes());
                            put_element(value, out)?;
                        }
                    }
                    RecordForm::Json => {
                        out.push(b'{');
                        for (position, ((_, key), value)) in fields.enumerate() {
                            if position > 0 {
                                out.push(b',');
                            }
                            out.extend_from_slice(key);
                            out.extend_from_slice(value.unwrap_or(b"null"));
                        }
                        out.push(b'}');
                    }
                }
                Ok(())
            })?;
        }
        Ok(self.scratch.cells())
    }
}

fn text<'f>(fields: impl Iterator<Item = Option<&'f [u8]>>, out: &mut Vec<u8>) {
    out.push(b'(');
    for (position, field) in fields.enumerate() {
        if position > 0 {
            out.push(b',');
        }
        let Some(bytes) = field else { continue };
        let special = |b: &u8| matches!(b, b'"' | b'\\' | b'(' | b')' | b',' | b' ' | b'\t'..=b'\r');
        if bytes.is_empty() || bytes.iter().any(special) {
            out.push(b'"');
            for &b in bytes {
                if matches!(b, b'"' | b'\\') {
                    out.push(b);
                }
                out.push(b);
            }
            out.push(b'"');
        } else {
            out.extend_from_slice(bytes);
        }
    }
    out.push(b')');
}
