//! COMPUTE_PGM_RSRC2: what a wavefront finds in its registers when it starts.
//!
//! Both ABIs have this register; its fields are those of AMD's public
//! "Southern Islands 3D/Compute Register Reference Guide".

use crate::bits::{flag, get};

/// The register.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rsrc2(pub u32);

impl Rsrc2 {
    /// The wavefront is told where its scratch begins.
    pub fn has_scratch_offset(self) -> bool {
        flag(self.0, 0)
    }

    /// Scalar registers that hold values of the user.
    pub fn user_sgprs(self) -> u32 {
        get(self.0, 1, 5)
    }

    /// Which coordinates of the work-group follow them.
    pub fn group_ids(self) -> [bool; 3] {
        [7, 8, 9].map(|bit| flag(self.0, bit))
    }

    /// A register with the size of the work-group follows these.
    pub fn has_group_size(self) -> bool {
        flag(self.0, 10)
    }

    /// Coordinates of the work-item in vector registers: one to three.
    pub fn item_ids(self) -> u32 {
        get(self.0, 11, 2).min(2) + 1
    }

    /// Bytes of LDS that AMD's own compiler asked for; all that there is where
    /// the arguments decide.
    pub fn lds_bytes(self) -> u32 {
        get(self.0, 15, 9) * 256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value that AMD's compiler wrote for its DCT sample, which CLRX's
    /// documentation lists in full: twelve user registers, groups and items in
    /// two dimensions, local memory from an argument.
    #[test]
    fn a_real_value_reads_as_its_kernel_is() {
        let r = Rsrc2(0x0040_0998);
        assert_eq!((r.user_sgprs(), r.item_ids(), r.lds_bytes()), (12, 2, 32768));
        assert_eq!(r.group_ids(), [true, true, false]);
        assert!(!r.has_scratch_offset() && !r.has_group_size());
    }
}
