//! Local data share: what an instruction does there.

use super::atomic::AtomicFn;

/// What an instruction does in LDS. Whether it has one offset or two, and how
/// many operands, is in its row.
#[derive(Clone, Copy, Debug)]
pub struct ShareOp {
    /// What becomes of an element.
    pub access: ShareAccess,
    /// Its size: 1, 2, 4 or 8 bytes.
    pub bytes: u8,
    /// What one step of an offset is, in bytes.
    pub unit: u16,
}

/// What becomes of an element in LDS.
#[derive(Clone, Copy, Debug)]
pub enum ShareAccess {
    /// It is read.
    Read {
        /// Small ones are extended by their sign.
        signed: bool,
    },
    /// It is written.
    Write,
    /// It is changed in one go.
    Atomic(AtomicFn),
    /// As that, the operand read from LDS too (`_src2`).
    FromLds(AtomicFn),
    /// Lanes exchange values; nothing is read or written.
    Swizzle,
    /// A counter is changed by the number of active lanes, once for the wave.
    Count(AtomicFn),
}

impl ShareOp {
    /// An element as it comes to registers: small ones are extended.
    #[inline(always)]
    pub fn extend(self, raw: u64) -> u64 {
        match (self.access, self.bytes) {
            (ShareAccess::Read { signed: true }, 1) => u64::from(raw as i8 as u32),
            (ShareAccess::Read { signed: true }, 2) => u64::from(raw as i16 as u32),
            _ => raw,
        }
    }
}
