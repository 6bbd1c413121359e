//! What can be wrong with a value, a format or a setting, and what the client is told of it.

use pintail_sqlstate::{Report, SqlState, ToReport};

use crate::copy::CopyProblem;
use crate::oid;
use crate::types::display_name;

/// Why a value could not be encoded or decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Text that is no literal of its type.
    #[error("invalid input syntax for type {}: \"{value}\"", display_name(*oid))]
    BadText {
        /// The type.
        oid: u32,
        /// The text.
        value: String,
    },
    /// An array literal that cannot be taken apart.
    #[error("malformed array literal: \"{value}\"")]
    BadArrayLiteral {
        /// The text.
        value: String,
        /// What is wrong with it.
        detail: &'static str,
    },
    /// A number outside the type's range.
    #[error("{}\"{value}\" is out of range for type {}", range_prefix(*oid), display_name(*oid))]
    OutOfRange {
        /// The type.
        oid: u32,
        /// The number.
        value: String,
    },
    /// A date or time with a field that cannot be, such as a thirteenth month.
    #[error("date/time field value out of range: \"{value}\"")]
    DateTimeField {
        /// The text.
        value: String,
    },
    /// A date or time beyond what the type can hold.
    #[error("{} out of range", display_name(*oid))]
    DateTimeRange {
        /// The type.
        oid: u32,
    },
    /// An interval with a field that cannot be, such as 65 minutes in a clock time.
    #[error("interval field value out of range: \"{value}\"")]
    IntervalField {
        /// The text.
        value: String,
    },
    /// An offset from UTC that no zone has.
    #[error("time zone displacement out of range: \"{value}\"")]
    ZoneOffset {
        /// The text.
        value: String,
    },
    /// A date or time that names no known zone.
    #[error("time zone \"{name}\" not recognized")]
    UnknownZone {
        /// The name.
        name: String,
    },
    /// A binary value whose bytes cannot be of the type.
    #[error("incorrect binary data format in value of type {}", display_name(*oid))]
    BadBinary {
        /// The type.
        oid: u32,
    },
    /// A binary value that ends early.
    #[error("insufficient data left in message")]
    ShortBinary {
        /// The type.
        oid: u32,
    },
    /// Text that is not UTF-8, or holds a zero byte.
    #[error("invalid byte sequence for encoding \"UTF8\":{}", listed(bytes))]
    NotUtf8 {
        /// The bytes of the first character that is none.
        bytes: Vec<u8>,
    },
    /// Nested lists that are no rectangle.
    #[error("multidimensional arrays must have sub-arrays with matching dimensions")]
    RaggedArray,
    /// More dimensions than `PostgreSQL` has.
    #[error("number of array dimensions ({count}) exceeds the maximum allowed (6)")]
    TooManyDimensions {
        /// How many.
        count: usize,
    },
    /// A value or row longer than the protocol can say.
    #[error("result row is too large for the protocol")]
    TooLarge,
    /// The type has no binary form here.
    #[error("no binary output function available for type {}", display_name(*oid))]
    NoBinaryOutput {
        /// The type.
        oid: u32,
    },
    /// The type cannot be read from binary here.
    #[error("no binary input function available for type {}", display_name(*oid))]
    NoBinaryInput {
        /// The type.
        oid: u32,
    },
    /// Neither 0, nor 1, nor one format a column; or a format that is neither text nor binary.
    #[error("bind message has {formats} result formats but query has {columns} columns")]
    FormatCount {
        /// Formats given.
        formats: usize,
        /// Columns there are.
        columns: usize,
    },
    /// A format code other than 0 and 1.
    #[error("unsupported format code: {code}")]
    FormatCode {
        /// The code.
        code: u32,
    },
    /// A setting with a value that it cannot have.
    #[error("invalid value for parameter \"{name}\": \"{value}\"")]
    BadSetting {
        /// The setting.
        name: &'static str,
        /// The value.
        value: String,
    },
    /// A result column of an Arrow type that has no `PostgreSQL` form.
    #[error("results of type {arrow} are not supported")]
    UnsupportedColumn {
        /// The Arrow type.
        arrow: String,
    },
    /// A number with more digits than the column has room for.
    #[error("numeric field overflow")]
    NumericOverflow {
        /// Digits in all.
        precision: u8,
        /// Digits after the point.
        scale: u8,
    },
    /// An array for a column of lists that are nested otherwise.
    #[error("array has {got} dimensions, but the column has {expected}")]
    Dimensions {
        /// The array's.
        got: usize,
        /// The column's.
        expected: usize,
    },
    /// `COPY` data that cannot be read, or an option of it that cannot be followed.
    #[error(transparent)]
    Copy(#[from] CopyProblem),
    /// An error in a row of a `COPY`.
    #[error("{context}")]
    InCopy {
        /// The error.
        #[source]
        cause: Box<Error>,
        /// Where it is: `COPY t, line 3, column a: "x"`.
        context: String,
    },
    /// A batch that does not have the columns announced.
    #[error("internal error while encoding a result")]
    InternalLayout {
        /// What was expected where.
        what: String,
    },
}

