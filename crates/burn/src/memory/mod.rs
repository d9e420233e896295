//! Tests of device memory and of the ways to it.

mod copies;
mod patterns;
mod sweep;

use crate::Test;

/// The tests of this group.
pub const TESTS: &[&dyn Test] = &[
    &patterns::OWN_ADDRESS,
    &patterns::MATS_PLUS,
    &patterns::MARCH_C,
    &patterns::MOVING_INVERSIONS,
    &patterns::MODULO_20,
    &patterns::BIT_FADE,
    &copies::Copies,
];
