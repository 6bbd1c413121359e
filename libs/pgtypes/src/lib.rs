//! Placeholder module line.
