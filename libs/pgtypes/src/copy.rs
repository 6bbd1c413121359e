//! `COPY`'s three formats, both ways (manual, "COPY", "File Formats").
//!
//! Out, [`CopyEncoder`] makes `CopyData` messages of record batches; in, [`CopyDecoder`] makes record batches of bytes that
//! are cut anywhere. Options come validated; which of them go together is the SQL layer's to say.

mod column;
mod decode;
mod encode;
mod problem;

pub use self::decode::{CopyDecoder, read_copy};
pub use self::encode::CopyEncoder;
pub use self::problem::CopyProblem;

/// A representation of rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CopyFormat {
    /// One line a row, values between tabs, backslash escapes.
    #[default]
    Text,
    /// Comma-separated values.
    Csv,
    /// Lengths and binary forms.
    Binary,
}

/// Whether the first line is no row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CopyHeader {
    /// It is one.
    #[default]
    Absent,
    /// It has the columns' names, which are written, and not looked at when read.
    Present,
    /// It must have the columns' names.
    Match,
}

/// Columns that an option applies to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CopyColumns {
    /// None.
    #[default]
    None,
    /// All.
    All,
    /// These.
    Named(Vec<String>),
}

/// How rows are written or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyOptions {
    /// The representation; the binary one has no further options.
    pub format: CopyFormat,
    /// Between two values.
    pub delimiter: u8,
    /// What stands for NULL.
    pub null: String,
    /// Whether the first line is no row.
    pub header: CopyHeader,
    /// Around values of CSV.
    pub quote: u8,
    /// Before a quote, or itself, inside quotes.
    pub escape: u8,
    /// Columns whose values are always quoted.
    pub force_quote: CopyColumns,
    /// Columns that are never NULL.
    pub force_not_null: CopyColumns,
    /// Columns in which a quoted NULL is one.
    pub force_null: CopyColumns,
}

impl CopyOptions {
    /// A format's defaults.
    pub fn new(format: CopyFormat) -> Self {
        let csv = format == CopyFormat::Csv;
        Self {
            format,
            delimiter: if csv { b',' } else { b'\t' },
            null: if csv { "" } else { "\\N" }.to_owned(),
            header: CopyHeader::Absent,
            quote: b'"',
            escape: b'"',
            force_quote: CopyColumns::None,
            force_not_null: CopyColumns::None,
            force_null: CopyColumns::None,
        }
    }
}

impl CopyColumns {
    /// One flag a column; `option` is the name by which an error calls it.
    fn flags(&self, names: &[&str], option: &'static str) -> Result<Vec<bool>, CopyProblem> {
        match self {
            Self::None => Ok(vec![false; names.len()]),
            Self::All => Ok(vec![true; names.len()]),
            Self::Named(wanted) => {
                let mut flags = vec![false; names.len()];
                for name in wanted {
                    let index = names.iter().position(|column| column == name);
                    let index = index.ok_or_else(|| CopyProblem::ForcedColumn {
                        option,
                        column: name.clone(),
                    })?;
                    flags[index] = true;
                }
                Ok(flags)
            }
        }
    }
}

/// The beginning of every binary `COPY`, before its flags.
const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";

#[cfg(test)]
mod tests;
