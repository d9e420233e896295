//! Control flow and convergence.

use super::Row;

/// Rows of this family.
pub static ROWS: &[Row] = &[];
