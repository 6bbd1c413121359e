use pintail_sqlstate::ToReport;

use super::*;

fn told(text: &str, sql: &str) -> Report {
    let failure = Failure {
        kind: 0,
        text: text.to_owned(),
    };
    to_error(&failure, sql).to_report()
}

#[test]
fn a_missing_table_is_told_as_postgresql_does() {
    let json = r#"{"exception_type":"Catalog","exception_message":"Table with name nope does not exist!\nDid you mean \"pg_enum\"?","candidates":"pg_enum","position":"14","error_subtype":"MISSING_ENTRY","type":"Table","name":"nope"}"#;
    let report = told(json, "select * from nope");
    assert_eq!(report.sqlstate, SqlState::UNDEFINED_TABLE);
    assert_eq!(report.message, "relation \"nope\" does not exist");
    assert_eq!(report.hint.as_deref(), Some("Did you mean \"pg_enum\"?"));
    for other in ["hr.pay", "lake.hr.pay", "nope_ or hr.pay", "__pintail_session"] {
        let report = told(&json.replace("pg_enum", other), "select * from nope");
        assert_eq!(report.hint, None, "{other}");
    }
    assert_eq!(report.position, Some(15));
}

#[test]
fn a_store_that_refuses_is_told_apart_from_one_that_does_not_answer() {
    let refused = "HTTP Error: HTTP GET error reading 's3://b/k' in region 'r' (HTTP 403 Forbidden)\n\nAccessDenied: x";
    let report = told(refused, "");
    assert_eq!(report.sqlstate, SqlState::INSUFFICIENT_PRIVILEGE);
    assert!(!report.message.contains("AccessDenied"), "{report}");
    let refused = "HTTP Error: Unable to connect to URL s3://b/k: Forbidden (HTTP code 403)\n\nAccessDenied: x";
    assert_eq!(told(refused, "").sqlstate, SqlState::INSUFFICIENT_PRIVILEGE);
    let missing = "HTTP Error: HTTP GET error reading 's3://b/k' in region 'r' (HTTP 404 Not Found)";
    assert_eq!(told(missing, "").sqlstate, SqlState::UNDEFINED_FILE);
    let silent = "HTTP Error: HTTP GET error on 'http://h/k' (HTTP 0 Internal Server Error)";
    assert_eq!(told(silent, "").sqlstate, SqlState::CONNECTION_FAILURE);
}

#[test]
fn an_iceberg_catalogs_stack_is_not_told() {
    let text = r#"TransactionContext Error: Failed to commit: Failed to commit Iceberg transaction: Request to 'http://h/v1/namespaces/s' returned a non-200 status code (Conflict_409), with reason: Conflict, body: {"error":{"message":"Namespace s is not empty.","type":"NamespaceNotEmptyException","code":409,"stack":["at x.Y"]}}"#;
    let report = told(text, "");
    assert_eq!(report.sqlstate, SqlState::DEPENDENT_OBJECTS_STILL_EXIST);
    assert_eq!(
        report.message,
        "the Iceberg catalog refused the request: Namespace s is not empty."
    );
    let text =
        "HTTP Error: GET request to 'http://h' returned a non-200 status code (Unauthorized_401), with reason: x";
    assert_eq!(told(text, "").sqlstate, SqlState::INSUFFICIENT_PRIVILEGE);
}

#[test]
fn a_commit_that_lost_its_metadata_is_no_conflict() {
    let lost = "TransactionContext Error: Failed to commit: Failed to execute query \"ROLLBACK\": ";
    assert_eq!(told(lost, "").sqlstate, SqlState::TRANSACTION_RESOLUTION_UNKNOWN);
    let conflict = "TransactionContext Error: Failed to commit: Failed to commit DuckLake transaction.";
    assert_eq!(told(conflict, "").sqlstate, SqlState::T_R_SERIALIZATION_FAILURE);
}

#[test]
fn positions_count_characters() {
    let json = r#"{"exception_type":"Binder","exception_message":"Referenced column \"nope\" not found","position":"13","error_subtype":"COLUMN_NOT_FOUND","name":"nope"}"#;
    assert_eq!(told(json, "select 'é', nope from t").position, Some(13));
}

#[test]
fn an_error_of_our_own_is_unpacked() {
    let json = r#"{"exception_type":"Invalid Input","exception_message":"PINTAIL:22012:division by zero"}"#;
    let report = told(json, "");
    assert_eq!(
        (report.sqlstate, report.message.as_str()),
        (SqlState::DIVISION_BY_ZERO, "division by zero")
    );
}

#[test]
fn a_plain_text_error_is_understood() {
    let report = told("Conversion Error: Could not convert string 'a' to INT32", "");
    assert_eq!(report.sqlstate, SqlState::INVALID_TEXT_REPRESENTATION);
    assert_eq!(report.message, "invalid input syntax for type integer: \"a\"");
}

#[test]
fn internal_errors_say_nothing_and_break_the_worker() {
    let failure = Failure {
        kind: 0,
        text: "INTERNAL Error: Assertion triggered".to_owned(),
    };
    let error = to_error(&failure, "");
    assert!(error.broken());
    assert_eq!(error.to_report().message, "internal error in the engine");
}

#[test]
fn a_system_column_and_its_type_are_refused_by_name() {
    let json = r#"{"exception_type":"Binder","exception_message":"Referenced column \"ctid\" not found in FROM clause!\nCandidate bindings: \"i\"","position":"7","name":"ctid","error_subtype":"COLUMN_NOT_FOUND"}"#;
    let report = told(json, "SELECT ctid FROM t");
    assert_eq!(report.sqlstate, SqlState::FEATURE_NOT_SUPPORTED);
    assert_eq!(report.message, "system column \"ctid\" is not supported");
    assert_eq!(report.position, Some(8));
    let json = r#"{"exception_type":"Catalog","exception_message":"Type with name tid does not exist!\nDid you mean \"time\"?","error_subtype":"MISSING_ENTRY","type":"Type","name":"tid"}"#;
    let report = told(json, "SELECT '(0,1)'::tid");
    assert_eq!(report.message, "type \"tid\" is not supported");
    assert_eq!(report.hint.as_deref(), Some("Name rows by a key of the table's."));
    let other = told(&json.replace("tid", "tidy"), "SELECT 1::tidy");
    assert_eq!(other.sqlstate, SqlState::UNDEFINED_OBJECT);
}

#[test]
fn a_wrong_value_has_the_place_of_its_literal() {
    for (sql, cast, expected) in [
        ("SELECT 'x'::date", "::", Some(7)),
        ("SELECT 'it''s' ::date", "::", Some(7)),
        ("SELECT CAST('x' AS date)", "CAST", Some(12)),
        ("SELECT date 'x'", "date", Some(12)),
        ("SELECT a::date FROM t", "::", None),
        ("SELECT CAST(a AS date) || 'x' FROM t", "CAST", None),
    ] {
        let offset = sql.find(cast).expect("there");
        assert_eq!(literal(sql, offset), expected, "{sql}");
    }
}
