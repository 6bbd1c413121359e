//! Values as JSON text: what maps, unions and everything inside them become.

use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, UnionArray};

use super::cells::{Cells, Encode, Scratch};
use crate::Error;

/// Appends a JSON string.
pub(crate) fn quote(text: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    for &byte in text {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            0..0x20 => {
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

/// Which texts of a type are JSON as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bare {
    /// Numbers are, unless they are `NaN` or infinite.
    Numbers,
    /// None are: they become strings.
    Nothing,
}

/// Makes JSON of what another encoder writes as text.
pub(crate) struct Quoted {
    pub(crate) inner: Box<dyn Encode>,
    pub(crate) bare: Bare,
    pub(crate) scratch: Scratch,
}

impl Encode for Quoted {
    fn fill<'a>(&'a mut self, array: &'a dyn Array, rows: Range<usize>) -> Result<Cells<'a>, Error> {
        let cells = self.inner.fill(array, rows.clone())?;
        self.scratch.clear();
        for index in 0..rows.len() {
            let Some(text) = cells.get(index) else {
                self.scratch.push_null();
                continue;
            };
            self.scratch.push(|out| {
                let number = text.last().is_some_and(u8::is_ascii_digit);
                if self.bare == Bare::Numbers && number {
                    out.extend_from_slice(text);
                } else {
                    quote(text, out);
                }
                Ok(())
            })?;
        }
        Ok(self.scratch.cells())
    }
}

/// Maps as JSON objects; keys that are no strings in JSON are quoted.
pub(crate) struct Map {
    pub(crate) key: Box<dyn Encode>,
    pub(crate) value: Box<dyn Encode>,
    pub(crate) scratch: Scratch,
}

impl Encode for Map {
    fn fill<'a>(&'a mut self, array: &'a dyn Array, rows: Range<usize>) -> Result<Cells<'a>, Error> {
        let map = array
            .as_map_opt()
            .ok_or_else(|| Error::layout("a map", array.data_type()))?;
        let offset = |row: usize| usize::try_from(map.value_offsets()[row]).unwrap_or_default();
        let (low, high) = (offset(rows.start), offset(rows.end));
        let keys = self.key.fill(map.keys().as_ref(), low..high)?;
        let values = self.value.fill(map.values().as_ref(), low..high)?;
        self.scratch.clear();
        for row in rows {
            if map.is_null(row) {
                self.scratch.push_null();
                continue;
            }
            self.scratch.push(|out| {
                out.push(b'{');
                for entry in offset(row)..offset(row + 1) {
                    if entry > offset(row) {
                        out.push(b',');
                    }
                    match keys.get(entry - low).unwrap_or(b"null") {
                        key if key.starts_with(b"\"") => out.extend_from_slice(key),
                        key => quote(key, out),
                    }
                    out.push(b':');
                    out.extend_from_slice(values.get(entry - low).unwrap_or(b"null"));
                }
                out.push(b'}');
                Ok(())
            })?;
        }
        Ok(self.scratch.cells())
    }
}

/// Unions as JSON objects of one key, the member's name.
pub(crate) struct Union {
    /// Type id, key with its colon, and the member's encoder.
    pub(crate) members: Vec<(i8, Vec<u8>, Box<dyn Encode>)>,
    pub(crate) scratch: Scratch,
}

impl Encode for Union {
    fn fill<'a>(&'a mut self, array: &'a dyn Array, rows: Range<usize>) -> Result<Cells<'a>, Error> {
        let layout = || Error::layout("a union", array.data_type());
        let union = array.as_any().downcast_ref::<UnionArray>().ok_or_else(layout)?;
        self.scratch.clear();
        for row in rows {
            let id = union.type_id(row);
            let member = self.members.iter_mut().find(|(member, ..)| *member == id);
            let (_, key, encoder) = member.ok_or_else(layout)?;
            let at = union.value_offset(row);
            let cells = encoder.fill(union.child(id).as_ref(), at..at + 1)?;
            match cells.get(0) {
                None => self.scratch.push_null(),
                Some(value) => self.scratch.push(|out| {
                    out.push(b'{');
                    out.extend_from_slice(key);
                    out.extend_from_slice(value);
                    out.push(b'}');
                    Ok(())
                })?,
            }
        }
        Ok(self.scratch.cells())
    }
}
