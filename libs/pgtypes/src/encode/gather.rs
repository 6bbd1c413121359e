//! Assembles columns' cells into `DataRow` messages (manual, "Message Formats").

use super::cells::Cells;
use super::fixed::BLOCK;
use crate::Error;

/// Type byte, length, column count.
const HEAD: usize = 7;

/// Appends `rows` messages.
pub(crate) fn data_rows(columns: &[Cells<'_>], rows: usize, out: &mut Vec<u8>) -> Result<(), Error> {
    let count = u16::try_from(columns.len()).map_err(|_| Error::TooLarge)?;
    let values: usize = columns.iter().map(bytes).sum();
    let total = values + rows * (HEAD + 4 * columns.len());
    let before = out.len();
    out.resize(before + total + BLOCK, 0);
    let buffer = &mut out[before..];
    let mut at = 0;
    for row in 0..rows {
        let head = at;
        at += HEAD;
        for column in columns {
            let span = column.spans[row];
            buffer[at..at + 4].copy_from_slice(&span.len.to_be_bytes());
            at += 4;
            if let Ok(len) = usize::try_from(span.len) {
                copy(column.data, span.start as usize, len, buffer, at);
                at += len;
            }
        }
        let len = i32::try_from(at - head - 1).map_err(|_| Error::TooLarge)?;
        buffer[head] = b'D';
        buffer[head + 1..head + 5].copy_from_slice(&len.to_be_bytes());
        buffer[head + 5..head + 7].copy_from_slice(&count.to_be_bytes());
    }
    out.truncate(before + at);
    Ok(())
}

fn bytes(column: &Cells<'_>) -> usize {
    column
        .spans
        .iter()
        .map(|span| usize::try_from(span.len).unwrap_or(0))
        .sum()
}

/// Copies a value. Short ones are copied as a whole block, whose rest the next value overwrites: a copy of constant size
/// is a few instructions, one of variable size a call.
#[inline]
pub(crate) fn copy(data: &[u8], start: usize, len: usize, buffer: &mut [u8], at: usize) {
    if len <= BLOCK
        && let Some(from) = data.get(start..start + BLOCK)
        && let Some(to) = buffer.get_mut(at..at + BLOCK)
    {
        to.copy_from_slice(from);
    } else {
        buffer[at..at + len].copy_from_slice(&data[start..start + len]);
    }
}
