//! Numbers that the store gives to its rows.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($type:ident, $what:literal) => {
        #[doc = $what]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $type(pub i64);

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(OrgId, "An organisation's number; never used again.");
id!(UserId, "A user's number; never used again.");
id!(
    CatalogId,
    "A catalog's number; a catalog of the same name made later has another."
);
id!(TombstoneId, "A tombstone's number.");
