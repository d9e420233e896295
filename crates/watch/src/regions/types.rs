//! What is learned.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::region::Region;
use crate::run::{Key, Shape};

/// Distance of what cannot be measured: a shape of a launch that was never seen.
pub const UNSEEN: f64 = 1e9;

/// What was learned of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchRegions {
    /// Which launch.
    pub key: Key,
    /// Grids and blocks that it had.
    pub shapes: Vec<Shape>,
    /// Cycles of a period; 0 without.
    pub every: u64,
    /// Cycles it took; none without timing.
    pub cycles: Option<Region>,
    /// The launch as a whole, by counter.
    pub totals: BTreeMap<String, Region>,
    /// Each period, by counter.
    pub periods: Vec<BTreeMap<String, Region>>,
    /// Distance of the farthest SM from the others, by counter.
    pub between: BTreeMap<String, Region>,
}

/// Everything that was learned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Regions {
    /// How often each kernel was launched.
    pub launches: BTreeMap<String, Region>,
    /// Launches that all inputs have.
    pub list: Vec<LaunchRegions>,
}
