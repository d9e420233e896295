//! What wrong outputs look like.

use serde::{Deserialize, Serialize};

/// Size and shape of wrong outputs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sdc {
    /// Type of the elements: `f32`, `i32`, `u8`, …
    pub element: String,
    /// Elements compared.
    pub elements: u64,
    /// Elements that differ.
    pub wrong: u64,
    /// Largest |found - right| / |right| over finite elements (right = 0: infinite, kept as `None`).
    pub max_relative: Option<f64>,
    /// Wrong elements that are NaN and were not.
    pub nan: u64,
    /// Wrong elements that are infinite and were not.
    pub inf: u64,
    /// How often each bit position of an element is wrong, lowest bit first.
    pub bit_counts: Vec<u64>,
    /// Index of the first wrong element.
    pub first: u64,
    /// Outputs have another length.
    pub length_differs: bool,
}
