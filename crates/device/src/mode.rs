//! How a device runs kernels.

/// How a device runs kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Instructions one after the other, without time.
    Functional,
    /// Cycle by cycle, over the chip's arrays.
    Timing,
}

impl Mode {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Functional => "functional",
            Mode::Timing => "timing",
        }
    }
}
