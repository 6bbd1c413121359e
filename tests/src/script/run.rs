//! Running scripts.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::Context as _;

use super::{Expected, Request, Script, Step};
use crate::eventually;
use crate::raw::{Answer, Endpoint, Raw};

const CANCEL_REQUEST: u32 = 80_877_102;
/// No cancel request takes longer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time for the answer to one.
const RETRY: Duration = Duration::from_millis(100);

/// Whose answers are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Pintail's.
    Pintail,
    /// Those of a `PostgreSQL` of this major version.
    Postgres(u32),
}

/// Runs a script; the error tells the first answer that is another than expected.
pub fn run(script: &Script, server: &impl Endpoint, side: Side) -> anyhow::Result<()> {
    if script.only_pintail && side != Side::Pintail {
        return Ok(());
    }
    let begins_raw = matches!(script.steps.first(), Some((_, Step::Open)));
    let mut running = Running {
        raw: if begins_raw {
            Raw::open(server)?
        } else {
            Raw::session(server)?
        },
        pending: Vec::new(),
        statuses: false,
        side,
        known: VecDeque::new(),
    };
    for (line, step) in &script.steps {
        running
            .step(step, server)
            .with_context(|| format!("{side:?}, \"{}\", line {line}", script.title))?;
    }
    Ok(())
}

/// An answer in its three forms.
struct Seen {
    short: String,
    long: String,
    parts: Vec<String>,
}

impl Seen {
    fn word(word: &str) -> Self {
        Self {
            short: word.to_owned(),
            long: word.to_owned(),
            parts: Vec::new(),
        }
    }

    fn closed() -> Self {
        Self::word("closed")
    }

    /// Whether it is what a script wants: in short, with what is inside, or with the parts named in braces. All columns have
    /// to be named there, and of an error's fields as many as one likes.
    fn is(&self, wanted: &str) -> bool {
        let plain = |text: &str| text.replace('_', " ");
        if let Some((kind, named)) = wanted.strip_suffix('}').and_then(|wanted| wanted.split_once('{')) {
            let parts: Vec<String> = self.parts.iter().map(|part| plain(part)).collect();
            let named: Vec<String> = named.split(';').map(plain).collect();
            let holds = if kind == "T" {
                parts == named
            } else {
                named.iter().all(|part| parts.contains(part))
            };
            return self.short.starts_with(kind) && holds;
        }
        let wanted = plain(wanted);
        wanted == plain(&self.short) || wanted == plain(&self.long)
    }

    /// As it is told where something else was wanted.
    fn told(self, wanted: Option<&str>) -> String {
        match wanted {
            Some(wanted) if wanted.ends_with('}') => {
                format!("{}{{{}}}", &self.short[..1], self.parts.join(";"))
            }
            Some(wanted) if wanted.contains('(') => self.long,
            _ => self.short,
        }
    }
}

impl From<&Answer> for Seen {
    fn from(answer: &Answer) -> Self {
        Self {
            short: answer.short(),
            long: answer.long(),
            parts: answer.parts(),
        }
    }
}

struct Running {
    raw: Raw,
    pending: Vec<u8>,
    statuses: bool,
    side: Side,
    /// Answers that were received and not yet looked at.
    known: VecDeque<Seen>,
}

