//! Arrays: the engine's lists, nested to any depth, as `PostgreSQL`'s arrays of the innermost element.

use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::cells::{Cells, Encode, Scratch};
use crate::Error;

/// `PostgreSQL`'s `MAXDIM`.
pub(crate) const MAX_DIMENSIONS: usize = 6;

/// How an array's elements are put together.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ListForm {
    /// `{a,"b c",NULL}`
    Text,
    /// `array_send` with the element's OID.
    Binary(u32),
    /// `int2vector` and `oidvector` as text: elements with spaces between.
    VectorText,
    /// `int2vector` and `oidvector` in binary: as an array, counted from 0.
    VectorBinary(u32),
    /// A JSON array.
    Json,
}

/// Encodes lists whose innermost element `element` encodes.
pub(crate) struct List {
    element: Box<dyn Encode>,
    depth: usize,
    form: ListForm,
    shape: Shape,
    ends: Vec<([usize; MAX_DIMENSIONS], usize)>,
    scratch: Scratch,
}

/// The leaves of the rows walked so far, as ranges of the innermost array.
#[derive(Default)]
struct Shape {
    leaves: Vec<Range<usize>>,
}

const UNKNOWN: usize = usize::MAX;

impl List {
    /// For lists of `depth` levels.
    pub(crate) fn new(element: Box<dyn Encode>, depth: usize, form: ListForm) -> Result<Self, Error> {
        if depth > MAX_DIMENSIONS {
            return Err(Error::TooManyDimensions { count: depth });
        }
        Ok(Self {
            element,
            depth,
            form,
            shape: Shape::default(),
            ends: Vec::new(),
            scratch: Scratch::default(),
        })
    }
}

impl Encode for List {
    fn fill<'a>(&'a mut self, array: &'a dyn Array, rows: Range<usize>) -> Result<Cells<'a>, Error> {
        self.shape.leaves.clear();
        self.ends.clear();
        self.scratch.clear();
        for row in rows.clone() {
            let mut dims = [UNKNOWN; MAX_DIMENSIONS];
            if array.is_valid(row) {
                self.shape.walk(array, row, 0, self.depth, &mut dims)?;
            }
            self.ends.push((dims, self.shape.leaves.len()));
        }
        let low = self.shape.leaves.iter().map(|leaf| leaf.start).min().unwrap_or(0);
        let high = self.shape.leaves.iter().map(|leaf| leaf.end).max().unwrap_or(low);
        let innermost = innermost(array, self.depth)?;
        let cells = self.element.fill(innermost.as_ref(), low..high)?;
        let mut first = 0;
        for (row, &(dims, end)) in rows.zip(&self.ends) {
            if array.is_null(row) {
                self.scratch.push_null();
                continue;
            }
            let leaves = self.shape.leaves.get(first..end).unwrap_or_default();
            first = end;
            let elements = leaves.iter().cloned().flatten().map(|leaf| cells.get(leaf - low));
            let dims = &dims[..self.depth];
            self.scratch.push(|out| match self.form {
                ListForm::Text => {
                    text(dims, elements, out);
                    Ok(())
                }
                ListForm::Binary(oid) => binary(oid, 1, dims, elements, out),
                ListForm::VectorBinary(oid) => binary(oid, 0, dims, elements, out),
                ListForm::VectorText => {
                    separated(b" ", b"", elements, out);
                    Ok(())
                }
                ListForm::Json => {
                    out.push(b'[');
                    separated(b",", b"null", elements, out);
                    out.push(b']');
                    Ok(())
                }
            })?;
        }
        Ok(self.scratch.cells())
    }
}

impl Shape {
    /// Notes the dimensions and leaves of one list; refuses what is no rectangle.
    fn walk(
        &mut self,
        lists: &dyn Array,
        row: usize,
        level: usize,
        depth: usize,
        dims: &mut [usize; MAX_DIMENSIONS],
    ) -> Result<(), Error> {
        if lists.is_null(row) {
            return Err(Error::RaggedArray);
        }
        let (children, range) = children(lists, row)?;
        if dims[level] != UNKNOWN && dims[level] != range.len() {
            return Err(Error::RaggedArray);
        }
        dims[level] = range.len();
        if level + 1 == depth {
            self.leaves.push(range);
            return Ok(());
        }
        for child in range {
            self.walk(children.as_ref(), child, level + 1, depth, dims)?;
        }
        Ok(())
    }
}

/// The values of a list array and which of them belong to a row.
pub(crate) fn children(lists: &dyn Array, row: usize) -> Result<(&ArrayRef, Range<usize>), Error> {
    let found = match lists.data_type() {
        DataType::List(_) => lists.as_list_opt::<i32>().and_then(|list| {
            let offsets = list.value_offsets();
            Some((list.values(), index(offsets[row])?..index(offsets[row + 1])?))
        }),
        DataType::LargeList(_) => lists.as_list_opt::<i64>().and_then(|list| {
            let offsets = list.value_offsets();
            Some((list.values(), index(offsets[row])?..index(offsets[row + 1])?))
        }),
        DataType::ListView(_) => lists.as_list_view_opt::<i32>().and_then(|list| {
            let (start, len) = (index(list.value_offset(row))?, index(list.value_size(row))?);
            Some((list.values(), start..start + len))
        }),
        DataType::LargeListView(_) => lists.as_list_view_opt::<i64>().and_then(|list| {
            let (start, len) = (index(list.value_offset(row))?, index(list.value_size(row))?);
            Some((list.values(), start..start + len))
        }),
        DataType::FixedSizeList(..) => lists.as_fixed_size_list_opt().and_then(|list| {
            let (start, len) = (index(list.value_offset(row))?, index(list.value_length())?);
            Some((list.values(), start..start + len))
        }),
        _ => None,
    };
    found.ok_or_else(|| Error::layout("a list", lists.data_type()))
}

