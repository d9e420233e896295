//! What a launch executes: decoded code, constant banks, address windows.

use crate::mem::MemKind;
use crate::texture::texture_rows;
use crate::trap::TrapKind;
pub use crate::windows::{WINDOW, Windows};
use crate::{Dst, Exec, Inst, RZ, Src, Width};

/// Bytes per instruction slot.
pub const STEP: u32 = 16;

/// One instruction slot: executable, or the trap it raises.
#[derive(Clone, Debug)]
pub enum Slot {
    /// An instruction.
    Inst(Inst),
    /// What happens when it is reached.
    Trap(TrapKind),
}

impl Slot {
    /// Replaces an instruction that names registers a kernel with `registers`
    /// per thread does not own by the trap it raises.
    pub fn check_registers(&mut self, registers: u32) {
        let Slot::Inst(inst) = self else { return };
        if let Some(r) = highest_register(inst).filter(|&r| u32::from(r) >= registers) {
            *self = Slot::Trap(TrapKind::RegisterOutOfRange(r));
        }
    }
}

/// Decoded code of a module as one kernel sees it.
#[derive(Clone, Debug)]
pub struct Program {
    /// Address of the first slot, as code computes with it.
    pub base: u64,
    /// Slots, 16 bytes of code each.
    pub slots: Vec<Slot>,
    /// The bytes of each slot as they lie in memory, little-endian.
    pub words: Vec<u128>,
}

impl Program {
    /// Whether every access to a memory takes whole words of 32 bits.
    pub fn accesses_words(&self) -> bool {
        let narrow = |slot: &Slot| match slot {
            Slot::Inst(inst) => match inst.exec {
                Exec::Mem(m) => m.bytes < 4 && !matches!(m.kind, MemKind::QuerySpace(_)),
                // Texels and elements of surfaces may be bytes.
                Exec::Tex(_) | Exec::Surface(_) => true,
                _ => false,
            },
            Slot::Trap(_) => false,
        };
        !self.slots.iter().any(narrow)
    }

    /// [`Slot::check_registers`] for every slot.
    pub fn check_registers(&mut self, registers: u32) {
        for slot in &mut self.slots {
            slot.check_registers(registers);
        }
    }
}

fn highest_register(inst: &Inst) -> Option<u8> {
    let last = |r: u8, w: Width| (r != RZ).then(|| r.saturating_add(w.words() - 1));
    let mut top = None;
    if let Dst::Reg(r, w) = inst.dst {
        top = top.max(last(r, w));
    }
    for s in inst.src {
        if let Src::Reg(r, w) = s {
            top = top.max(last(r, w));
        }
    }
    // A fetch spans more registers than its operands' widths say.
    if let Exec::Tex(t) = inst.exec {
        let written = texture_rows(inst, &t).into_iter().filter(|&r| r != RZ);
        top = top.max(written.max()).max(t.registers().max());
    }
    if let Exec::Surface(s) = inst.exec {
        top = top.max(s.registers().max());
    }
    top
}

/// Constant banks of a launch.
#[derive(Clone, Debug, Default)]
pub struct ConstBanks {
    banks: Vec<Vec<u8>>,
}

impl ConstBanks {
    /// Sets the contents of a bank.
    pub fn set(&mut self, bank: u8, bytes: Vec<u8>) {
        let i = usize::from(bank);
        if self.banks.len() <= i {
            self.banks.resize(i + 1, Vec::new());
        }
        self.banks[i] = bytes;
    }

    /// A bank's bytes (empty when absent).
    pub fn bank(&self, bank: u8) -> &[u8] {
        self.banks.get(usize::from(bank)).map_or(&[], Vec::as_slice)
    }

    /// A 32-bit word.
    #[inline]
    pub fn word(&self, bank: u8, offset: i64) -> Result<u32, TrapKind> {
        let bytes = self.bytes(bank, offset, 4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// `len` bytes.
    #[inline]
    pub fn bytes(&self, bank: u8, offset: i64, len: usize) -> Result<&[u8], TrapKind> {
        let at = usize::try_from(offset).ok();
        at.and_then(|at| self.bank(bank).get(at..at.checked_add(len)?))
            .ok_or(TrapKind::InvalidConstant { bank, offset })
    }
}
