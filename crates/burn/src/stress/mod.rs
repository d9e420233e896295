//! Power and heat: load that comes and goes, and load that holds a temperature.

pub mod controller;
mod pulses;
mod thermal;

use crate::Test;

/// The tests of this group.
pub const TESTS: &[&dyn Test] = &[&pulses::Pulses, &thermal::Thermal];
