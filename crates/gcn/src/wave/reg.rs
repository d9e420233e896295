//! Registers of a wave, and who has them.

use upset_lanes::{Lanes, Mask};

use crate::operand::Operand;
use crate::sem::Mode;

/// Lanes of a wave.
pub const WAVE: usize = 64;

/// A scalar register of a wave, 32 bits of it at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reg {
    /// A scalar general-purpose register.
    Sgpr(u8),
    /// Low or high half of VCC.
    Vcc(u8),
    /// Low or high half of EXEC.
    Exec(u8),
    /// M0.
    M0,
    /// The scalar condition code.
    Scc,
    /// MODE.
    Mode,
}

impl Reg {
    /// The register of an operand's word `n`; none where it is no register or
    /// one of the trap handler's, which waves of programs do not have.
    pub const fn of(operand: Operand, n: u8) -> Option<Reg> {
        match operand {
            Operand::Sgpr(r) => Some(Reg::Sgpr(r + n)),
            Operand::VccLo => Some(Reg::Vcc(n & 1)),
            Operand::VccHi => Some(Reg::Vcc(1)),
            Operand::ExecLo => Some(Reg::Exec(n & 1)),
            Operand::ExecHi => Some(Reg::Exec(1)),
            Operand::M0 => Some(Reg::M0),
            _ => None,
        }
    }
}

/// A wave's registers, to be read.
///
/// Numbers beyond what the wave was given are the implementation's business:
/// hardware reads v0 for such a vector register (AMD, Southern Islands
/// manual, "Out-of-Range Behavior").
pub trait Operands {
    /// One half (0: lanes 0 to 31) of a vector register.
    fn vgpr(&self, n: u32, half: usize) -> &Lanes;
    /// A scalar register.
    fn scalar(&self, reg: Reg) -> u32;
    /// EXEC.
    fn exec(&self) -> u64;

    /// MODE.
    #[inline]
    fn mode(&self) -> Mode {
        Mode(self.scalar(Reg::Mode))
    }

    /// VCC.
    #[inline]
    fn vcc(&self) -> u64 {
        u64::from(self.scalar(Reg::Vcc(0))) | u64::from(self.scalar(Reg::Vcc(1))) << 32
    }

    /// The scalar condition code.
    #[inline]
    fn scc(&self) -> bool {
        self.scalar(Reg::Scc) & 1 == 1
    }
}

/// Where results go. What was never given to the wave is not written.
pub trait Destinations {
    /// Lanes `mask` of one half of a vector register.
    fn write_vgpr(&mut self, n: u32, half: usize, mask: Mask, value: &Lanes);
    /// A scalar register.
    fn write_scalar(&mut self, reg: Reg, value: u32);
}
