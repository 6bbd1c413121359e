//! The store against a real `PostgreSQL`. Roles are shared by all databases of the server, so every test has organisations
//! of its own names.

mod changes;
mod fresh;
mod harness;
mod life;
mod migration;
mod names;
mod rights;
mod seals;
mod secrecy;
mod server;
mod tls;
