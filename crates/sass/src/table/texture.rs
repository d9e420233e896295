//! Texture fetches.

use super::Row;

/// Rows of this family.
pub static ROWS: &[Row] = &[];
