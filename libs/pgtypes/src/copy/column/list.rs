//! Lists: arrays of `PostgreSQL`, whose dimensions must be the column's.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef};

use super::Column;
use super::sink::Sink;
use crate::params::ParamValue;
use crate::{ArrayValue, Error};

/// Nested lists of one element type.
pub(super) struct List {
    elements: Box<dyn Column>,
    /// The members' fields of each level, outermost first.
    items: Vec<FieldRef>,
    /// Where the lists of each level end, outermost first.
    ends: Vec<Vec<i32>>,
    nulls: NullBufferBuilder,
}

impl List {
    pub(super) fn new(elements: Box<dyn Column>, depth: usize) -> Self {
        let mut items = vec![Arc::new(elements.field("item"))];
        for _ in 1..depth {
            let list = DataType::List(Arc::clone(&items[0]));
            items.insert(0, Arc::new(Field::new("item", list, true)));
        }
        Self {
            elements,
            items,
            ends: vec![vec![0]; depth],
            nulls: NullBufferBuilder::new(0),
        }
    }

    fn add(&mut self, array: &ArrayValue) -> Result<(), Error> {
        let mut count = 1;
        for (level, length) in array.dims.iter().enumerate() {
            self.close(level, count, *length)?;
            count *= length;
        }
        if array.dims.is_empty() {
            self.close(0, 1, 0)?;
        }
        array
            .values
            .iter()
            .try_for_each(|value| self.elements.value(value.clone()))
    }

    /// Ends `count` lists of a level, each of `length` members.
    fn close(&mut self, level: usize, count: usize, length: usize) -> Result<(), Error> {
        let length = i32::try_from(length).map_err(|_| Error::TooLarge)?;
        let ends = &mut self.ends[level];
        let mut end = ends.last().copied().unwrap_or(0);
        for _ in 0..count {
            end = end.checked_add(length).ok_or(Error::TooLarge)?;
            ends.push(end);
        }
        Ok(())
    }
}

impl Sink for List {
    fn field(&self, name: &str) -> Field {
        Field::new(name, DataType::List(Arc::clone(&self.items[0])), true)
    }

    fn fast(&mut self, _: &str) -> bool {
        false
    }

    fn push(&mut self, value: ParamValue, _: u32) -> Result<(), Error> {
        let ParamValue::Array(array) = &value else {
            return Err(Error::layout("an array", &value));
        };
        if !array.dims.is_empty() && array.dims.len() != self.ends.len() {
            return Err(Error::Dimensions {
                got: array.dims.len(),
                expected: self.ends.len(),
            });
        }
        self.add(array)?;
        self.nulls.append_non_null();
        Ok(())
    }

    fn null(&mut self) {
        let ends = &mut self.ends[0];
        ends.push(ends.last().copied().unwrap_or(0));
        self.nulls.append_null();
    }

    fn finish(&mut self) -> ArrayRef {
        let mut array = self.elements.finish();
        let mut nulls = self.nulls.finish();
        for (level, ends) in self.ends.iter_mut().enumerate().rev() {
            let offsets = OffsetBuffer::new(std::mem::replace(ends, vec![0]).into());
            let own = if level == 0 { nulls.take() } else { None };
            array = Arc::new(ListArray::new(Arc::clone(&self.items[level]), offsets, array, own));
        }
        array
    }
}