impl Error {
    pub(crate) fn bad_text(oid: u32, value: &str) -> Self {
        Self::BadText {
            oid,
            value: value.to_owned(),
        }
    }

    pub(crate) fn out_of_range(oid: u32, value: &(impl ToString + ?Sized)) -> Self {
        Self::OutOfRange {
            oid,
            value: value.to_string(),
        }
    }

    pub(crate) fn layout(expected: &str, found: &impl std::fmt::Debug) -> Self {
        Self::InternalLayout {
            what: format!("expected {expected}, found {found:?}"),
        }
    }
}

impl ToReport for Error {
    fn to_report(&self) -> Report {
        let code = match self {
            Self::InCopy { cause, context } => return cause.to_report().with_context(context.clone()),
            Self::Copy(problem) => problem.code(),
            Self::BadText { oid, .. } if is_datetime(*oid) => SqlState::INVALID_DATETIME_FORMAT,
            Self::BadText { .. } | Self::BadArrayLiteral { .. } => SqlState::INVALID_TEXT_REPRESENTATION,
            Self::OutOfRange { .. } | Self::NumericOverflow { .. } => SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            Self::DateTimeField { .. } | Self::DateTimeRange { .. } => SqlState::DATETIME_VALUE_OUT_OF_RANGE,
            Self::UnknownZone { .. } | Self::BadSetting { .. } | Self::FormatCode { .. } => {
                SqlState::INVALID_PARAMETER_VALUE
            }
            Self::IntervalField { .. } => SqlState::INTERVAL_FIELD_OVERFLOW,
            Self::ZoneOffset { .. } => SqlState::INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
            Self::BadBinary { .. } => SqlState::INVALID_BINARY_REPRESENTATION,
            Self::ShortBinary { .. } | Self::FormatCount { .. } => SqlState::PROTOCOL_VIOLATION,
            Self::NotUtf8 { .. } => SqlState::CHARACTER_NOT_IN_REPERTOIRE,
            Self::RaggedArray | Self::Dimensions { .. } => SqlState::ARRAY_SUBSCRIPT_ERROR,
            Self::TooManyDimensions { .. } | Self::TooLarge => SqlState::PROGRAM_LIMIT_EXCEEDED,
            Self::NoBinaryOutput { .. } | Self::NoBinaryInput { .. } => SqlState::UNDEFINED_FUNCTION,
            Self::UnsupportedColumn { .. } => SqlState::FEATURE_NOT_SUPPORTED,
            Self::InternalLayout { .. } => SqlState::INTERNAL_ERROR,
        };
        let report = Report::new(code, self.to_string());
        match self {
            Self::BadArrayLiteral { detail, .. } if !detail.is_empty() => report.with_detail(*detail),
            Self::NumericOverflow { precision, scale } => report.with_detail(overflow(*precision, *scale)),
            Self::Copy(problem) => Report {
                hint: problem.hint().map(str::to_owned),
                detail: problem.detail().map(str::to_owned),
                ..report
            },
            _ => report,
        }
    }
}

/// Bytes as `PostgreSQL` lists them.
fn listed(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |all, byte| format!("{all} 0x{byte:02x}"))
}

/// How large a number of a column may be.
fn overflow(precision: u8, scale: u8) -> String {
    let least = match precision.saturating_sub(scale) {
        0 => "1".to_owned(),
        digits => format!("10^{digits}"),
    };
    format!("A field with precision {precision}, scale {scale} must round to an absolute value less than {least}.")
}

/// `PostgreSQL` words this error in two ways.
fn range_prefix(type_oid: u32) -> &'static str {
    if matches!(type_oid, oid::FLOAT4 | oid::FLOAT8) {
        ""
    } else {
        "value "
    }
}

fn is_datetime(type_oid: u32) -> bool {
    crate::types::type_info(type_oid).is_some_and(|info| matches!(info.category, 'D' | 'T'))
}
