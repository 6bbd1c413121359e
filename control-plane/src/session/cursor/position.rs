//! Where a cursor stands and what FETCH and MOVE do to it, by `PostgreSQL`'s own rules (manual, "FETCH").

use pintail_sqlstate::{Report, SqlState};
use pintail_transpiler::{Count, Direction};

/// Before the first row, on a row, or behind the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::session) struct Position {
    /// The row it stands on, from 1; behind the end the last row's number; 0 before the first.
    row: u64,
    at_start: bool,
    at_end: bool,
}

/// A step of a movement. `None` stands for all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) enum Step {
    Forward(Option<u64>),
    Backward(Option<u64>),
    Rewind,
}

/// Rows to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::session) struct Span {
    /// The first one, from 1.
    pub(in crate::session) first: u64,
    /// How many at most.
    pub(in crate::session) rows: u64,
    pub(in crate::session) backwards: bool,
}

/// What a FETCH or MOVE comes to.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) struct Movement {
    /// Steps whose rows nobody sees.
    pub(in crate::session) before: Vec<Step>,
    pub(in crate::session) last: Last,
}

/// The step that counts.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::session) enum Last {
    /// Its rows are the answer.
    Rows(Step),
    /// No rows, and this is the count of the tag.
    Counted(u64),
}

impl Default for Position {
    fn default() -> Self {
        Self {
            row: 0,
            at_start: true,
            at_end: false,
        }
    }
}

impl Position {
    /// What `direction` asks for from here; with `shows` its rows are wanted (FETCH, not MOVE).
    pub(in crate::session) fn movement(&self, direction: Direction, shows: bool) -> Movement {
        let rows = |before: Vec<Step>, last| Movement {
            before,
            last: Last::Rows(last),
        };
        match direction {
            Direction::Absolute(0) => rows(vec![Step::Rewind], Step::Forward(Some(0))),
            Direction::Absolute(n) if n > 0 => rows(self.towards(n.unsigned_abs()), Step::Forward(Some(1))),
            Direction::Absolute(n) => {
                let mut before = vec![Step::Forward(None)];
                if n < -1 {
                    before.push(Step::Backward(Some(n.unsigned_abs() - 1)));
                }
                rows(before, Step::Backward(Some(1)))
            }
            Direction::Relative(0) | Direction::Forward(Count::Rows(0)) | Direction::Backward(Count::Rows(0)) => {
                self.here(shows)
            }
            Direction::Relative(n) => {
                let (step, distance): (fn(Option<u64>) -> Step, u64) = if n > 0 {
                    (Step::Forward, n.unsigned_abs())
                } else {
                    (Step::Backward, n.unsigned_abs())
                };
                let before = (distance > 1).then(|| step(Some(distance - 1)));
                rows(before.into_iter().collect(), step(Some(1)))
            }
            Direction::Forward(count) => rows(Vec::new(), Step::Forward(limit(count))),
            Direction::Backward(Count::All) if !shows => {
                let passed = self.row - u64::from(self.row > 0 && !self.at_end);
                Movement {
                    before: vec![Step::Rewind],
                    last: Last::Counted(passed),
                }
            }
            Direction::Backward(count) => rows(Vec::new(), Step::Backward(limit(count))),
        }
    }

    /// The way to just before row `n`: from the beginning where that is nearer.
    fn towards(&self, n: u64) -> Vec<Step> {
        if n - 1 <= self.row / 2 {
            let mut steps = vec![Step::Rewind];
            if n > 1 {
                steps.push(Step::Forward(Some(n - 1)));
            }
            return steps;
        }
        let here = self.row + u64::from(self.at_end);
        if n <= here {
            vec![Step::Backward(Some(here - n + 1))]
        } else if n > here + 1 {
            vec![Step::Forward(Some(n - here - 1))]
        } else {
            Vec::new()
        }
    }

    /// The present row again.
    fn here(&self, shows: bool) -> Movement {
        let on_row = !self.at_start && !self.at_end;
        if !shows {
            return Movement {
                before: Vec::new(),
                last: Last::Counted(u64::from(on_row)),
            };
        }
        if on_row {
            return Movement {
                before: vec![Step::Backward(Some(1))],
                last: Last::Rows(Step::Forward(Some(1))),
            };
        }
        Movement {
            before: Vec::new(),
            last: Last::Rows(Step::Forward(Some(0))),
        }
    }

