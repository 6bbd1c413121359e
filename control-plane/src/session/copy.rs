//! `COPY` by the client's protocol (manual, "COPY Operations").
//!
//! Out, a query's rows leave as `CopyData`; in, the client's data is passed to the worker unread. Between `CopyInResponse` and
//! its end nothing else of the client's is taken up: `Flush` and `Sync` are passed over, anything else is a mistake.

use bytes::Bytes;
use pintail_sqlstate::{Report, SqlState, ToReport};
use pintail_transpiler::{Copy, CopyFormat, CopySide, CopyTarget, ForceColumns, Plan, Statement, Tag};
use pintail_worker_api::error::CallError;
use pintail_worker_api::messages::{self, Column, CopyForce, CopyHeader, CopyIn, CopyOptions, CopySetting};

use super::machine::{Call, Machine, Next, Op, Waiting};
use super::statement::{Delivery, unsupported};
use super::transaction::read_only;
use crate::wire::backend;
use crate::wire::frontend::Message;

/// A `COPY … FROM STDIN` that waits for its worker, or that takes data.
#[derive(Debug)]
pub(super) struct Copying {
    message: CopyIn,
    tag: Tag,
}

/// What the driver is asked to do for a `COPY … FROM STDIN`.
#[derive(Debug)]
pub enum CopyCall {
    /// Begin.
    Begin(CopyIn),
    /// Send data.
    Data(Bytes),
    /// Say that the data is complete.
    Finish,
    /// Give up for the client's reason.
    Fail(String),
}

/// What came of a [`CopyCall`].
#[derive(Debug)]
pub enum CopyAnswer {
    /// To [`CopyCall::Begin`]: the columns in the order in which rows have them.
    Ready(Result<Vec<Column>, CallError>),
    /// To [`CopyCall::Data`]; without a call where the worker failed in the meantime.
    Sent(Result<(), CallError>),
    /// To [`CopyCall::Finish`]: rows stored; to [`CopyCall::Fail`] always an error.
    Ended(Result<u64, CallError>),
}

impl Machine {
    /// Carries a `COPY` out.
    pub(super) fn copy_command(
        &mut self,
        copy: &Copy,
        statement: &Statement,
        delivery: &Delivery,
    ) -> Result<(), Report> {
        let options = options(copy)?;
        match (&copy.side, &copy.target) {
            (CopySide::Stdout, CopyTarget::Query(query)) => {
                let plan = self.plan(query, &[])?;
                self.copy_out(query, plan, options, delivery)
            }
            (CopySide::Stdout, CopyTarget::Table { query, .. }) => {
                let mut plan = self.plan(query, &[])?;
                // The client wrote no such query, so no place in it is one of the client's text.
                plan.steps.iter_mut().for_each(|step| step.unchanged = false);
                self.copy_out(query, plan, options, delivery)
            }
            (CopySide::Stdin, CopyTarget::Table { name, columns, .. }) => {
                if self.is_read_only() {
                    return Err(read_only(&Tag::Fixed("COPY FROM".into())));
                }
                let table = self
                    .with_context(&[], |context| pintail_transpiler::copy_target(statement, context))
                    .map_err(|error| error.to_report())?;
                let message = CopyIn {
                    table,
                    columns: columns.clone(),
                    options: Some(options),
                    relation: name.last().cloned().unwrap_or_default(),
                    ..CopyIn::default()
                };
                self.transaction.note_write();
                self.queue.push_front(Op::CopyIn(Box::new(Copying {
                    message,
                    tag: statement.tag.clone(),
                })));
                Ok(())
            }
            (CopySide::FromFile(_) | CopySide::ToFile(_) | CopySide::Program, _) => {
                self.with_context(&[], |context| pintail_transpiler::rewrite(statement, context))
                    .map_err(|error| error.to_report())?;
                Err(Report::new(
                    SqlState::INSUFFICIENT_PRIVILEGE,
                    "permission denied for COPY to or from a file of the server",
                )
                .with_hint("Anyone can COPY to stdout or from stdin. psql's \\copy command also works for anyone."))
            }
            (CopySide::Stdin, CopyTarget::Query(_)) => Err(unsupported("COPY query FROM is not supported")),
        }
    }

    fn copy_out(
        &mut self,
        query: &Statement,
        plan: Plan,
        options: CopyOptions,
        delivery: &Delivery,
    ) -> Result<(), Report> {
        self.admit(query)?;
        self.check_set_config(&plan.settings, &[])?;
        let delivery = Delivery {
            copy: Some(options),
            // A row limit means nothing here.
            portal: delivery.portal.clone().map(|(name, _)| (name, 0)),
            ..delivery.clone()
        };
        self.run_plan(query, plan, Vec::new(), &delivery);
        Ok(())
    }

