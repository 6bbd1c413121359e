//! The variables that carry a session's own values into its instance.

use crate::{Context, LoginRole, Storage};

/// Whether an entry of the search path may be a schema of the catalog's own. The engine is told of no other.
pub fn is_own_schema(entry: &str) -> bool {
    !matches!(entry, "$user" | "pg_catalog" | "information_schema")
}

/// Statements to run when a session opens, after the catalog's installation and before the client's first statement.
///
/// They set variables, which the installed macros read, and for a lake point the recorded constraints at its table.
pub fn session_setup(context: &Context<'_>) -> Vec<String> {
    let pid = context.backend_pid.to_string();
    let variables = [
        ("pintail_catalog", Some(context.catalog)),
        ("pintail_user", Some(context.user)),
        ("pintail_session_user", Some(context.session_user)),
        ("pintail_backend_pid", Some(pid.as_str())),
        ("pintail_client_addr", context.client_address),
    ];
    let mut statements: Vec<String> = variables
        .iter()
        .filter_map(|(name, value)| Some(format!("SET VARIABLE {name} = {}", literal((*value)?))))
        .collect();
    let schemas = context.access.schemas.map_or_else(
        || "NULL::VARCHAR[]".to_owned(),
        |schemas| {
            let listed: Vec<String> = schemas.iter().map(|schema| literal(schema)).collect();
            format!("[{}]::VARCHAR[]", listed.join(", "))
        },
    );
    statements.push(format!("SET VARIABLE pintail_schemas = {schemas}"));
    statements.push(format!(
        "SET VARIABLE pintail_role = {}",
        literal(match context.access.role {
            LoginRole::Owner => "owner",
            LoginRole::Writer => "writer",
            LoginRole::Reader => "reader",
        })
    ));
    if context.storage == Storage::Lake {
        statements.push(format!(
            "CREATE OR REPLACE VIEW \"__pintail_session\".main.constraints AS SELECT * FROM {}.\"__pintail\".\"constraints\"",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Access;

    #[test]
    fn a_session_tells_the_catalogs_what_its_login_sees() {
        let schemas = ["public".to_owned(), "o'hara".to_owned()];
        let context = Context {
            access: Access {
                role: LoginRole::Reader,
                schemas: Some(&schemas),
            },
            ..Context::default()
        };
        let setup = session_setup(&context);
        assert!(setup.contains(&"SET VARIABLE pintail_schemas = ['public', 'o''hara']::VARCHAR[]".to_owned()));
        assert!(setup.contains(&"SET VARIABLE pintail_role = 'reader'".to_owned()));
        let setup = session_setup(&Context::default());
        assert!(setup.contains(&"SET VARIABLE pintail_schemas = NULL::VARCHAR[]".to_owned()));
    }
}
