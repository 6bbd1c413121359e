//! The answers to an authority's HTTP-01 challenges (RFC 8555 §8.3).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The answers that are up, by token.
#[derive(Clone, Default)]
pub struct Challenges {
    answers: Arc<Mutex<HashMap<String, String>>>,
}

/// An answer that is up until this is dropped.
pub(super) struct Answer {
    challenges: Challenges,
    token: String,
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.challenges.lock().remove(&self.token);
    }
}

impl Challenges {
    /// Puts an answer up.
    pub(super) fn put_up(&self, token: &str, answer: &str) -> Answer {
        self.lock().insert(token.to_owned(), answer.to_owned());
        Answer {
            challenges: self.clone(),
            token: token.to_owned(),
        }
    }

    /// The answer to a token, if it is up.
    pub fn find(&self, token: &str) -> Option<String> {
        self.lock().get(token).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_up_until_it_is_dropped() {
        let challenges = Challenges::default();
        let answer = challenges.put_up("token", "token.thumbprint");
        assert_eq!(challenges.find("token").as_deref(), Some("token.thumbprint"));
        assert_eq!(challenges.find("other"), None);
        drop(answer);
        assert_eq!(challenges.find("token"), None);
    }
}
