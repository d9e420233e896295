//! Special registers and everything served by the SM's control logic.

use super::Row;

/// Rows of this family.
pub static ROWS: &[Row] = &[];
