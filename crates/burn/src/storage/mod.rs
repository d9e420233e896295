//! Tests of registers, shared memory and caches.

mod caches;
mod code;
mod constants;
mod marched;
pub mod placement;
mod predicates;
mod registers;
mod shared;

use crate::Test;

/// The tests of this group.
pub const TESTS: &[&dyn Test] = &[
    &registers::Registers,
    &predicates::Predicates,
    &shared::Shared,
    &caches::FirstLevel,
    &caches::L2,
    &constants::Constants,
    &code::InstructionCache,
];