    /// Begins a `COPY … FROM STDIN` after what must come before it.
    pub(super) fn begin_copy(&mut self, mut copying: Box<Copying>) {
        if !self.has_worker() {
            self.queue.push_front(Op::CopyIn(copying));
            return;
        }
        if let Some(before) = self.before_run() {
            self.queue.push_front(Op::CopyIn(copying));
            self.queue.push_front(before);
            return;
        }
        self.transaction.used = true;
        self.sequence += 1;
        let (rows, timeout_ms) = self.rows_wanted();
        copying.message.sequence = self.sequence;
        copying.message.rows = Some(rows);
        copying.message.timeout_ms = timeout_ms;
        self.call = Some(Next::Call(Call::Copy(CopyCall::Begin(copying.message.clone()))));
        self.waiting = Some(Waiting::Copy(copying));
    }

    /// Whether the client's data is for the worker.
    pub fn is_copying(&self) -> bool {
        self.copying.is_some()
    }

    /// A message of the client's while it sends data.
    pub(super) fn copy_message(&mut self, message: Message) {
        let Some(copying) = self.copying.take() else { return };
        let call = match message {
            Message::CopyData(data) => CopyCall::Data(data),
            Message::CopyDone => CopyCall::Finish,
            Message::CopyFail(reason) => CopyCall::Fail(reason),
            Message::Flush | Message::Sync => {
                self.copying = Some(copying);
                return;
            }
            Message::Terminate => {
                self.phase = super::machine::Phase::Closing;
                return;
            }
            _ => {
                return self.end(Report::new(
                    SqlState::PROTOCOL_VIOLATION,
                    "unexpected message type during COPY from stdin",
                ));
            }
        };
        self.call = Some(Next::Call(Call::Copy(call)));
        self.waiting = Some(Waiting::Copy(copying));
    }

    /// What came of a call, or of the worker's own accord.
    pub(super) fn copy_answer(&mut self, copying: Box<Copying>, answer: CopyAnswer) {
        match answer {
            CopyAnswer::Ready(Ok(columns)) => {
                let format = i8::from(copying.is_binary());
                backend::copy_in_response(self.out.buffer(), format, columns.len());
                self.copying = Some(copying);
            }
            CopyAnswer::Sent(Ok(())) => self.copying = Some(copying),
            CopyAnswer::Ended(Ok(rows)) => self.queue.push_front(Op::Complete(copying.tag.render(rows))),
            CopyAnswer::Ready(Err(error)) | CopyAnswer::Sent(Err(error)) | CopyAnswer::Ended(Err(error)) => {
                self.call_failed(&error);
            }
        }
    }

    /// The worker failed while the client was waited for.
    pub fn copy_failed(&mut self, error: CallError) {
        if let Some(copying) = self.copying.take() {
            self.copy_answer(copying, CopyAnswer::Sent(Err(error)));
        }
    }
}

impl Copying {
    fn is_binary(&self) -> bool {
        self.message.options.as_ref().is_some_and(is_binary)
    }
}

/// Whether data in this format is told to the client as binary: everything but text and CSV.
pub(super) fn is_binary(options: &CopyOptions) -> bool {
    !matches!(options.format(), messages::CopyFormat::Text | messages::CopyFormat::Csv)
}

/// The options for the worker.
fn options(copy: &Copy) -> Result<CopyOptions, Report> {
    let given = &copy.options;
    let format = match &given.format {
        CopyFormat::Text => messages::CopyFormat::Text,
        CopyFormat::Csv => messages::CopyFormat::Csv,
        CopyFormat::Binary => messages::CopyFormat::Binary,
        CopyFormat::Other(name) => match name.as_str() {
            "parquet" => messages::CopyFormat::Parquet,
            "arrow" => messages::CopyFormat::Arrow,
            other => {
                return Err(Report::new(
                    SqlState::INVALID_PARAMETER_VALUE,
                    format!("COPY format \"{other}\" not recognized"),
                ));
            }
        },
    };
    let header = match given.header.as_deref() {
        Some("true") => CopyHeader::Present,
        Some("match") => CopyHeader::Match,
        _ => CopyHeader::Absent,
    };
    let settings = given.other.iter().map(|(name, value)| CopySetting {
        name: name.clone(),
        value: value.clone(),
    });
    Ok(CopyOptions {
        format: format.into(),
        delimiter: given.delimiter.clone().unwrap_or_default(),
        null: given.null.clone(),
        header: header.into(),
        quote: given.quote.clone().unwrap_or_default(),
        escape: given.escape.clone().unwrap_or_default(),
        force_quote: forced(&given.force_quote),
        force_not_null: forced(&given.force_not_null),
        force_null: forced(&given.force_null),
        settings: settings.collect(),
    })
}

fn forced(columns: &ForceColumns) -> Option<CopyForce> {
    match columns {
        ForceColumns::None => None,
        ForceColumns::All => Some(CopyForce {
            all: true,
            columns: Vec::new(),
        }),
        ForceColumns::Columns(columns) => Some(CopyForce {
            all: false,
            columns: columns.clone(),
        }),
    }
}