impl Running {
    fn step(&mut self, step: &Step, server: &impl Endpoint) -> anyhow::Result<()> {
        match step {
            Step::Send(bytes) => {
                self.pending.extend(bytes);
                return Ok(());
            }
            Step::Statuses => {
                self.statuses = true;
                return Ok(());
            }
            _ => self.send(),
        }
        match step {
            Step::Setup(sql) => {
                let answers = self.raw.query(sql)?;
                anyhow::ensure!(!answers.contains("E:"), "{sql}: {answers}");
            }
            Step::Open => self.raw = Raw::open(server)?,
            Step::LogIn { version, parameters } => {
                let more: Vec<(&str, &str)> = parameters.iter().map(|(name, value)| (&**name, &**value)).collect();
                let answers = self.raw.log_in(server, *version, &more)?;
                self.known.extend(answers.iter().map(|answer| Seen::word(answer)));
            }
            Step::Tls => self.raw.go_into_tls()?,
            Step::Byte(wanted) => {
                let byte = self.raw.byte()?;
                anyhow::ensure!(
                    byte == *wanted,
                    "{:?} in place of {:?}",
                    char::from(byte),
                    char::from(*wanted)
                );
            }
            Step::End => self.raw.end()?,
            Step::Cancel(Request::UntilAnswered) => {
                eventually("a cancel request is answered", PATIENCE, || {
                    self.cancel(server, Request::Once).err().map(Err).or_else(|| {
                        let answered = self.raw.has_input(RETRY);
                        answered.unwrap_or(true).then_some(Ok(()))
                    })
                })??;
            }
            Step::Cancel(request) => self.cancel(server, *request)?,
            Step::Expect(expected) => self.expect(expected)?,
            Step::Send(_) | Step::Statuses => {}
        }
        Ok(())
    }

    fn cancel(&self, server: &impl Endpoint, request: Request) -> anyhow::Result<()> {
        let mut body = [&CANCEL_REQUEST.to_be_bytes()[..], self.raw.key()].concat();
        if let (Request::WrongKey, Some(last)) = (request, body.last_mut()) {
            *last ^= 1;
        }
        let mut other = Raw::open(server)?;
        other.packet(&body)?;
        anyhow::ensure!(other.rest()?.is_empty(), "a cancel request was answered");
        Ok(())
    }

    /// A server may close before all is written: its answer tells then.
    fn send(&mut self) {
        let bytes = std::mem::take(&mut self.pending);
        if !bytes.is_empty() {
            let _ = self.raw.bytes(&bytes);
        }
    }

    fn expect(&mut self, expected: &Expected) -> anyhow::Result<()> {
        let (wanted, counts) = match self.side {
            Side::Pintail => (&expected.pintail, true),
            Side::Postgres(major) => (&expected.postgres, major == 15 || !expected.only_15),
        };
        let mut seen = Vec::new();
        let mut matches = true;
        // To the end of what the last one ends, even where something differs: the next answers come behind it.
        let until_ready = wanted
            .last()
            .is_some_and(|last| last.starts_with("Z:") || last == "closed");
        loop {
            let wanted_now = wanted.get(seen.len());
            if !until_ready && wanted_now.is_none() {
                break;
            }
            let answer = self.next().with_context(|| format!("after {seen:?}"))?;
            matches &= wanted_now.is_some_and(|wanted| answer.is(wanted));
            let ends = answer.short == "closed" || answer.short.starts_with("Z:") && until_ready;
            seen.push(answer.told(wanted_now.map(String::as_str)));
            if ends {
                break;
            }
        }
        let matches = matches && seen.len() == wanted.len();
        anyhow::ensure!(
            matches || !counts,
            "\n  wanted {}\n  seen   {}",
            wanted.join(" "),
            seen.join(" ")
        );
        Ok(())
    }

    fn next(&mut self) -> anyhow::Result<Seen> {
        if let Some(answer) = self.known.pop_front() {
            return Ok(answer);
        }
        let Some(mut first) = self.receive()? else {
            return Ok(Seen::closed());
        };
        // How data is cut into messages is nobody's promise.
        while first.kind == b'd' {
            match self.receive()? {
                Some(next) if next.kind == b'd' => first.body.extend(next.body),
                Some(next) => {
                    self.known.push_back(Seen::from(&next));
                    break;
                }
                None => {
                    self.known.push_back(Seen::closed());
                    break;
                }
            }
        }
        Ok(Seen::from(&first))
    }

    fn receive(&mut self) -> anyhow::Result<Option<Answer>> {
        loop {
            match self.raw.receive()? {
                Some(answer) if answer.kind == b'S' && !self.statuses => {}
                other => return Ok(other),
            }
        }
    }
}
