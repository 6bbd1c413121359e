//! Where the lines of text and CSV end (`CopyReadLineText`).
//!
//! Works on bytes that may end anywhere: it then says that more is needed, and goes on where it was.

use memchr::{memchr2, memchr3};

use crate::copy::{CopyOptions, CopyProblem};

/// A line found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Its length without what ends it.
    pub(super) len: usize,
    /// Where the next one begins.
    pub(super) next: usize,
    /// Whether the data ends with it, though bytes may follow.
    pub(super) is_last: bool,
}

/// Looks for ends of lines.
#[derive(Debug)]
pub(super) struct Lines {
    style: Style,
    end: LineEnd,
    /// Bytes of the present line that were looked at.
    at: usize,
    in_quote: bool,
    /// Whether the byte before was an escape that escapes.
    escaped: bool,
    /// Line ends inside quotes of the present line.
    pub(super) inner: u64,
}

#[derive(Debug, Clone, Copy)]
enum Style {
    Text,
    /// Quote and escape; one byte where they are the same.
    Csv(u8, Option<u8>),
}

/// What ends lines, by the first line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    Unknown,
    Newline,
    Return,
    Both,
}

/// What a look around some byte gives.
enum Look {
    /// More bytes are needed.
    More,
    /// Nothing; goes on there.
    On(usize),
    /// The line's end.
    End(Line),
}

impl Lines {
    pub(super) fn text() -> Self {
        Self::new(Style::Text)
    }

    pub(super) fn csv(options: &CopyOptions) -> Self {
        let escape = (options.escape != options.quote).then_some(options.escape);
        Self::new(Style::Csv(options.quote, escape))
    }

    fn new(style: Style) -> Self {
        Self {
            style,
            end: LineEnd::Unknown,
            at: 0,
            in_quote: false,
            escaped: false,
            inner: 0,
        }
    }

    /// The line at the beginning of `data`, if its end is there; `complete` says that nothing follows `data`.
    pub(super) fn next(&mut self, data: &[u8], complete: bool) -> Result<Option<Line>, CopyProblem> {
        let found = match self.style {
            Style::Text => self.text_line(data, complete)?,
            Style::Csv(quote, escape) => self.csv_line(data, complete, quote, escape)?,
        };
        if found.is_some() {
            (self.at, self.in_quote, self.escaped) = (0, false, false);
        }
        Ok(found)
    }

    fn text_line(&mut self, data: &[u8], complete: bool) -> Result<Option<Line>, CopyProblem> {
        loop {
            let Some(offset) = memchr3(b'\n', b'\r', b'\\', &data[self.at..]) else {
                return Ok(self.rest(data, complete));
            };
            let at = self.at + offset;
            let look = match data[at] {
                b'\\' => self.backslash(data, at, complete)?,
                byte => self.line_end(data, at, byte, complete)?,
            };
            match look {
                Look::On(next) => self.at = next,
                Look::End(line) => return Ok(Some(line)),
                Look::More => {
                    self.at = at;
                    return Ok(None);
                }
            }
        }
    }

    fn csv_line(
        &mut self,
        data: &[u8],
        complete: bool,
        quote: u8,
        escape: Option<u8>,
    ) -> Result<Option<Line>, CopyProblem> {
        if self.at == 0 && data.first() == Some(&b'\\') {
            match self.csv_marker(data, complete)? {
                Look::More => return Ok(None),
                Look::End(line) => return Ok(Some(line)),
                Look::On(_) => {}
            }
        }
        while let Some(offset) = self.skip(&data[self.at..], quote, escape) {
            let at = self.at + offset;
            let byte = data[at];
            if !self.in_quote && matches!(byte, b'\n' | b'\r') {
                match self.line_end(data, at, byte, complete)? {
                    Look::End(line) => return Ok(Some(line)),
                    Look::More | Look::On(_) => {
                        self.at = at;
                        return Ok(None);
                    }
                }
            }
            self.csv_byte(byte, quote, escape);
            self.at = at + 1;
        }
        Ok(self.rest(data, complete))
    }

    /// How many bytes can be stepped over.
    fn skip(&self, rest: &[u8], quote: u8, escape: Option<u8>) -> Option<usize> {
        match escape {
            // After an escape the next byte counts, whatever it is.
            Some(_) if self.in_quote && self.escaped => (!rest.is_empty()).then_some(0),
            Some(escape) if self.in_quote => memchr3(quote, escape, self.inner_end(), rest),
            _ if self.in_quote => memchr2(quote, self.inner_end(), rest),
            _ => memchr3(quote, b'\n', b'\r', rest),
        }
    }

