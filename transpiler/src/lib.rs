//! `PostgreSQL` statements made fit for `DuckDB`.
//!
//! [`parse`] runs once per distinct text and [`rewrite`] once per execution or preparation. Both are pure: no I/O, no
//! clocks, no knowledge of tenants beyond the [`Context`] they are handed.

mod access;
mod catalogs;
mod classify;
mod command;
mod error;
mod kind;
mod leaves;
mod lex;
mod locate;
mod plan;
mod rules;
mod script;
mod session;

pub use access::{Access, LoginRole};
pub use command::{
    Copy, CopyFormat, CopyOptions, CopySide, CopyTarget, Count, Cursor, Deallocate, Direction, Execute, ForceColumns,
    Prepare, SecretAction, SecretConflict, SecretPersistence, SecretStatement, Session, SetScope, SetValue,
    Transaction, TransactionModes,
};
pub use error::Error;
pub use kind::{Kind, Returns, Tag};
pub use leaves::Leaves;
pub use locate::locate;
pub use plan::{
    Column, Context, Description, Notice, Origin, Origins, Output, Place, Plan, Role, SettingChange, SettingText, Step,
    Storage, Table, copy_target, rewrite,
};
pub use script::{Script, Statement, parse};
pub use session::{is_own_schema, session_setup};
