//! The library that CUDA programs load, inside the package (`../cli/build.rs`).

/// Has it at hand.
pub fn carry() {
    #[cfg(carries_library)]
    upset_cli::carry(include_bytes!(env!("UPSET_CARRIED_CUDART")), &[]);
}
