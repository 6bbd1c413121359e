//! Encoders of values that fit into a few bytes: every value gets a cell of `W` bytes and a place inside it.

use std::marker::PhantomData;
use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrowPrimitiveType};

use super::cells::{Cells, Encode, Span};
use crate::Error;

/// The bytes of a cell that are the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) start: u32,
    pub(crate) len: i32,
}

impl Piece {
    /// `start..end` of a cell, which is never longer than a few hundred bytes.
    #[inline]
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "cells are short"
    )]
    pub(crate) const fn new(start: usize, end: usize) -> Self {
        Self {
            start: start as u32,
            len: (end - start) as i32,
        }
    }

    /// Its bytes in its cell.
    pub(crate) fn of(self, cell: &[u8]) -> Option<&[u8]> {
        let (start, len) = (self.start as usize, usize::try_from(self.len).ok()?);
        cell.get(start..start + len)
    }
}

/// An array whose values lie side by side.
pub(crate) trait Source: Send + 'static {
    type Item: Copy;
    fn values(array: &dyn Array) -> Option<&[Self::Item]>;
}

/// Primitive arrays.
pub(crate) struct Prim<A>(PhantomData<A>);

impl<A: ArrowPrimitiveType + Send> Source for Prim<A> {
    type Item = A::Native;

    fn values(array: &dyn Array) -> Option<&[A::Native]> {
        array.as_primitive_opt::<A>().map(|array| array.values().as_ref())
    }
}

/// Fixed-size binary arrays of `N` bytes a value.
pub(crate) struct Raw<const N: usize>;

impl<const N: usize> Source for Raw<N> {
    type Item = [u8; N];

    fn values(array: &dyn Array) -> Option<&[[u8; N]]> {
        let array = array.as_fixed_size_binary_opt()?;
        let size = usize::try_from(array.value_length()).ok()?;
        (size == N).then(|| array.value_data().as_chunks::<N>().0)
    }
}

/// Writes each value of `S` into a cell of `W` bytes with `F`.
struct Fixed<S, F, const W: usize> {
    write: F,
    data: Vec<u8>,
    spans: Vec<Span>,
    source: PhantomData<S>,
}

/// Row assemblers copy short values in blocks of this size, so that many bytes follow the last cell.
pub(crate) const BLOCK: usize = 32;

/// An encoder that writes each value with `write`, which returns where in the cell the value is.
pub(crate) fn fixed<S, const W: usize>(
    write: impl FnMut(S::Item, &mut [u8; W]) -> Result<Piece, Error> + Send + 'static,
) -> Box<dyn Encode>
where
    S: Source,
{
    Box::new(Fixed::<S, _, W> {
        write,
        data: Vec::new(),
        spans: Vec::new(),
        source: PhantomData,
    })
}

impl<S, F, const W: usize> Encode for Fixed<S, F, W>
where
    S: Source,
    F: FnMut(S::Item, &mut [u8; W]) -> Result<Piece, Error> + Send,
{
    fn fill<'a>(&'a mut self, array: &'a dyn Array, rows: Range<usize>) -> Result<Cells<'a>, Error> {
        let values = S::values(array).and_then(|values| values.get(rows.clone()));
        let values = values.ok_or_else(|| Error::layout("values of fixed width", array.data_type()))?;
        let needed = values.len() * W + BLOCK;
        if self.data.len() < needed {
            self.data.resize(needed, 0);
        }
        self.spans.clear();
        self.spans.resize(values.len(), Span::NULL);
        let (cells, _) = self.data.as_chunks_mut::<W>();
        let places = cells.iter_mut().zip(&mut self.spans).zip((0..).step_by(W));
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        for ((index, &value), ((cell, span), base)) in values.iter().enumerate().zip(places) {
            if nulls.is_some_and(|nulls| nulls.is_null(rows.start + index)) {
                continue;
            }
            let piece = (self.write)(value, cell)?;
            *span = Span {
                start: base + piece.start,
                len: piece.len,
            };
        }
        Ok(Cells {
            data: &self.data,
            spans: &self.spans,
        })
    }
}
