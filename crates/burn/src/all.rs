//! The table of all tests.

use crate::{Test, compute, control, memory, portable, storage, stress};

/// All tests, in the order in which they are run.
pub fn all_tests() -> Vec<&'static dyn Test> {
    let groups = [compute::TESTS, storage::TESTS, memory::TESTS, control::TESTS, stress::TESTS];
    [&groups[..], &[portable::TESTS]].concat().concat()
}
