//! Packed half-precision arithmetic.

use super::Row;

/// Rows of this family.
pub static ROWS: &[Row] = &[];
