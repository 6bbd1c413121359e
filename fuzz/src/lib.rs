//! What the fuzzer feeds. The protocol's files are compiled here by themselves, so that an instrumented build takes minutes: the
//! control plane as a whole would bring its HTTP server, its SQL parser and its Arrow with it.

pub mod entries;
#[allow(dead_code, unreachable_pub, reason = "the control plane uses the rest")]
mod wire;
