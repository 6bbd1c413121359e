//! Result types of the system's functions.

use sqlparser::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::super::{build, last_name, types};

/// Functions and their result types, where the engine would announce another.
const RESULTS: &[(&str, u32)] = &[
    ("current_catalog", 19),
    ("current_database", 19),
    ("current_role", 19),
    ("current_schema", 19),
    ("current_user", 19),
    ("getdatabaseencoding", 19),
    ("inet_client_addr", 869),
    ("inet_server_addr", 869),
    ("json_agg", 114),
    ("json_array_length", 23),
    ("json_build_array", 114),
    ("json_build_object", 114),
    ("json_extract_path", 114),
    ("jsonb_agg", 3802),
    ("jsonb_build_array", 3802),
    ("jsonb_build_object", 3802),
    ("jsonb_extract_path", 3802),
    ("jsonb_set", 3802),
    ("jsonb_strip_nulls", 3802),
    ("pg_advisory_lock", 2278),
    ("pg_advisory_lock_shared", 2278),
    ("pg_advisory_unlock_all", 2278),
    ("pg_advisory_xact_lock", 2278),
    ("pg_advisory_xact_lock_shared", 2278),
    ("pg_client_encoding", 19),
    ("pg_encoding_to_char", 19),
    ("pg_get_userbyid", 19),
    ("pg_notify", 2278),
    ("pg_sleep", 2278),
    ("pg_sleep_for", 2278),
    ("pg_sleep_until", 2278),
    ("pg_typeof", 2206),
    ("session_user", 19),
    ("to_json", 114),
    ("to_jsonb", 3802),
    ("to_regclass", 2205),
    ("to_regtype", 2206),
    ("user", 19),
];

/// Functions whose result has their argument's type.
const SAME: &[&str] = &[
    "any_value",
    "coalesce",
    "first_value",
    "greatest",
    "lag",
    "last_value",
    "lead",
    "least",
    "max",
    "min",
    "nullif",
];

/// A call's type; `argument` finds an argument's.
pub(super) fn infer(function: &Function, argument: impl Fn(&Expr) -> u32) -> u32 {
    let Some(name) = last_name(&function.name) else {
        return 0;
    };
    if let Ok(index) = RESULTS.binary_search_by_key(&name.as_str(), |(name, _)| name) {
        return RESULTS[index].1;
    }
    if name == "array_agg" {
        return element(function)
            .and_then(|arg| types::array_of(argument(arg)))
            .unwrap_or(0);
    }
    if !SAME.contains(&name.as_str()) {
        return 0;
    }
    let args = build::plain_arguments(function).unwrap_or_default();
    let mut types = args.iter().filter(|arg| !build::is_null(arg)).map(argument);
    let Some(first) = types.next() else { return 0 };
    // Aggregates of `name` are of `text`.
    let first = if first == 19 && matches!(name.as_str(), "max" | "min") {
        25
    } else {
        first
    };
    let alternatives = matches!(name.as_str(), "coalesce" | "greatest" | "least");
    if !alternatives || types.all(|other| other == first) {
        first
    } else {
        0
    }
}

/// What an aggregate collects, whatever its order.
fn element(function: &Function) -> Option<&Expr> {
    let FunctionArguments::List(list) = &function.args else {
        return None;
    };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))] => Some(expr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_are_sorted() {
        assert!(super::RESULTS.is_sorted_by_key(|(name, _)| *name));
    }
}
