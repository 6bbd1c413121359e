//! Lists in pages, and the extractors of every handler.

use axum::extract::{FromRequest, FromRequestParts};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Problem;

/// Most entries of a page.
const MOST: usize = 1000;
/// Entries of a page where the request says nothing.
const USUAL: usize = 100;

/// A JSON body.
#[derive(FromRequest)]
#[from_request(via(axum::Json), rejection(Problem))]
pub(super) struct Json<T>(pub(super) T);

/// Parts of the path.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Problem))]
pub(super) struct Path<T>(pub(super) T);

/// Parts of the query.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Problem))]
pub(super) struct Query<T>(pub(super) T);

/// Which part of a list is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// Most entries, up to 1000; 100 without it.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// The `next` of the page before.
    after: Option<String>,
}

/// A part of a list.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub(super) struct Page<T> {
    /// The entries, in the order of their names.
    pub(super) items: Vec<T>,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
}

/// Entries of a page, as the request wants.
pub(super) fn limit(wanted: Option<usize>) -> Result<usize, Problem> {
    match wanted {
        None => Ok(USUAL),
        Some(limit @ 1..=MOST) => Ok(limit),
        Some(_) => Err(Problem::new(
            StatusCode::BAD_REQUEST,
            format!("limit is from 1 to {MOST}"),
        )),
    }
}

impl<T> Page<T> {
    /// Cuts a page out of a list that is in the order of `name`.
    pub(super) fn cut(
        items: impl Iterator<Item = T>,
        wanted: &Wanted,
        name: impl Fn(&T) -> String,
    ) -> Result<Self, Problem> {
        let limit = limit(wanted.limit)?;
        let after = wanted.after.as_deref().unwrap_or_default();
        let mut items: Vec<T> = items
            .filter(|item| after.is_empty() || name(item).as_str() > after)
            .take(limit + 1)
            .collect();
        let more = items.len() > limit;
        items.truncate(limit);
        let next = more.then(|| items.last().map(&name)).flatten();
        Ok(Self { items, next })
    }
}
