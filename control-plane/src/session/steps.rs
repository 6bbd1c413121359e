//! Statements of several steps in the extended protocol: described by texts that are prepared and never run.

use std::time::SystemTime;

use pintail_transpiler::{Description, Output};
use pintail_worker_api::messages::{Prepare, Prepared as Answer};

use super::extended::effective;
use super::machine::{Call, Forget, Machine, Next, Parsing, PendingParse, Purpose, Stage, Waiting};
use super::output::{announced, origins, rename_told};
use super::portal::{Body, Prepared};

impl Machine {
    /// Asks the engine for a statement's parameters.
    pub(super) fn describe_steps(&mut self, description: Description, output: Output, parsing: Parsing) {
        if !self.is_ready_to_prepare() {
            return self.parse_again(parsing);
        }
        let param_oids = parsing.types.clone();
        self.waiting = Some(Waiting::Prepare(Box::new(PendingParse {
            parsing,
            output,
            settings: Vec::new(),
            unchanged: false,
            stage: Stage::Parameters(description.columns),
        })));
        self.call = Some(Next::Call(Call::Prepare(Prepare {
            sql: description.parameters,
            param_oids,
            column_oids: Vec::new(),
            origins: None,
        })));
    }

    /// The engine told the parameters, or then the columns.
    pub(super) fn described_steps(&mut self, mut parse: PendingParse, answer: Answer) {
        self.forget.push(Forget::Statement(answer.handle));
        match std::mem::replace(&mut parse.stage, Stage::Whole) {
            Stage::Whole => {}
            Stage::Parameters(sql) => {
                let (column_oids, origins) = (announced(&parse.output), origins(&parse.output));
                parse.stage = Stage::Columns(answer.param_oids.clone());
                self.waiting = Some(Waiting::Prepare(Box::new(parse)));
                self.call = Some(Next::Call(Call::Prepare(Prepare {
                    sql,
                    param_oids: answer.param_oids,
                    column_oids,
                    origins,
                })));
            }
            Stage::Columns(param_oids) => {
                let mut columns = answer.columns;
                rename_told(&mut columns, parse.output);
                let parsing = parse.parsing;
                let text = parsing.purpose.text(&parsing.statement);
                let prepared = Prepared {
                    statement: Some(parsing.statement),
                    param_oids: effective(&param_oids, &answer.param_oids),
                    body: Body::Steps { columns },
                    from_sql: matches!(parsing.purpose, Purpose::Sql(_)),
                    instance: self.instance,
                    text,
                    made: SystemTime::now(),
                };
                self.store_prepared(parsing.name, prepared, parsing.purpose);
            }
        }
    }
}
