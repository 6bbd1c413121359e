//! Pieces of trees that several rules make.

use sqlparser::ast::{
    CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList, FunctionArguments, Ident,
    ObjectName, ObjectNamePart, Value,
};

/// `"name"`, quoted.
pub(super) fn ident(name: &str) -> Ident {
    Ident::with_quote('"', name)
}

/// A name of quoted parts.
pub(super) fn object(parts: &[&str]) -> ObjectName {
    ObjectName(
        parts
            .iter()
            .map(|part| ObjectNamePart::Identifier(ident(part)))
            .collect(),
    )
}

/// A name whose parts need no quotes.
pub(super) fn plain(parts: &[&str]) -> ObjectName {
    ObjectName(
        parts
            .iter()
            .map(|part| ObjectNamePart::Identifier(Ident::new(*part)))
            .collect(),
    )
}

/// A call of an installed macro, by its full name, so that no search path hides it.
pub(super) fn own(name: &str, args: Vec<Expr>) -> Expr {
    call_object(plain(&["__pintail", "pg", name]), args)
}

/// A call by an unqualified name.
pub(super) fn call(name: &str, args: Vec<Expr>) -> Expr {
    call_object(plain(&[name]), args)
}

fn call_object(name: ObjectName, args: Vec<Expr>) -> Expr {
    Expr::Function(Function {
        name,
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: arguments(args),
        within_group: Vec::new(),
        filter: None,
        null_treatment: None,
        over: None,
    })
}

/// A plain argument list.
pub(super) fn arguments(args: Vec<Expr>) -> FunctionArguments {
    FunctionArguments::List(FunctionArgumentList {
        duplicate_treatment: None,
        args: args
            .into_iter()
            .map(|arg| FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)))
            .collect(),
        clauses: Vec::new(),
    })
}

/// The plain, unnamed arguments of a call; `None` where any is something else.
pub(super) fn plain_arguments(function: &Function) -> Option<Vec<Expr>> {
    match &function.args {
        FunctionArguments::None => Some(Vec::new()),
        FunctionArguments::List(list) if list.clauses.is_empty() && list.duplicate_treatment.is_none() => {
            expressions(&list.args)
        }
        _ => None,
    }
}

/// The expressions of unnamed arguments.
pub(super) fn expressions(args: &[FunctionArg]) -> Option<Vec<Expr>> {
    args.iter()
        .map(|arg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
            _ => None,
        })
        .collect()
}

/// `'text'`.
pub(super) fn text(value: &str) -> Expr {
    Expr::value(Value::SingleQuotedString(value.replace('\'', "''")))
}

/// A number as written.
pub(super) fn number(value: &str) -> Expr {
    Expr::value(Value::Number(value.to_owned(), false))
}

/// `CAST(expr AS type)`.
pub(super) fn cast(expr: Expr, data_type: DataType) -> Expr {
    Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(expr),
        data_type,
        format: None,
    }
}

/// `VARCHAR`.
pub(super) fn varchar() -> DataType {
    DataType::Varchar(None)
}

/// The OID of `unknown`.
pub(super) const UNKNOWN: u32 = 705;

/// The type that the client declared for an expression that is a parameter, 0 where it left that open; `None` for others.
pub(super) fn declared(expr: &Expr, oids: &[u32]) -> Option<u32> {
    let oid = parameter(expr)?.checked_sub(1).and_then(|index| oids.get(index));
    Some(oid.copied().filter(|&oid| oid != UNKNOWN).unwrap_or(0))
}

/// A type by a name that DuckDB knows.
pub(super) fn named_type(name: &str) -> DataType {
    DataType::Custom(plain(&[name]), Vec::new())
}

/// A string literal's value.
pub(super) fn literal(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text.replace("''", "'")),
            Value::EscapedStringLiteral(text) => Some(text.clone()),
            Value::DollarQuotedString(text) => Some(text.value.clone()),
            _ => None,
        },
        Expr::Nested(inner) => literal(inner),
        _ => None,
    }
}

/// Whether it is NULL, as written.
pub(super) fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if value.value == Value::Null)
}

/// A placeholder's number.
pub(super) fn parameter(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Placeholder(name) => name.strip_prefix('$')?.parse().ok(),
            _ => None,
        },
        Expr::Nested(inner) => parameter(inner),
        _ => None,
    }
}
