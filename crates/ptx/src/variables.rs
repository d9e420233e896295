//! Variables of the environment.

/// Names the converter: a program `ptxas`, or a library `libnvJitLink.so.12`
/// or `libnvidia-ptxjitcompiler.so.1`.
pub const CONVERTER: &str = "UPSET_PTXAS";
/// Names the folders with the driver's libraries, in place of those where packages put
/// them.
pub const DRIVER: &str = "UPSET_DRIVER_LIBRARIES";
/// Names the program `upset`, which opens a converter that is a library.
pub const HELPER: &str = "UPSET_HELPER";
/// Names the folder that keeps what was converted.
pub const KEPT: &str = "UPSET_PTX_KEPT";
