//! Conversions between number formats.

use super::Row;

/// Rows of this family.
pub static ROWS: &[Row] = &[];