    fn csv_byte(&mut self, byte: u8, quote: u8, escape: Option<u8>) {
        if self.in_quote && Some(byte) == escape {
            self.escaped = !self.escaped;
        }
        if byte == quote && !self.escaped {
            self.in_quote = !self.in_quote;
        }
        if Some(byte) != escape {
            self.escaped = false;
        }
        if self.in_quote && byte == self.inner_end() {
            self.inner += 1;
        }
    }

    /// The byte by which lines inside quotes are counted.
    fn inner_end(&self) -> u8 {
        if self.end == LineEnd::Newline { b'\n' } else { b'\r' }
    }

    /// A line that nothing ends, once all is there.
    fn rest(&mut self, data: &[u8], complete: bool) -> Option<Line> {
        self.at = data.len();
        (complete && !data.is_empty()).then_some(Line {
            len: data.len(),
            next: data.len(),
            is_last: true,
        })
    }

    /// A newline or carriage return outside quotes.
    fn line_end(&mut self, data: &[u8], at: usize, byte: u8, complete: bool) -> Result<Look, CopyProblem> {
        let wrong = |newline| CopyProblem::LineEnd {
            newline,
            csv: matches!(self.style, Style::Csv(..)),
        };
        let mut next = at + 1;
        if byte == b'\n' {
            if matches!(self.end, LineEnd::Return | LineEnd::Both) {
                return Err(wrong(true));
            }
            self.end = LineEnd::Newline;
        } else if matches!(self.end, LineEnd::Unknown | LineEnd::Both) {
            match data.get(next) {
                None if !complete => return Ok(Look::More),
                Some(b'\n') => {
                    next += 1;
                    self.end = LineEnd::Both;
                }
                _ if self.end == LineEnd::Both => return Err(wrong(false)),
                _ => self.end = LineEnd::Return,
            }
        } else if self.end == LineEnd::Newline {
            return Err(wrong(false));
        }
        Ok(Look::End(Line {
            len: at,
            next,
            is_last: false,
        }))
    }

    /// A backslash in text: what follows it is no special byte, but `\.` ends the data.
    fn backslash(&self, data: &[u8], at: usize, complete: bool) -> Result<Look, CopyProblem> {
        match data.get(at + 1) {
            None if complete => Ok(Look::On(at + 1)),
            None => Ok(Look::More),
            Some(b'.') => {
                let look = self.marker(data, at, complete)?;
                match look {
                    Look::On(_) => Err(CopyProblem::MarkerCorrupt),
                    look => Ok(look),
                }
            }
            Some(_) => Ok(Look::On(at + 2)),
        }
    }

    /// `\.` alone on a line of CSV ends the data; anything else that begins so is a value.
    fn csv_marker(&self, data: &[u8], complete: bool) -> Result<Look, CopyProblem> {
        match data.get(1) {
            None if !complete => Ok(Look::More),
            Some(b'.') => match self.marker(data, 0, complete) {
                Err(CopyProblem::MarkerNewline) if self.end == LineEnd::Both && data.get(2) == Some(&b'\n') => {
                    Ok(Look::On(0))
                }
                look => look,
            },
            _ => Ok(Look::On(0)),
        }
    }

    /// Whether `\.` at `at` is followed by a line's end; `On` where it is not.
    fn marker(&self, data: &[u8], at: usize, complete: bool) -> Result<Look, CopyProblem> {
        let mut after = at + 2;
        let byte = |index: usize| match data.get(index) {
            Some(byte) => Some(*byte),
            // PostgreSQL reads a zero behind the end, too.
            None => complete.then_some(0),
        };
        if self.end == LineEnd::Both {
            match byte(after) {
                None => return Ok(Look::More),
                Some(b'\r') => after += 1,
                Some(b'\n') => return Err(CopyProblem::MarkerNewline),
                Some(_) => return Ok(Look::On(at)),
            }
        }
        let Some(last) = byte(after) else { return Ok(Look::More) };
        let fits = match self.end {
            LineEnd::Newline | LineEnd::Both => last == b'\n',
            LineEnd::Return => last == b'\r',
            LineEnd::Unknown => true,
        };
        match last {
            b'\r' | b'\n' if fits => Ok(Look::End(Line {
                len: at,
                next: after + 1,
                is_last: true,
            })),
            b'\r' | b'\n' => Err(CopyProblem::MarkerNewline),
            _ => Ok(Look::On(at)),
        }
    }
}
