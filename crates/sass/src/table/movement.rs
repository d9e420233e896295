//! Moves, selections, permutations.

use super::Row;

/// Rows of this family.
pub static ROWS: &[Row] = &[];
