//! The macros that carry a session's own values into its instance.

use crate::Context;

/// Statements to run when a session opens, after the catalog's installation and before the client's first statement.
pub fn session_setup(context: &Context<'_>) -> Vec<String> {
    let catalog = literal(context.catalog);
    let user = literal(context.user);
    let session_user = literal(context.session_user);
    let address = context.client_address.map_or_else(|| "NULL::VARCHAR".to_owned(), literal);
    let macros = [
        ("_catalog()", catalog.clone()),
        ("_user()", user),
        ("_session_user()", session_user),
        ("_backend_pid()", context.backend_pid.to_string()),
        ("_client_addr()", address),
    ];
    let mut statements: Vec<String> = macros
        .iter()
        .map(|(name, body)| format!("CREATE OR REPLACE MACRO __pintail.pg.{name} AS {body}"))
        .collect();
    if context.storage == crate::Storage::Lake {
        statements.push(format!(
            "CREATE OR REPLACE VIEW __pintail.pg._constraints AS SELECT * FROM {}.\"__pintail\".\"constraints\"",
            identifier(context.catalog)
        ));
    }
    statements
}

pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

pub(crate) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
