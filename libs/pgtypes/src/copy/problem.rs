//! What can be wrong with the bytes of a `COPY`, in `PostgreSQL`'s words.

use pintail_sqlstate::SqlState;

/// Why `COPY` data cannot be read, or an option not be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CopyProblem {
    /// A row with too many values.
    #[error("extra data after last expected column")]
    ExtraData,
    /// A row with too few.
    #[error("missing data for column \"{column}\"")]
    MissingData {
        /// The first column without one.
        column: String,
    },
    /// A carriage return or newline that is neither data nor the end of a line as the lines before had it.
    #[error("{} {} found in data", if *csv { "unquoted" } else { "literal" }, if *newline { "newline" } else { "carriage return" })]
    LineEnd {
        /// A newline, else a carriage return.
        newline: bool,
        /// CSV, else text.
        csv: bool,
    },
    /// `\.` with something behind it.
    #[error("end-of-copy marker corrupt")]
    MarkerCorrupt,
    /// `\.` with another line end than the lines before.
    #[error("end-of-copy marker does not match previous newline style")]
    MarkerNewline,
    /// Quotes that are not closed.
    #[error("unterminated CSV quoted field")]
    OpenQuote,
    /// A header line with another number of names.
    #[error("wrong number of fields in header line: got {got}, expected {expected}")]
    HeaderCount {
        /// Names there are.
        got: usize,
        /// Columns there are.
        expected: usize,
    },
    /// A header line with another name.
    #[error("column name mismatch in header line field {field}: got {got}, expected \"{expected}\"")]
    HeaderName {
        /// From 1.
        field: usize,
        /// The name, quoted, or `null value` and how it is written.
        got: String,
        /// The column's.
        expected: String,
    },
    /// A row or value beyond what a session may hold in memory.
    #[error("out of memory")]
    RowTooLong,
    /// Binary data that does not begin as such.
    #[error("COPY file signature not recognized")]
    Signature,
    /// A binary header that ends early or says what nobody understands.
    #[error("{0}")]
    Header(&'static str),
    /// A row of another number of values.
    #[error("row field count is {got}, expected {expected}")]
    FieldCount {
        /// Values there are.
        got: i16,
        /// Columns there are.
        expected: usize,
    },
    /// A negative length.
    #[error("invalid field size")]
    FieldSize,
    /// A row that ends early.
    #[error("unexpected EOF in COPY data")]
    Ended,
    /// Something behind the trailer.
    #[error("received copy data after EOF marker")]
    AfterEnd,
    /// A binary value whose bytes cannot be of the column's type.
    #[error("incorrect binary data format")]
    BadBinary,
    /// A `FORCE_…` option that names a column that is not copied.
    #[error("{option} column \"{column}\" not referenced by COPY")]
    ForcedColumn {
        /// The option.
        option: &'static str,
        /// The column.
        column: String,
    },
}

impl CopyProblem {
    /// Its SQLSTATE.
    pub(crate) fn code(&self) -> SqlState {
        match self {
            Self::RowTooLong => SqlState::PROGRAM_LIMIT_EXCEEDED,
            Self::BadBinary => SqlState::INVALID_BINARY_REPRESENTATION,
            Self::ForcedColumn { .. } => SqlState::INVALID_COLUMN_REFERENCE,
            _ => SqlState::BAD_COPY_FILE_FORMAT,
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            Self::LineEnd { csv: true, newline } => Some(if *newline {
                "Use quoted CSV field to represent newline."
            } else {
                "Use quoted CSV field to represent carriage return."
            }),
            Self::LineEnd { csv: false, newline } => Some(if *newline {
                "Use \"\\n\" to represent newline."
            } else {
                "Use \"\\r\" to represent carriage return."
            }),
            _ => None,
        }
    }

    /// More about it.
    pub(crate) fn detail(&self) -> Option<&'static str> {
        match self {
            Self::RowTooLong => Some("A row of COPY data is longer than 1 GB."),
            _ => None,
        }
    }
}
