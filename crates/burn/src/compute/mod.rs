//! Tests of the arithmetic units.

mod fold;
mod job;
pub mod operands;
mod reference;
mod runner;
pub mod tensor;
pub mod units;

use crate::Test;

/// The tests of this group.
pub const TESTS: &[&dyn Test] = &[
    &units::FMA,
    &units::IMAD,
    &units::ALU,
    &units::FP64,
    &units::MUFU,
    &units::CONVERT,
    &units::HALF,
    &tensor::TENSOR,
    &tensor::VOTE,
];
