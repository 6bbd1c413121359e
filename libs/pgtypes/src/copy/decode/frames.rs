//! Where the rows of a binary `COPY` end (manual, "COPY", "Binary Format").

use crate::copy::{CopyProblem, SIGNATURE};

/// Flag bit 16: rows have OIDs, which no server writes any more.
const OIDS: u32 = 1 << 16;

/// What is at the beginning of some data.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Not enough of it.
    More,
    /// So many bytes that say nothing of rows.
    Skip(usize),
    /// A row of so many bytes.
    Row(usize),
    /// The trailer, of so many bytes.
    Trailer(usize),
}

/// Looks for ends of rows.
#[derive(Debug)]
pub(super) struct Frames {
    columns: usize,
    state: State,
}

/// What comes next.
#[derive(Debug, Clone, Copy)]
enum State {
    /// Signature, flags, extension's length; then its bytes.
    Head,
    /// So many bytes of the extension; then rows.
    Extension(usize),
    /// A row or the trailer; then nothing.
    Rows,
    /// Nothing.
    End,
}

/// Why a row's bytes cannot be read, and at which column, if at one.
pub(super) type AtColumn = (CopyProblem, Option<usize>);

impl Frames {
    pub(super) fn new(columns: usize) -> Self {
        let state = State::Head;
        Self { columns, state }
    }

    /// Whether the head has been read.
    pub(super) fn is_past_head(&self) -> bool {
        matches!(self.state, State::Rows | State::End)
    }

    /// What `data` begins with; `complete` says that nothing follows it.
    pub(super) fn next(&mut self, data: &[u8], complete: bool) -> Result<Frame, AtColumn> {
        match self.state {
            State::Head => self.head(data, complete).map_err(|problem| (problem, None)),
            State::Extension(0) => {
                self.state = State::Rows;
                self.next(data, complete)
            }
            State::Extension(_) if data.is_empty() && complete => {
                Err((CopyProblem::Header("invalid COPY file header (wrong length)"), None))
            }
            State::Extension(left) => {
                let here = left.min(data.len());
                self.state = State::Extension(left - here);
                Ok(if here == 0 { Frame::More } else { Frame::Skip(here) })
            }
            State::Rows => self.row(data, complete),
            State::End if data.is_empty() => Ok(Frame::More),
            State::End => Err((CopyProblem::AfterEnd, None)),
        }
    }

    fn head(&mut self, data: &[u8], complete: bool) -> Result<Frame, CopyProblem> {
        let signed = data.len().min(SIGNATURE.len());
        if data[..signed] != SIGNATURE[..signed] {
            return Err(CopyProblem::Signature);
        }
        let Some((flags, rest)) = data.get(SIGNATURE.len()..).and_then(word) else {
            return match complete {
                true if signed < SIGNATURE.len() => Err(CopyProblem::Signature),
                true => Err(CopyProblem::Header("invalid COPY file header (missing flags)")),
                false => Ok(Frame::More),
            };
        };
        let flags = flags.cast_unsigned();
        if flags & OIDS != 0 {
            return Err(CopyProblem::Header("invalid COPY file header (WITH OIDS)"));
        }
        if flags >> 16 != 0 {
            return Err(CopyProblem::Header("unrecognized critical flags in COPY file header"));
        }
        let missing = CopyProblem::Header("invalid COPY file header (missing length)");
        match word(rest) {
            Some((length, _)) => {
                self.state = State::Extension(usize::try_from(length).map_err(|_| missing)?);
                Ok(Frame::Skip(SIGNATURE.len() + 8))
            }
            None if complete => Err(missing),
            None => Ok(Frame::More),
        }
    }

    fn row(&mut self, data: &[u8], complete: bool) -> Result<Frame, AtColumn> {
        // As in PostgreSQL, the data may end without its trailer, even inside a row's count.
        let Some((count, mut rest)) = data.split_first_chunk::<2>() else {
            return Ok(if complete { Frame::Skip(data.len()) } else { Frame::More });
        };
        let count = i16::from_be_bytes(*count);
        if count == -1 {
            self.state = State::End;
            return Ok(Frame::Trailer(2));
        }
        if usize::try_from(count).ok() != Some(self.columns) {
            let (got, expected) = (count, self.columns);
            return Err((CopyProblem::FieldCount { got, expected }, None));
        }
        for column in 0..self.columns {
            let at_column = |problem| (problem, Some(column));
            let short = || {
                if complete {
                    Err(at_column(CopyProblem::Ended))
                } else {
                    Ok(Frame::More)
                }
            };
            let Some((length, after)) = word(rest) else {
                return short();
            };
            rest = after;
            if length == -1 {
                continue;
            }
            let length = usize::try_from(length).map_err(|_| at_column(CopyProblem::FieldSize))?;
            let Some(after) = rest.get(length..) else {
                return short();
            };
            rest = after;
        }
        Ok(Frame::Row(data.len() - rest.len()))
    }
}

/// The values of a whole row.
pub(super) fn values(row: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    let mut rest = row.get(2..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (length, after) = word(rest)?;
        let length = usize::try_from(length).ok();
        let (value, after) = after.split_at_checked(length.unwrap_or(0))?;
        rest = after;
        Some(length.map(|_| value))
    })
}

fn word(data: &[u8]) -> Option<(i32, &[u8])> {
    let (word, rest) = data.split_first_chunk::<4>()?;
    Some((i32::from_be_bytes(*word), rest))
}
