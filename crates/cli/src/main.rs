//! The program `upset`: what a flipped bit does to a GPU program.

use std::process::ExitCode;

/// Libraries that programs load, for an `upset` that was installed alone:
/// `build.rs` says where cargo made them. They are here and not in the library
/// because cargo begins to compile that one before they are linked.
#[cfg(carries_library)]
mod carried {
    /// The stand-in for NVIDIA's runtime.
    pub const CUDART: &[u8] = include_bytes!(env!("UPSET_CARRIED_CUDART"));
    /// What keeps unmodified programs off bad SMs.
    pub const PRELOAD: &[u8] = include_bytes!(env!("UPSET_CARRIED_PRELOAD"));
}

fn main() -> ExitCode {
    #[cfg(carries_library)]
    upset_cli::carry(carried::CUDART, carried::PRELOAD);
    upset_cli::main()
}
