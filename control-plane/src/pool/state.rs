//! A worker's life: `Spawning → Spare → Activating → HotIdle ⇄ Busy → Draining → Gone`.

/// Where a worker is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerState {
    /// Its process starts; left when it is ready for a bootstrap, or by its end.
    Spawning,
    /// It belongs to nobody; left when it is activated.
    Spare,
    /// It attaches an organisation's catalogs; left when it listens, or by its end.
    Activating,
    /// It waits for its organisation's next session; left by a session, by eviction or after its time to live.
    HotIdle,
    /// It serves a session; left when the session ends.
    Busy,
    /// It was asked to end; left by its end.
    Draining,
    /// It ended.
    Gone,
}

/// What happens to a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// The process is ready for a bootstrap.
    Ready,
    /// It gets its bootstrap.
    Activate,
    /// It listens and serves the session that asked for it.
    Serve,
    /// A session takes it.
    Take,
    /// Its session ends.
    Release,
    /// It is to end.
    Drain,
    /// It ended.
    End,
}

/// A move that a worker's state does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a worker cannot {step:?} in state {state:?}")]
pub struct IllegalMove {
    /// Where it was.
    pub state: WorkerState,
    /// What was tried.
    pub step: Move,
}

impl WorkerState {
    /// The state after `step`.
    pub fn after(self, step: Move) -> Result<Self, IllegalMove> {
        use WorkerState::{Activating, Busy, Draining, Gone, HotIdle, Spare, Spawning};
        match (self, step) {
            (Spawning, Move::Ready) => Ok(Spare),
            (Spare, Move::Activate) => Ok(Activating),
            (Activating, Move::Serve) | (HotIdle, Move::Take) => Ok(Busy),
            (Busy, Move::Release) => Ok(HotIdle),
            (Spare | HotIdle | Busy, Move::Drain) => Ok(Draining),
            (Spawning | Spare | Activating | HotIdle | Busy | Draining, Move::End) => Ok(Gone),
            (state, step) => Err(IllegalMove { state, step }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATES: [WorkerState; 7] = [
        WorkerState::Spawning,
        WorkerState::Spare,
        WorkerState::Activating,
        WorkerState::HotIdle,
        WorkerState::Busy,
        WorkerState::Draining,
        WorkerState::Gone,
    ];

    #[test]
    fn nothing_comes_back_from_the_end() {
        for step in [
            Move::Ready,
            Move::Activate,
            Move::Serve,
            Move::Take,
            Move::Release,
            Move::Drain,
            Move::End,
        ] {
            assert!(WorkerState::Gone.after(step).is_err());
        }
        assert!(WorkerState::Draining.after(Move::Take).is_err());
    }

    #[test]
    fn only_an_idle_worker_is_taken() {
        for state in STATES {
            assert_eq!(
                state.after(Move::Take).is_ok(),
                state == WorkerState::HotIdle,
                "{state:?}"
            );
        }
    }

    #[test]
    fn every_living_state_can_end() {
        for state in STATES {
            assert_eq!(state.after(Move::End).is_ok(), state != WorkerState::Gone, "{state:?}");
        }
    }
}
