//! FP32 and FP64 arithmetic.

use super::Row;

/// Rows of this family.
pub static ROWS: &[Row] = &[];
