//! Tests of divergence, barriers, exchange between lanes, and atomics.

mod atomics;
mod barriers;
mod branches;
mod exchange;

use crate::Test;

/// The tests of this group.
pub const TESTS: &[&dyn Test] = &[
    &branches::Divergence,
    &exchange::Exchange,
    &barriers::Barriers,
    &barriers::Churn,
    &atomics::Atomics,
];
