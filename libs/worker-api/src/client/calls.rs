//! The calls that a session's statements wait for.

use arrow_flight::Action;
use prost::Message;
use tonic::Streaming;

use super::{WorkerClient, lost};
use crate::error::{CallError, from_status};
use crate::messages::{ANSWER_CALL, CALLS, CallAnswer, SessionCall};

/// The calls of a session, as they come; ends with the session.
#[derive(Debug)]
pub struct CallStream {
    calls: Streaming<arrow_flight::Result>,
}

impl CallStream {
    /// The next call; `None` when the session is over. Cancel safe.
    pub async fn next(&mut self) -> Result<Option<SessionCall>, CallError> {
        match self.calls.message().await {
            Ok(Some(call)) => SessionCall::decode(call.body).map(Some).map_err(|error| lost(&error)),
            Ok(None) => Ok(None),
            Err(status) => Err(from_status(&status)),
        }
    }
}

impl WorkerClient {
    /// Takes the calls of the open session; whoever took them before gets no more.
    pub async fn calls(&self) -> Result<CallStream, CallError> {
        let action = Action {
            r#type: CALLS.to_owned(),
            ..Action::default()
        };
        let answer = self.flight.clone().do_action(action).await;
        let answer = answer.map_err(|status| from_status(&status))?;
        Ok(CallStream {
            calls: answer.into_inner(),
        })
    }

    /// Answers a call; one that nobody waits for any more is passed over.
    pub async fn answer_call(&self, answer: &CallAnswer) -> Result<(), CallError> {
        self.action(ANSWER_CALL, answer).await
    }
}
