//! Barriers, fences and synchronisation objects.

use super::Row;

/// Rows of this family.
pub static ROWS: &[Row] = &[];
