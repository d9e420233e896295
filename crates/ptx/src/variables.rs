//! Variables of the environment.

/// Names the converter: a program `ptxas`, or a library `libnvJitLink.so.12`.
pub const CONVERTER: &str = "UPSET_PTXAS";
/// Names the program `upset`, which opens a converter that is a library.
pub const HELPER: &str = "UPSET_HELPER";
/// Names the folder that keeps what was converted.
pub const KEPT: &str = "UPSET_PTX_KEPT";
