//! Sets of architectures.

use crate::Arch;

/// A set of architectures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Archs(u8);

impl Archs {
    /// sm_70.
    pub const SM70: Archs = Archs(1);
    /// sm_75.
    pub const SM75: Archs = Archs(2);
    /// sm_80.
    pub const SM80: Archs = Archs(4);
    /// sm_90.
    pub const SM90: Archs = Archs(8);
    /// Every architecture.
    pub const ALL: Archs = Archs(15);
    /// Up to Turing.
    pub const TO75: Archs = Archs(3);
    /// Up to Ampere.
    pub const TO80: Archs = Archs(7);
    /// From Turing (those with a uniform datapath).
    pub const FROM75: Archs = Archs(14);
    /// From Ampere.
    pub const FROM80: Archs = Archs(12);

    /// Is `arch` a member?
    pub const fn has(self, arch: Arch) -> bool {
        let bit = match arch {
            Arch::Sm70 => 1,
            Arch::Sm75 => 2,
            Arch::Sm80 => 4,
            Arch::Sm90 => 8,
        };
        self.0 & bit != 0
    }

    /// Members of either set.
    pub const fn or(self, other: Archs) -> Archs {
        Archs(self.0 | other.0)
    }
}
