//! Organisations beside each other on one installation.

mod api;
mod catalogs;
mod limits;
mod passwords;
mod provisioning;
mod rights;
mod routing;
mod scopes;
mod secrets;
