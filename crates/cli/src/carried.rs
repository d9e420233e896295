//! Libraries that programs load, for an `upset` that was installed alone:
//! `build.rs` says where cargo made them.

/// The stand-in for NVIDIA's runtime.
#[cfg(carries_library)]
pub const CUDART: &[u8] = include_bytes!(env!("UPSET_CARRIED_CUDART"));
#[cfg(not(carries_library))]
pub const CUDART: &[u8] = &[];

/// What keeps unmodified programs off bad SMs.
#[cfg(carries_library)]
pub const PRELOAD: &[u8] = include_bytes!(env!("UPSET_CARRIED_PRELOAD"));
#[cfg(not(carries_library))]
pub const PRELOAD: &[u8] = &[];
