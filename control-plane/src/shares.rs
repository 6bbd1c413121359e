//! How many connections and running statements each organisation and each user has, against their limits.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pintail_configstore::{Limits, OrgId, UserId};
use pintail_sqlstate::{Report, Severity, SqlState};

use crate::login::Login;

/// The counts of one control plane. Cloning shares them.
#[derive(Debug, Clone, Default)]
pub struct Shares(Arc<Mutex<HashMap<Holder, u32>>>);

/// What is counted, and whose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    OrgConnections(OrgId),
    UserConnections(UserId),
    OrgStatements(OrgId),
    UserStatements(UserId),
}

/// A place in the counts; dropping it gives it back.
#[derive(Debug)]
pub struct Share {
    shares: Shares,
    holders: [Holder; 2],
}

impl Shares {
    /// A connection's place; 53300 where one of its limits is reached.
    pub fn connect(&self, login: &Login) -> Result<Share, Report> {
        let of = |limits: &Limits| limits.connections;
        let wanted = [
            (Holder::OrgConnections(login.org.id), of(&login.org.limits)),
            (Holder::UserConnections(login.user.id), of(&login.user.limits)),
        ];
        self.take(wanted).map_err(|(index, limit)| {
            let whose = whose(login, index);
            Report::new(
                SqlState::TOO_MANY_CONNECTIONS,
                format!("too many connections for {whose}"),
            )
            .with_detail(format!("The limit \"connections\" of {whose} is {limit}."))
            .with_severity(Severity::Fatal)
        })
    }

    /// A running statement's place; 53400 where one of its limits is reached.
    pub fn run(&self, login: &Login) -> Result<Share, Report> {
        let of = |limits: &Limits| limits.statements;
        let wanted = [
            (Holder::OrgStatements(login.org.id), of(&login.org.limits)),
            (Holder::UserStatements(login.user.id), of(&login.user.limits)),
        ];
        self.take(wanted).map_err(|(index, limit)| {
            let whose = whose(login, index);
            Report::new(
                SqlState::CONFIGURATION_LIMIT_EXCEEDED,
                format!("too many statements run at once for {whose}"),
            )
            .with_detail(format!("The limit \"statements\" of {whose} is {limit}."))
            .with_hint("Try again when another statement has ended.")
        })
    }

    fn take(&self, wanted: [(Holder, Option<u32>); 2]) -> Result<Share, (usize, u32)> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, (holder, limit)) in wanted.iter().enumerate() {
            if let Some(limit) = limit
                && counts.get(holder).copied().unwrap_or(0) >= *limit
            {
                return Err((index, *limit));
            }
        }
        let holders = wanted.map(|(holder, _)| holder);
        for holder in holders {
            *counts.entry(holder).or_default() += 1;
        }
        Ok(Share {
            shares: self.clone(),
            holders,
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut counts = self.shares.0.lock().unwrap_or_else(PoisonError::into_inner);
        for holder in self.holders {
            if let Some(count) = counts.get_mut(&holder) {
                *count -= 1;
                if *count == 0 {
                    counts.remove(&holder);
                }
            }
        }
    }
}

fn whose(login: &Login, index: usize) -> String {
    if index == 0 {
        format!("organization \"{}\"", login.org.slug)
    } else {
        format!("role \"{}\"", login.user.name)
    }
}
