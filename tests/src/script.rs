//! Scripts of frontend messages and the answers expected, the same for Pintail and for `PostgreSQL`.
//!
//! A file holds scripts, each with a session of its own:
//!
//! ```text
//! == a title
//! setup CREATE TEMP TABLE t (a int)
//! parse p 23 : SELECT $1
//! bind - p results=1 : '5' null x0001
//! execute - 3
//! sync
//! < 1 2 D C:SELECT_1 Z:I
//! ```
//!
//! `both SELECT …` parses and describes a statement and executes it for a result in text and for one in binary;
//! `echo 20 x0000000000000005` does so with `SELECT $1` and a parameter of that type, in binary where it begins with `x`.
//!
//! Messages are sent together when their answers are read. An answer is a message in short (`T:2`, `D`, `E:42601`, `Z:I`, see
//! [`Answer::short`]), with what is inside (`D(1,NULL)`, `T(a,b)`, `t(23)`), or with parts of it
//! (`T{a:23:-1;b:25:-1}`, `E{42601;P=8}`, see [`Answer::parts`]); `_` stands for a space, `D*3` for three of them. Where the two servers differ, `<pintail` and
//! `<postgres` stand in its place (`<postgres15` for what a newer `PostgreSQL` answers otherwise), followed by `!` and the
//! first words of the row in `docs/postgres-differences.md` that says why; `only pintail` is a script without a counterpart.

mod parse;
mod run;

pub use parse::parse;
pub use run::{Side, run};

/// A script.
#[derive(Debug, Default)]
pub struct Script {
    /// What it shows.
    pub title: String,
    /// What is done, in order, with the line of the file.
    pub steps: Vec<(usize, Step)>,
    /// Whether there is nothing to compare with.
    pub only_pintail: bool,
    /// Rows of the list of differences that it refers to.
    pub differences: Vec<String>,
}

/// A step.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// A simple query whose answer is not looked at, but for errors.
    Setup(String),
    /// Bytes of one or more messages.
    Send(Vec<u8>),
    /// A new connection in place of the session's, on which nothing was sent.
    Open,
    /// A start-up packet of this version with these further parameters, and authentication.
    LogIn {
        /// Protocol version.
        version: u32,
        /// Name and value.
        parameters: Vec<(String, String)>,
    },
    /// Goes on inside TLS.
    Tls,
    /// One byte, as after a request for encryption.
    Byte(u8),
    /// The client says that it sends nothing more.
    End,
    /// A cancel request for this session, by another connection.
    Cancel(Request),
    /// Parameter statuses count as answers from here on.
    Statuses,
    /// The answers.
    Expect(Expected),
}

/// A cancel request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// Again and again until the server answers: one that comes before its statement is passed over.
    UntilAnswered,
    /// One.
    Once,
    /// One, with a key that nobody has.
    WrongKey,
}

/// What the servers answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// Pintail.
    pub pintail: Vec<String>,
    /// `PostgreSQL`.
    pub postgres: Vec<String>,
    /// Whether only version 15 answers so.
    pub only_15: bool,
}