    /// The rows that a step reads; `None` where it reads none. An error where it goes back and `scrolls` is not set.
    pub(in crate::session) fn span(&self, step: Step, scrolls: bool) -> Result<Option<Span>, Report> {
        match step {
            Step::Forward(count) => Ok((!self.at_end && count != Some(0)).then(|| Span {
                first: self.row + 1,
                rows: count.unwrap_or(u64::MAX),
                backwards: false,
            })),
            Step::Backward(_) if !scrolls => Err(forward_only()),
            Step::Rewind if !scrolls && (!self.at_start || self.at_end) => Err(forward_only()),
            Step::Backward(count) => {
                let last = if self.at_end {
                    self.row
                } else {
                    self.row.saturating_sub(1)
                };
                Ok((!self.at_start && count != Some(0) && last > 0).then(|| Span {
                    first: last,
                    rows: count.unwrap_or(u64::MAX).min(last),
                    backwards: true,
                }))
            }
            Step::Rewind => Ok(None),
        }
    }

    /// A step was made and passed `passed` rows.
    pub(in crate::session) fn step(&mut self, step: Step, passed: u64) {
        match step {
            Step::Rewind => *self = Self::default(),
            Step::Forward(_) if self.at_end => {}
            Step::Forward(Some(0)) => {}
            Step::Forward(count) => {
                if passed > 0 {
                    self.at_start = false;
                }
                if count.is_none_or(|count| passed < count) {
                    self.at_end = true;
                }
                self.row += passed;
            }
            Step::Backward(Some(0)) => {}
            Step::Backward(_) if self.at_start => {}
            Step::Backward(count) => {
                if passed > 0 && self.at_end {
                    self.at_end = false;
                    self.row += 1;
                }
                if count.is_none_or(|count| passed < count) {
                    *self = Self::default();
                } else {
                    self.row -= passed;
                }
            }
        }
    }
}

fn limit(count: Count) -> Option<u64> {
    match count {
        Count::Rows(rows) => Some(rows),
        Count::All => None,
    }
}

pub(in crate::session) fn forward_only() -> Report {
    Report::new(
        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
        "cursor can only scan forward",
    )
    .with_hint("Declare it with SCROLL option to enable backward scan.")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cursor over as many rows as given, played without an engine.
    struct Toy {
        rows: u64,
        position: Position,
    }

    impl Toy {
        fn go(&mut self, direction: Direction, shows: bool) -> Result<Vec<u64>, Report> {
            let movement = self.position.movement(direction, shows);
            for step in movement.before {
                self.step(step)?;
            }
            match movement.last {
                Last::Rows(step) => self.step(step),
                Last::Counted(count) => Ok(vec![0; usize::try_from(count).expect("small")]),
            }
        }

        fn step(&mut self, step: Step) -> Result<Vec<u64>, Report> {
            let span = self.position.span(step, true)?;
            let rows: Vec<u64> = match span {
                None => Vec::new(),
                Some(span) if span.backwards => (1..=span.first).rev().take(span.rows as usize).collect(),
                Some(span) => (span.first..=self.rows)
                    .take(usize::try_from(span.rows).unwrap_or(usize::MAX))
                    .collect(),
            };
            self.position.step(step, rows.len() as u64);
            Ok(rows)
        }
    }

    /// `PostgreSQL` 15's own answers over `generate_series(1, 5)`.
    #[test]
    fn moves_as_postgresql_does() {
        use Count::{All, Rows};
        use Direction::{Absolute, Backward, Forward, Relative};
        let script: &[(Direction, &[u64])] = &[
            (Forward(Rows(1)), &[1]),
            (Forward(Rows(2)), &[2, 3]),
            (Relative(0), &[3]),
            (Backward(Rows(1)), &[2]),
            (Absolute(4), &[4]),
            (Absolute(-1), &[5]),
            (Absolute(-2), &[4]),
            (Relative(-3), &[1]),
            (Backward(Rows(1)), &[]),
            (Forward(All), &[1, 2, 3, 4, 5]),
            (Forward(Rows(1)), &[]),
            (Backward(Rows(1)), &[5]),
            (Relative(1), &[]),
            (Backward(All), &[5, 4, 3, 2, 1]),
            (Absolute(7), &[]),
            (Backward(Rows(1)), &[5]),
            (Absolute(2), &[2]),
            (Absolute(0), &[]),
            (Forward(Rows(1)), &[1]),
            (Absolute(-9), &[]),
            (Forward(Rows(1)), &[1]),
        ];
        let mut toy = Toy {
            rows: 5,
            position: Position::default(),
        };
        for (index, (direction, rows)) in script.iter().enumerate() {
            assert_eq!(
                toy.go(*direction, true).expect("scrolls"),
                *rows,
                "{index}: {direction:?}"
            );
        }
    }

    #[test]
    fn going_back_needs_scroll() {
        let mut position = Position::default();
        assert!(position.span(Step::Backward(Some(1)), false).is_err());
        assert!(position.span(Step::Rewind, false).is_ok());
        position.step(Step::Forward(Some(1)), 1);
        assert!(position.span(Step::Rewind, false).is_err());
    }
}
