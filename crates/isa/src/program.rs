//! What a launch executes: decoded code, constant banks, address windows.

use crate::control::barriers::Convergence;
use crate::mem::MemKind;
use crate::texture::texture_rows;
use crate::trap::TrapKind;
pub use crate::windows::{WINDOW, Windows};
use crate::{Dst, Exec, Inst, Mask, RZ, Src, Width};

/// How code lies in memory, and with that which machine it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Slots of 16 bytes, each an instruction with its scheduling fields
    /// (sm_70 and later): threads have program counters of their own.
    Wide,
    /// Slots of 8 bytes in groups of eight, of which the first is a control
    /// word with a byte for each of the other seven (sm_35): a warp has a
    /// stack, and its threads condition codes.
    Grouped,
}

/// Slots of a group of [`Layout::Grouped`].
pub const GROUP: usize = 8;

impl Layout {
    /// Bytes from one slot to the next.
    #[inline]
    pub const fn step(self) -> u32 {
        match self {
            Layout::Wide => 16,
            Layout::Grouped => 8,
        }
    }

    /// Where a thread that comes to a byte offset goes on: behind a control word.
    #[inline]
    pub const fn settle(self, pc: u32) -> u32 {
        match self {
            Layout::Wide => pc,
            Layout::Grouped if pc.is_multiple_of(8 * GROUP as u32) => pc.wrapping_add(8),
            Layout::Grouped => pc,
        }
    }

    /// The control state of a warp whose `threads` start together at `entry`.
    pub fn start(self, entry: u32, threads: Mask) -> Convergence {
        let pc = self.settle(entry);
        match self {
            Layout::Wide => Convergence::new(pc, threads),
            Layout::Grouped => Convergence::with_stack(pc, threads),
        }
    }

    /// The instruction after the one at a byte offset.
    #[inline]
    pub const fn after(self, pc: u32) -> u32 {
        self.settle(pc.wrapping_add(self.step()))
    }

    /// Whether the slot of this number holds a control word.
    pub const fn is_control(self, slot: usize) -> bool {
        match self {
            Layout::Wide => false,
            Layout::Grouped => slot.is_multiple_of(GROUP),
        }
    }

    /// What decodes to what the slot of each number does, given the bytes of
    /// the code: all that its instruction depends on. Of a group's slots this
    /// is their 8 bytes and above those their byte of the control word, so
    /// that both may change by themselves.
    pub fn words(self, code: &[u8]) -> Vec<u128> {
        let wide = |bytes: &[u8]| bytes.first_chunk().map_or(0, |b| u128::from_le_bytes(*b));
        let word = |bytes: &[u8]| bytes.first_chunk().map_or(0, |b| u64::from_le_bytes(*b));
        let slots = code.chunks_exact(self.step() as usize);
        let mut control = 0;
        let with_control = |(i, bytes): (usize, &[u8])| match self {
            Layout::Wide => wide(bytes),
            Layout::Grouped if self.is_control(i) => {
                control = word(bytes);
                u128::from(control)
            }
            Layout::Grouped => {
                u128::from(word(bytes)) | u128::from(control_byte(control, i % GROUP)) << 64
            }
        };
        slots.enumerate().map(with_control).collect()
    }
}

/// The byte of a control word for a slot of its group, from 1 to 7.
#[inline]
pub fn control_byte(control: u64, slot: usize) -> u8 {
    (control >> (2 + 8 * (slot.max(1) - 1)).min(56)) as u8
}

/// One slot: an instruction, or what it does instead.
#[derive(Clone, Debug)]
pub enum Slot {
    /// An instruction.
    Inst(Inst),
    /// What happens when it is reached.
    Trap(TrapKind),
    /// A control word: who comes to it, goes on at the next slot at once.
    Control,
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
    /// How the code lies in memory.
    pub layout: Layout,
    /// Slots, one after the other.
    pub slots: Vec<Slot>,
    /// The bits that each slot was decoded from ([`Layout::words`]).
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
            Slot::Trap(_) | Slot::Control => false,
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
