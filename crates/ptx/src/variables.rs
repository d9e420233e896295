//! Variables of the environment.

/// Names the converter: a program `ptxas`.
pub const CONVERTER: &str = "UPSET_PTXAS";
/// Names the folder that keeps what was converted.
pub const KEPT: &str = "UPSET_PTX_KEPT";
