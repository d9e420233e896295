//! Loads and stores.

use super::Row;

/// Rows of this family.
pub static ROWS: &[Row] = &[];
