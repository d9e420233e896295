//! The MODE register: how floating point rounds, what it flushes.

use upset_lanes::fp::Rounding;

/// The MODE register of a wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mode(pub u32);

/// Bit of the mode that skips vector instructions (`s_setvskip`).
const VSKIP: u32 = 28;

impl Mode {
    fn rounding(self, at: u32) -> Rounding {
        // The manual's order: even, plus infinity, minus infinity, zero.
        match self.0 >> at & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::Zero,
        }
    }

    /// How single precision rounds.
    pub fn round32(self) -> Rounding {
        self.rounding(0)
    }

    /// How double and half precision round.
    pub fn round64(self) -> Rounding {
        self.rounding(2)
    }

    /// Denormal inputs of single precision are zero.
    pub const fn flush_in32(self) -> bool {
        self.0 >> 4 & 1 == 0
    }

    /// Denormal results of single precision become zero.
    pub const fn flush_out32(self) -> bool {
        self.0 >> 5 & 1 == 0
    }

    /// Denormal inputs of double precision are zero.
    pub const fn flush_in64(self) -> bool {
        self.0 >> 6 & 1 == 0
    }

    /// Denormal results of double precision become zero.
    pub const fn flush_out64(self) -> bool {
        self.0 >> 7 & 1 == 0
    }

    /// A NaN that is limited to 0 to 1 becomes 0.
    pub const fn dx10_clamp(self) -> bool {
        self.0 >> 8 & 1 == 1
    }

    /// Signalling NaNs are made quiet and returned by minimum and maximum.
    pub const fn ieee(self) -> bool {
        self.0 >> 9 & 1 == 1
    }

    /// Vector instructions are skipped.
    pub const fn vskip(self) -> bool {
        self.0 >> VSKIP & 1 == 1
    }

    /// With vector instructions skipped, or not.
    pub const fn with_vskip(self, on: bool) -> Mode {
        Mode(self.0 & !(1 << VSKIP) | (on as u32) << VSKIP)
    }
}
