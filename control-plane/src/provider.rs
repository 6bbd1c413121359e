//! Where workers come from. Each provider is one module; the pool knows only the traits.

pub mod child;
