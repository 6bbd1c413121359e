//! What requests and answers hold. No answer holds a secret.

use chrono::{DateTime, Utc};
use pintail_configstore::{Limits, Org, Role, Standing, User};
use pintail_worker_api::Secret;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whether something may be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum StandingBody {
    /// It may.
    #[default]
    Active,
    /// It may not: logins are refused, open sessions end at their next statement.
    Disabled,
}

/// Limits; absent ones are the installation's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsBody {
    /// Most connections at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    connections: Option<u32>,
    /// Most workers at a time (organisations only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workers: Option<u32>,
    /// Most statements that run at a time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    statements: Option<u32>,
    /// Most sessions that wait for a worker (organisations only).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    queue: Option<u32>,
    /// Memory of a worker, bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 33_554_432, maximum = 9_007_199_254_740_991_u64)]
    memory: Option<u64>,
    /// Threads of a worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1024)]
    threads: Option<u32>,
    /// Longest time of a statement, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 9_007_199_254_740_991_u64)]
    statement_timeout_ms: Option<u64>,
}

/// What an organisation is to be.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OrgBody {
    /// Whether it may be used.
    #[serde(default)]
    pub(super) standing: StandingBody,
    /// Its limits.
    #[serde(default)]
    pub(super) limits: LimitsBody,
    /// URL prefixes beyond its own that its statements may read and write, such as `s3://partner/exchange/`.
    #[serde(default)]
    pub(super) locations: Vec<String>,
}

/// An organisation.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OrgResource {
    /// Its short name.
    slug: String,
    standing: StandingBody,
    limits: LimitsBody,
    locations: Vec<String>,
    /// Host names of its own.
    hosts: Vec<String>,
    created_at: DateTime<Utc>,
}

/// What a user may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum RoleBody {
    /// Everything in its catalogs.
    #[default]
    Owner,
    /// Reads and writes, in its schemas.
    Writer,
    /// Reads, in its schemas.
    Reader,
}

/// What a user is to be.
#[derive(Debug, Clone, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UserBody {
    /// Its password; needed for a new user, absent to keep the present one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Password, write_only)]
    pub(super) password: Option<Secret<String>>,
    /// Whether it may be used.
    #[serde(default)]
    pub(super) standing: StandingBody,
    /// What it may do.
    #[serde(default)]
    pub(super) role: RoleBody,
    /// The schemas it is confined to; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) schemas: Option<Vec<String>>,
    /// The catalogs it may use; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) catalogs: Option<Vec<String>>,
    /// Its limits.
    #[serde(default)]
    pub(super) limits: LimitsBody,
}

/// A user.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UserResource {
    name: String,
    standing: StandingBody,
    role: RoleBody,
    #[serde(skip_serializing_if = "Option::is_none")]
    schemas: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    catalogs: Option<Vec<String>>,
    limits: LimitsBody,
    created_at: DateTime<Utc>,
}

impl From<StandingBody> for Standing {
    fn from(body: StandingBody) -> Self {
        match body {
            StandingBody::Active => Self::Active,
            StandingBody::Disabled => Self::Disabled,
        }
    }
}

impl From<Standing> for StandingBody {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Active => Self::Active,
            Standing::Disabled => Self::Disabled,
        }
    }
}

impl From<RoleBody> for Role {
    fn from(body: RoleBody) -> Self {
        match body {
            RoleBody::Owner => Self::Owner,
            RoleBody::Writer => Self::Writer,
            RoleBody::Reader => Self::Reader,
        }
    }
}

impl From<Role> for RoleBody {
    fn from(role: Role) -> Self {
        match role {
            Role::Owner => Self::Owner,
            Role::Writer => Self::Writer,
            Role::Reader => Self::Reader,
        }
    }
}

impl From<LimitsBody> for Limits {
    fn from(body: LimitsBody) -> Self {
        Self {
            connections: body.connections,
            workers: body.workers,
            statements: body.statements,
            queue: body.queue,
            memory: body.memory,
            threads: body.threads,
            statement_timeout_ms: body.statement_timeout_ms,
        }
    }
}

impl From<&Limits> for LimitsBody {
    fn from(limits: &Limits) -> Self {
        Self {
            connections: limits.connections,
            workers: limits.workers,
            statements: limits.statements,
            queue: limits.queue,
            memory: limits.memory,
            threads: limits.threads,
            statement_timeout_ms: limits.statement_timeout_ms,
        }
    }
}

impl LimitsBody {
    /// What is wrong with it.
    pub(super) fn mistake(&self) -> Option<&'static str> {
        const LEAST_MEMORY: u64 = 32 << 20;
        // JSON's numbers are exact up to here.
        const MOST: u64 = (1 << 53) - 1;
        if self
            .memory
            .is_some_and(|memory| !(LEAST_MEMORY..=MOST).contains(&memory))
        {
            return Some("the limit memory is at least 33554432 bytes (32 MiB)");
        }
        if self.threads.is_some_and(|threads| !(1..=1024).contains(&threads)) {
            return Some("the limit threads is from 1 to 1024");
        }
        if self.statement_timeout_ms.is_some_and(|limit| limit > MOST) {
            return Some("the limit statement_timeout_ms is too large");
        }
        None
    }
}

impl LimitsBody {
    /// A limit that no user has.
    pub(super) fn only_of_orgs(&self) -> Option<&'static str> {
        (self.workers.is_some() || self.queue.is_some())
            .then_some("the limits workers and queue are of organisations only")
    }
}

impl From<&Org> for OrgResource {
    fn from(org: &Org) -> Self {
        Self {
            slug: org.slug.to_string(),
            standing: org.standing.into(),
            limits: (&org.limits).into(),
            locations: org.locations.clone(),
            hosts: org.hosts.iter().cloned().collect(),
            created_at: org.created_at,
        }
    }
}

impl OrgResource {
    pub(super) fn key(&self) -> String {
        self.slug.clone()
    }
}

impl From<&User> for UserResource {
    fn from(user: &User) -> Self {
        Self {
            name: user.name.to_string(),
            standing: user.standing.into(),
            role: user.role.into(),
            schemas: user.schemas.clone(),
            catalogs: user
                .catalogs
                .as_ref()
                .map(|names| names.iter().map(ToString::to_string).collect()),
            limits: (&user.limits).into(),
            created_at: user.created_at,
        }
    }
}

impl UserResource {
    pub(super) fn key(&self) -> String {
        self.name.clone()
    }
}
