//! A kernel's descriptor: what hardware is told before a kernel starts.

use super::rsrc2::Rsrc2;

/// Bytes of a descriptor.
pub const SIZE: usize = 64;

/// A kernel descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// Bytes of LDS that a work-group takes whatever its arguments are.
    pub lds_bytes: u32,
    /// Bytes of scratch of a work-item.
    pub scratch_bytes: u32,
    /// Bytes of arguments.
    pub kernarg_bytes: u32,
    /// From the descriptor to the first instruction.
    pub entry_offset: i64,
    /// First register of settings.
    pub rsrc1: u32,
    /// Second register of settings.
    pub rsrc2: u32,
    /// Which values are put into scalar registers first.
    pub properties: u16,
}

/// A value that scalar registers are given before a kernel starts, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserValue {
    /// Resource of private memory.
    PrivateSegmentBuffer,
    /// Address of the dispatch packet.
    DispatchPtr,
    /// Address of the queue.
    QueuePtr,
    /// Address of the arguments.
    KernargPtr,
    /// Number of the dispatch.
    DispatchId,
    /// Where flat scratch lies.
    FlatScratchInit,
    /// Bytes of private memory.
    PrivateSegmentSize,
}

impl UserValue {
    /// All of them, in the order of their bits, which is that of their registers.
    pub const ALL: [UserValue; 7] = [
        UserValue::PrivateSegmentBuffer,
        UserValue::DispatchPtr,
        UserValue::QueuePtr,
        UserValue::KernargPtr,
        UserValue::DispatchId,
        UserValue::FlatScratchInit,
        UserValue::PrivateSegmentSize,
    ];

    /// Its name, as LLVM's documentation has it.
    pub fn name(self) -> &'static str {
        match self {
            UserValue::PrivateSegmentBuffer => "private segment buffer",
            UserValue::DispatchPtr => "dispatch ptr",
            UserValue::QueuePtr => "queue ptr",
            UserValue::KernargPtr => "kernarg segment ptr",
            UserValue::DispatchId => "dispatch id",
            UserValue::FlatScratchInit => "flat scratch init",
            UserValue::PrivateSegmentSize => "private segment size",
        }
    }

    /// Scalar registers it takes.
    pub fn registers(self) -> u32 {
        match self {
            UserValue::PrivateSegmentBuffer => 4,
            UserValue::PrivateSegmentSize => 1,
            _ => 2,
        }
    }
}

impl Descriptor {
    /// Takes a descriptor apart.
    pub fn read(bytes: &[u8; SIZE]) -> Descriptor {
        let word =
            |at: usize| bytes[at..].first_chunk().map_or(0, |b: &[u8; 4]| u32::from_le_bytes(*b));
        Descriptor {
            lds_bytes: word(0),
            scratch_bytes: word(4),
            kernarg_bytes: word(8),
            entry_offset: (u64::from(word(16)) | u64::from(word(20)) << 32) as i64,
            rsrc1: word(48),
            rsrc2: word(52),
            properties: word(56) as u16,
        }
    }

    /// Vector registers of a work-item, as hardware gives them out.
    pub fn vgprs(&self) -> u32 {
        ((self.rsrc1 & 0x3f) + 1) * 4
    }

    /// Scalar registers of a wavefront, VCC among them, as hardware gives them out.
    pub fn sgprs(&self) -> u32 {
        ((self.rsrc1 >> 6 & 15) + 1) * 8
    }

    /// Rounding and denormals that MODE begins with.
    pub fn float_mode(&self) -> u8 {
        (self.rsrc1 >> 12) as u8
    }

    /// NaNs are clamped to zero.
    pub fn dx10_clamp(&self) -> bool {
        self.rsrc1 >> 21 & 1 == 1
    }

    /// Signalling NaNs are made quiet, minima and maxima follow IEEE 754.
    pub fn ieee(&self) -> bool {
        self.rsrc1 >> 23 & 1 == 1
    }

    /// What a wavefront finds in its registers.
    pub fn second(&self) -> Rsrc2 {
        Rsrc2(self.rsrc2)
    }

    /// The values that scalar registers are given first.
    pub fn user_values(&self) -> impl Iterator<Item = UserValue> {
        let properties = self.properties;
        let given = move |i: &usize| properties >> i & 1 == 1;
        (0..UserValue::ALL.len()).filter(given).map(|i| UserValue::ALL[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_hardware_has_them() {
        let mut bytes = [0; SIZE];
        bytes[0..4].copy_from_slice(&1024u32.to_le_bytes());
        bytes[16..24].copy_from_slice(&(-64i64).to_le_bytes());
        // 12 vector and 24 scalar registers, denormals of doubles, clamp and IEEE.
        let rsrc1: u32 = 2 | 2 << 6 | 0xc0 << 12 | 1 << 21 | 1 << 23;
        bytes[48..52].copy_from_slice(&rsrc1.to_le_bytes());
        // Eight user registers, groups in x and z, items in x and y.
        let rsrc2: u32 = 8 << 1 | 1 << 7 | 1 << 9 | 1 << 11;
        bytes[52..56].copy_from_slice(&rsrc2.to_le_bytes());
        bytes[56] = 0b1011;
        let d = Descriptor::read(&bytes);
        assert_eq!((d.lds_bytes, d.entry_offset, d.vgprs(), d.sgprs()), (1024, -64, 12, 24));
        assert_eq!((d.float_mode(), d.dx10_clamp(), d.ieee()), (0xc0, true, true));
        let second = d.second();
        assert_eq!((second.user_sgprs(), second.has_scratch_offset()), (8, false));
        assert_eq!((second.group_ids(), second.item_ids()), ([true, false, true], 2));
        let values: Vec<UserValue> = d.user_values().collect();
        use UserValue::{DispatchPtr, KernargPtr, PrivateSegmentBuffer};
        assert_eq!(values, [PrivateSegmentBuffer, DispatchPtr, KernargPtr]);
        assert_eq!(values.iter().map(|v| v.registers()).sum::<u32>(), second.user_sgprs());
    }
}
