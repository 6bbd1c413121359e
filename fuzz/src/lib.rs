//! What the fuzzer feeds. The protocol's files are compiled here by themselves, so that an instrumented build takes minutes: the
//! control plane as a whole would bring its HTTP server, its SQL parser and its Arrow with it.

pub mod entries;

#[allow(dead_code, unreachable_pub, reason = "the control plane uses the rest")]
mod wire {
    #[path = "../../../control-plane/src/wire/error.rs"]
    mod error;
    #[path = "../../../control-plane/src/wire/frontend.rs"]
    pub mod frontend;
    #[path = "../../../control-plane/src/wire/scram.rs"]
    pub mod scram;
    #[path = "../../../control-plane/src/wire/startup.rs"]
    pub mod startup;

    pub use error::ProtocolError;
}
