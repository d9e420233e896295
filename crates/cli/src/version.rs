//! What `upset --version` tells beyond the number; `build.rs` finds it out.

/// Number, commit, features, and what it was built for.
pub const LONG: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit ",
    env!("UPSET_COMMIT"),
    "\nfeatures ",
    env!("UPSET_FEATURES"),
    "\nbuilt for ",
    env!("UPSET_TARGET"),
    ", ",
    env!("UPSET_PROFILE"),
);
