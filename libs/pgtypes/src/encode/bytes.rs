//! Encoders of strings and binary strings: where the value's bytes go out as they are, nothing is copied.

use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{ArrowDictionaryKeyType, BinaryViewType, StringViewType};
use arrow_array::{Array, GenericByteViewArray, PrimitiveArray};
use arrow_schema::DataType;

use super::cells::{Cells, Encode, Scratch, Span};
use crate::Error;

/// A string or binary array of any layout.
#[derive(Clone, Copy)]
pub(crate) enum ByteRows<'a> {
    Small(&'a [i32], &'a [u8]),
    Large(&'a [i64], &'a [u8]),
    TextView(&'a GenericByteViewArray<StringViewType>),
    BinaryView(&'a GenericByteViewArray<BinaryViewType>),
}

impl<'a> ByteRows<'a> {
    pub(crate) fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Utf8 => {
                let array = array.as_string_opt::<i32>()?;
                Self::Small(array.value_offsets(), array.value_data())
            }
            DataType::LargeUtf8 => {
                let array = array.as_string_opt::<i64>()?;
                Self::Large(array.value_offsets(), array.value_data())
            }
            DataType::Binary => {
                let array = array.as_binary_opt::<i32>()?;
                Self::Small(array.value_offsets(), array.value_data())
            }
            DataType::LargeBinary => {
                let array = array.as_binary_opt::<i64>()?;
                Self::Large(array.value_offsets(), array.value_data())
            }
            DataType::Utf8View => Self::TextView(array.as_string_view_opt()?),
            DataType::BinaryView => Self::BinaryView(array.as_binary_view_opt()?),
            _ => return None,
        })
    }

    /// The bytes of a value that is not NULL.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> &'a [u8] {
        match self {
            Self::Small(offsets, data) => slice(data, i64::from(offsets[row]), i64::from(offsets[row + 1])),
            Self::Large(offsets, data) => slice(data, offsets[row], offsets[row + 1]),
            Self::TextView(array) => array.value(row).as_bytes(),
            Self::BinaryView(array) => array.value(row),
        }
    }
}

#[inline]
fn slice(data: &[u8], start: i64, end: i64) -> &[u8] {
    let bounds = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    bounds.and_then(|(start, end)| data.get(start..end)).unwrap_or_default()
}

/// Sends the bytes as they are.
#[derive(Default)]
pub(crate) struct Verbatim {
    spans: Vec<Span>,
    scratch: Scratch,
}

impl Encode for Verbatim {
    fn fill<'a>(&'a mut self, array: &'a dyn Array, rows: Range<usize>) -> Result<Cells<'a>, Error> {
        let source = ByteRows::of(array).ok_or_else(|| Error::layout("strings", array.data_type()))?;
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        let is_null = |row| nulls.is_some_and(|nulls| nulls.is_null(row));
        self.spans.clear();
        if let ByteRows::Small(offsets, data) = source {
            let offsets = offsets.get(rows.start..=rows.end).unwrap_or_default();
            self.spans.extend(offsets.windows(2).map(|pair| Span {
                start: pair[0].cast_unsigned(),
                len: pair[1] - pair[0],
            }));
            if nulls.is_some() {
                for (span, row) in self.spans.iter_mut().zip(rows) {
                    if is_null(row) {
                        *span = Span::NULL;
                    }
                }
            }
            return Ok(Cells {
                data,
                spans: &self.spans,
            });
        }
        self.scratch.clear();
        for row in rows {
            if is_null(row) {
                self.scratch.push_null();
            } else {
                self.scratch.push(|out| {
                    out.extend_from_slice(source.get(row));
                    Ok(())
                })?;
            }
        }
        Ok(self.scratch.cells())
    }
}

/// Rewrites each value with a function that appends.
struct Rewritten<F> {
    write: F,
    scratch: Scratch,
}

/// An encoder of string or binary values that `write` appends in another form.
pub(crate) fn rewritten(
    write: impl FnMut(&[u8], &mut Vec<u8>) -> Result<(), Error> + Send + 'static,
) -> Box<dyn Encode> {
    Box::new(Rewritten {
        write,
        scratch: Scratch::default(),
    })
}

impl<F: FnMut(&[u8], &mut Vec<u8>) -> Result<(), Error> + Send> Encode for Rewritten<F> {
    fn fill<'a>(&'a mut self, array: &'a dyn Array, rows: Range<usize>) -> Result<Cells<'a>, Error> {
        let source = ByteRows::of(array).ok_or_else(|| Error::layout("strings", array.data_type()))?;
        self.scratch.clear();
        for row in rows {
            if array.is_null(row) {
                self.scratch.push_null();
            } else {
                self.scratch.push(|out| (self.write)(source.get(row), out))?;
            }
        }
        Ok(self.scratch.cells())
    }
}

/// Enumerations and other dictionaries with keys of type `K`: a value is looked up, then sent by `inner`.
pub(crate) struct Dictionary<K> {
    inner: Box<dyn Encode>,
    spans: Vec<Span>,
    keys: std::marker::PhantomData<K>,
}

impl<K: ArrowDictionaryKeyType> Dictionary<K> {
    pub(crate) fn new(inner: Box<dyn Encode>) -> Self {
        Self {
            inner,
            spans: Vec::new(),
            keys: std::marker::PhantomData,
        }
    }
}

impl<K: ArrowDictionaryKeyType + Send> Encode for Dictionary<K> {
    fn fill<'a>(&'a mut self, array: &'a dyn Array, rows: Range<usize>) -> Result<Cells<'a>, Error> {
        use arrow_buffer::ArrowNativeType as _;
        let dictionary = array
            .as_dictionary_opt::<K>()
            .ok_or_else(|| Error::layout("a dictionary", array.data_type()))?;
        let values = dictionary.values();
        let keys: &PrimitiveArray<K> = dictionary.keys();
        // Only the part of the dictionary that these rows use, so that large dictionaries do not cost more than their rows.
        let used = |row: &usize| keys.is_valid(*row);
        let (mut low, mut high) = (usize::MAX, 0);
        for row in rows.clone().filter(used) {
            let key = keys.value(row).as_usize();
            low = low.min(key);
            high = high.max(key + 1);
        }
        let low = low.min(high);
        let cells = self.inner.fill(values.as_ref(), low..high)?;
        self.spans.clear();
        for row in rows {
            let span = if keys.is_valid(row) {
                cells.spans.get(keys.value(row).as_usize() - low).copied()
            } else {
                None
            };
            self.spans.push(span.unwrap_or(Span::NULL));
        }
        Ok(Cells {
            data: cells.data,
            spans: &self.spans,
        })
    }
}

/// `bytea` with `bytea_output = hex`.
pub(crate) fn hex(value: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.reserve(2 + 2 * value.len());
    out.extend_from_slice(b"\\x");
    for &byte in value {
        out.extend_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

/// `bytea` with `bytea_output = escape`.
pub(crate) fn escape(value: &[u8], out: &mut Vec<u8>) {
    for &byte in value {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x20..=0x7e => out.push(byte),
            _ => out.extend_from_slice(&[b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)]),
        }
    }
}
