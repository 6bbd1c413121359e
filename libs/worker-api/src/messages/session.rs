//! What a session's instance shares with the control plane beside statements: relations that only the control plane can
//! answer, and functions that only it can carry out.

use prost::Message;

use super::ErrorDetail;

/// `DoAction` type: empty → a stream of [`SessionCall`]s that ends with the session.
pub const CALLS: &str = "pintail.calls";
/// `DoAction` type: [`CallAnswer`] → empty.
pub const ANSWER_CALL: &str = "pintail.answer_call";

/// The rows of a relation for one statement.
#[derive(Clone, PartialEq, Message)]
pub struct Relation {
    /// As in [`super::Frame::needs`] and [`super::Prepared::relations`].
    #[prost(string, tag = "1")]
    pub name: String,
    /// An Arrow IPC stream whose columns are texts.
    #[prost(bytes = "bytes", tag = "2")]
    pub arrow: bytes::Bytes,
}

/// A call that the running statement waits for.
#[derive(Clone, PartialEq, Message)]
pub struct SessionCall {
    /// Unique in the session.
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// The function's name.
    #[prost(string, tag = "2")]
    pub function: String,
    /// Its arguments.
    #[prost(message, repeated, tag = "3")]
    pub arguments: Vec<CallArgument>,
}

/// An argument of a call.
#[derive(Clone, PartialEq, Message)]
pub struct CallArgument {
    /// Its text; absent for NULL.
    #[prost(string, optional, tag = "1")]
    pub text: Option<String>,
}

/// What a call gave.
#[derive(Clone, PartialEq, Message)]
pub struct CallAnswer {
    /// From [`SessionCall::id`].
    #[prost(uint64, tag = "1")]
    pub id: u64,
    /// The result as text; absent for NULL.
    #[prost(string, optional, tag = "2")]
    pub value: Option<String>,
    /// In place of a result: the statement fails with it.
    #[prost(message, optional, tag = "3")]
    pub error: Option<ErrorDetail>,
}
