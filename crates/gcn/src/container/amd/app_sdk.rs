//! What hardware and a driver are told of a kernel of the APP SDK.

use super::class::DataClass;
use crate::container::rsrc2::Rsrc2;

/// Scalar registers that a driver fills before a kernel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserData {
    /// What they hold.
    pub class: DataClass,
    /// Which of them: the number of a constant buffer or UAV; zero for tables.
    pub slot: u32,
    /// First register.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// Entries of the UAV table that a driver keeps for itself, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    /// A raw view of all memory; those of arguments have higher numbers.
    pub raw: Option<u32>,
    /// Constants of the program.
    pub constants: Option<u32>,
    /// What `printf` writes to.
    pub printf: Option<u32>,
    /// Private memory.
    pub private: Option<u32>,
}

/// What is said of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AppSdk {
    /// Highest vector register and one, as the compiler counts.
    pub used_vgprs: u32,
    /// Highest scalar register and one, without VCC.
    pub used_sgprs: u32,
    /// Bytes of LDS that the source declares.
    pub lds_bytes: u32,
    /// Bytes of scratch of a work-item.
    pub scratch_bytes: u32,
    /// Bytes of private memory of a work-item in a UAV.
    pub uav_private_bytes: u32,
    /// Bytes of arguments: of constant buffer 1.
    pub argument_bytes: u32,
    /// Rounding and denormals that MODE begins with.
    pub float_mode: u8,
    /// Minima and maxima follow IEEE 754.
    pub ieee: bool,
    /// What a wavefront finds in its registers.
    pub rsrc2: Rsrc2,
    /// What the first of its scalar registers hold.
    pub user_data: Vec<UserData>,
    /// Entries of the UAV table that no argument names.
    pub reserved: Reserved,
    /// The kernel reads the program's constants.
    pub needs_constants: bool,
    /// Pointers have 64 bits.
    pub wide: bool,
}

impl AppSdk {
    /// Vector registers of a work-item, as hardware gives them out.
    pub fn vgprs(&self) -> u32 {
        self.used_vgprs.max(1).next_multiple_of(4)
    }

    /// Scalar registers of a wavefront, as hardware gives them out. VCC is the
    /// last two of them and not in the compiler's count: the same note says that
    /// 102 of the 104 are there to be used.
    pub fn sgprs(&self) -> u32 {
        (self.used_sgprs + 2).next_multiple_of(8).min(104)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_given_out_in_blocks() {
        let blocks = |used_vgprs, used_sgprs| {
            let a = AppSdk { used_vgprs, used_sgprs, ..AppSdk::default() };
            (a.vgprs(), a.sgprs())
        };
        assert_eq!(blocks(0, 0), (4, 8));
        assert_eq!(blocks(4, 6), (4, 8));
        assert_eq!(blocks(5, 7), (8, 16));
        assert_eq!(blocks(11, 24), (12, 32));
        assert_eq!(blocks(256, 102), (256, 104));
    }
}
