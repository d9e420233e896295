//! The part of the system that would make two runs of a program differ: clocks
//! and random bytes.
//!
//! A small library that is loaded before all others (the launcher's `facade::HOST`)
//! has the names below; each jumps to the function of that name here. So a
//! program under `upset` sees a clock that is the same in every run and moves
//! on by its own calls alone, and random bytes that are the same in every run.
//! The first use of each function is told, so that a campaign can say what a
//! program depends on.
//!
//! Nothing here may allocate or lock: programs call these functions from
//! signal handlers and from within their own allocators.

mod clock;
mod files;
mod holding;
mod ours;
mod poll;
mod random;
mod sleep;
mod system;
mod wait;

pub use files::bytes as random_bytes;
pub use ours::{Ours, theirs};
pub(crate) use system::variable;

/// Every function that is held.
pub fn names() -> impl Iterator<Item = &'static str> {
    let all = [clock::NAMES, sleep::NAMES, wait::NAMES, poll::NAMES, random::NAMES, files::NAMES];
    all.into_iter().flatten().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_is_there_twice_and_none_is_the_runtimes() {
        let all: Vec<&str> = names().collect();
        let set: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(set.len(), all.len());
        assert!(crate::api::names().all(|n| !set.contains(n)));
    }
}
