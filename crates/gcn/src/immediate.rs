//! What is packed into 16-bit constants.

use crate::bits::get;

/// Counters to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waitcnt {
    /// Vector memory operations that may be outstanding, 15 for any number.
    pub vm: u8,
    /// Exports and stores, 7 for any number.
    pub exp: u8,
    /// LDS, GDS, scalar memory and messages, 15 for any number.
    pub lgkm: u8,
}

impl Waitcnt {
    /// Nothing is waited for.
    pub const ANY: Waitcnt = Waitcnt { vm: 15, exp: 7, lgkm: 15 };

    /// From the constant; other bits mean nothing.
    pub const fn of(imm: u16) -> Waitcnt {
        let w = imm as u32;
        Waitcnt { vm: get(w, 0, 4) as u8, exp: get(w, 4, 3) as u8, lgkm: get(w, 8, 4) as u8 }
    }

    /// The constant.
    pub const fn imm(self) -> u16 {
        self.vm as u16 | (self.exp as u16) << 4 | (self.lgkm as u16) << 8
    }
}

/// Some bits of a hardware register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hwreg {
    /// The register.
    pub id: u8,
    /// The lowest bit.
    pub offset: u8,
    /// How many, 1 to 32.
    pub size: u8,
}

impl Hwreg {
    /// From the constant.
    pub const fn of(imm: u16) -> Hwreg {
        let w = imm as u32;
        Hwreg { id: get(w, 0, 6) as u8, offset: get(w, 6, 5) as u8, size: get(w, 11, 5) as u8 + 1 }
    }

    /// The register's name, if it has one.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.id {
            1 => "HW_REG_MODE",
            2 => "HW_REG_STATUS",
            3 => "HW_REG_TRAPSTS",
            4 => "HW_REG_HW_ID",
            5 => "HW_REG_GPR_ALLOC",
            6 => "HW_REG_LDS_ALLOC",
            7 => "HW_REG_IB_STS",
            _ => return None,
        })
    }
}

/// A message to the rest of the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it is about.
    pub id: u8,
    /// What is done, where there is a choice.
    pub operation: u8,
    /// For which stream.
    pub stream: u8,
}

impl Message {
    /// From the constant; other bits mean nothing.
    pub const fn of(imm: u16) -> Message {
        let w = imm as u32;
        Message {
            id: get(w, 0, 4) as u8,
            operation: get(w, 4, 3) as u8,
            stream: get(w, 8, 2) as u8,
        }
    }

    /// The constant.
    pub const fn imm(self) -> u16 {
        self.id as u16 | (self.operation as u16) << 4 | (self.stream as u16) << 8
    }
}