fn index(value: impl TryInto<usize>) -> Option<usize> {
    value.try_into().ok()
}

/// The values of a list array, whatever the rows.
fn values(lists: &dyn Array) -> Result<&ArrayRef, Error> {
    let found = match lists.data_type() {
        DataType::List(_) => lists.as_list_opt::<i32>().map(arrow_array::GenericListArray::values),
        DataType::LargeList(_) => lists.as_list_opt::<i64>().map(arrow_array::GenericListArray::values),
        DataType::ListView(_) => lists
            .as_list_view_opt::<i32>()
            .map(arrow_array::GenericListViewArray::values),
        DataType::LargeListView(_) => lists
            .as_list_view_opt::<i64>()
            .map(arrow_array::GenericListViewArray::values),
        DataType::FixedSizeList(..) => lists
            .as_fixed_size_list_opt()
            .map(arrow_array::FixedSizeListArray::values),
        _ => None,
    };
    found.ok_or_else(|| Error::layout("a list", lists.data_type()))
}

fn innermost(array: &dyn Array, depth: usize) -> Result<&ArrayRef, Error> {
    let mut inner = values(array)?;
    for _ in 1..depth {
        inner = values(inner.as_ref())?;
    }
    Ok(inner)
}

/// Whether an array literal's element must be quoted (`array_out`).
fn needs_quotes(element: &[u8]) -> bool {
    element.is_empty()
        || element.eq_ignore_ascii_case(b"NULL")
        || element
            .iter()
            .any(|b| matches!(b, b'"' | b'\\' | b'{' | b'}' | b',' | b' ' | b'\t'..=b'\r'))
}

fn text<'e>(dims: &[usize], elements: impl Iterator<Item = Option<&'e [u8]>>, out: &mut Vec<u8>) {
    if dims.iter().any(|&len| len == 0 || len == UNKNOWN) {
        out.extend_from_slice(b"{}");
        return;
    }
    let strides: Vec<usize> = (0..dims.len()).map(|level| dims[level..].iter().product()).collect();
    let braces = |position: usize| {
        strides
            .iter()
            .filter(|&&stride| position.is_multiple_of(stride))
            .count()
    };
    for (position, element) in elements.enumerate() {
        if position > 0 {
            out.push(b',');
        }
        out.extend(std::iter::repeat_n(b'{', braces(position)));
        match element {
            None => out.extend_from_slice(b"NULL"),
            Some(bytes) if needs_quotes(bytes) => {
                out.push(b'"');
                for &b in bytes {
                    if matches!(b, b'"' | b'\\') {
                        out.push(b'\\');
                    }
                    out.push(b);
                }
                out.push(b'"');
            }
            Some(bytes) => out.extend_from_slice(bytes),
        }
        out.extend(std::iter::repeat_n(b'}', braces(position + 1)));
    }
}

fn binary<'e>(
    element_oid: u32,
    lower_bound: i32,
    dims: &[usize],
    elements: impl Iterator<Item = Option<&'e [u8]>> + Clone,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let empty = dims.iter().any(|&len| len == 0 || len == UNKNOWN);
    // The vector types stay one-dimensional when they are empty.
    let dims = if empty && lower_bound == 1 { &[] } else { dims };
    let has_null = elements.clone().any(|element| element.is_none());
    out.extend_from_slice(&length(dims.len())?.to_be_bytes());
    out.extend_from_slice(&i32::from(has_null).to_be_bytes());
    out.extend_from_slice(&element_oid.to_be_bytes());
    for &dim in dims {
        out.extend_from_slice(&length(dim)?.to_be_bytes());
        out.extend_from_slice(&lower_bound.to_be_bytes());
    }
    for element in elements {
        put_element(element, out)?;
    }
    Ok(())
}

/// Appends a value as arrays, records and rows have it: a length, −1 for NULL, then the bytes.
pub(crate) fn put_element(element: Option<&[u8]>, out: &mut Vec<u8>) -> Result<(), Error> {
    let Some(bytes) = element else {
        out.extend_from_slice(&(-1_i32).to_be_bytes());
        return Ok(());
    };
    out.extend_from_slice(&length(bytes.len())?.to_be_bytes());
    out.extend_from_slice(bytes);
    Ok(())
}

fn length(len: usize) -> Result<i32, Error> {
    i32::try_from(len).map_err(|_| Error::TooLarge)
}

fn separated<'e>(separator: &[u8], null: &[u8], elements: impl Iterator<Item = Option<&'e [u8]>>, out: &mut Vec<u8>) {
    for (position, element) in elements.enumerate() {
        if position > 0 {
            out.extend_from_slice(separator);
        }
        out.extend_from_slice(element.unwrap_or(null));
    }
}
