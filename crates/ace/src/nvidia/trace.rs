//! What one CTA did, in order, as far as the way back needs it.

use upset_device::{Issued, Kernel};
use upset_isa::control::barriers::lanes;
use upset_isa::program::Windows;
use upset_isa::warp::{BulkPlaces, Scratch, addresses, copied, load_scratch, locate, pred, rows};
use upset_isa::{BulkTo, Exec, Inst, Lanes, Mask, MemKind, MemOp, PT, RZ, Space, WARP};

use crate::rows::pack;

/// A lane whose access is not to shared memory.
pub(crate) const ELSEWHERE: u32 = u32::MAX;
/// An instruction of a part of the trace that was dealt with before.
const GONE: u32 = u32::MAX;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Operands were read.
    Read,
    /// Results were written.
    Write,
    /// Shared memory was accessed.
    Shared,
}

/// One entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) cycle: u64,
    pub(crate) what: What,
    /// Number of the instruction.
    pub(crate) inst: u32,
}

/// One instruction of one warp.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Done {
    pub(crate) pc: u32,
    /// Number of the warp in its CTA.
    pub(crate) warp: u32,
    pub(crate) active: Mask,
    pub(crate) mask: Mask,
    /// Its first word in [`Trace::values`].
    pub(crate) values: u32,
    /// The values are places in shared memory.
    pub(crate) shared: bool,
}

/// An instruction whose results or access are still to come.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    slot: u32,
    pc: u32,
    mask: Mask,
    inst: u32,
}

/// The trace of a CTA, or of the newest part of it.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    pub(crate) items: Vec<Item>,
    pub(crate) done: Vec<Done>,
    pub(crate) values: Vec<u32>,
    writes: Vec<Waiting>,
    shared: Vec<Waiting>,
    /// The last write and access that were noted: their other rows need no entry.
    last_write: (u64, u32, u32, Mask),
    last_shared: (u64, u32, u32),
}

impl Trace {
    /// An instruction reads its operands.
    pub(crate) fn issued(&mut self, i: &Issued<'_>, kernel: &Kernel, scratch: &mut Scratch) {
        let inst = i.inst;
        let number = self.done.len() as u32;
        let values = self.values.len() as u32;
        let mut shared = false;
        if i.mask != 0 {
            match inst.exec {
                Exec::Alu(_) => self.operands(i, scratch),
                Exec::Mem(m) if m.space != Space::Const => {
                    shared = self.shared_offsets(i, &kernel.windows);
                    if shared {
                        let wait = Waiting { slot: i.slot, pc: i.pc, mask: i.mask, inst: number };
                        self.shared.push(wait);
                    }
                }
                _ => {}
            }
        }
        let (pc, mask) = (i.pc, i.mask);
        self.done.push(Done { pc, warp: i.warp, active: i.active, mask, values, shared });
        self.items.push(Item { cycle: i.cycle, what: What::Read, inst: number });
        if mask != 0 && has_result(inst) {
            self.writes.push(Waiting { slot: i.slot, pc, mask, inst: number });
        }
        if mask != 0 {
            self.parts(i, &kernel.windows);
        }
    }

    /// What a bulk copy reads in shared memory, part by part, as it comes.
    fn parts(&mut self, i: &Issued<'_>, windows: &Windows) {
        let Exec::Mem(MemOp { kind: MemKind::Bulk(to), bytes, .. }) = i.inst.exec else { return };
        let Ok(places) = BulkPlaces::of(i.operands, i.inst, to, windows) else { return };
        if to == BulkTo::Shared {
            return;
        }
        let (slot, pc, step) = (i.slot, i.pc, u32::from(bytes));
        for first in (0..places.bytes).step_by(bytes as usize * WARP) {
            let lanes = (places.bytes - first).div_ceil(step).min(WARP as u32);
            let mask = !0 >> (WARP as u32 - lanes);
            let inst = self.done.len() as u32;
            let values = self.values.len() as u32;
            let at: Lanes =
                std::array::from_fn(|l| places.shared.wrapping_add(first + step * l as u32));
            pack(&at, &mut self.values);
            self.done.push(Done { pc, warp: i.warp, active: i.active, mask, values, shared: true });
            self.shared.push(Waiting { slot, pc, mask, inst });
        }
    }

    fn operands(&mut self, i: &Issued<'_>, scratch: &mut Scratch) {
        *scratch = [[0; WARP]; 6];
        // An instruction that reads what is not there traps, and does not get here.
        let _ = load_scratch(i.operands, i.inst, scratch);
        let rows = rows(i.operands, i.inst, scratch);
        for row in rows {
            pack(row, &mut self.values);
        }
        self.values.extend(i.inst.psrc.map(|p| pred(i.operands, p)));
    }

    /// Where each lane accesses shared memory; false when none does.
    fn shared_offsets(&mut self, i: &Issued<'_>, windows: &Windows) -> bool {
        let Exec::Mem(m) = i.inst.exec else { return false };
        // What comes in bulk is not taken to overwrite anything: what was there before
        // counts as long as what comes.
        if matches!(m.kind, MemKind::Bulk(_) | MemKind::CopiesEnd(_)) {
            return false;
        }
        let mut addrs = [0; WARP];
        if addresses(i.operands, i.inst, &m, &mut addrs).is_err() {
            return false;
        }
        let mut at: Lanes = [ELSEWHERE; WARP];
        if let MemKind::Copy(to) = m.kind {
            let Ok([to, _]) = copied(i.operands, i.inst, (&m, to), i.mask, &mut addrs) else {
                return false;
            };
            lanes(i.mask).for_each(|lane| at[lane] = to[lane]);
            pack(&at, &mut self.values);
            return true;
        }
        if !matches!(m.space, Space::Shared | Space::Generic) {
            return false;
        }
        for lane in lanes(i.mask) {
            if let Ok((Space::Shared, offset)) = locate(m.space, addrs[lane], m.bytes, windows) {
                at[lane] = offset as u32;
            }
        }
        if at.iter().all(|a| *a == ELSEWHERE) {
            return false;
        }
        pack(&at, &mut self.values);
        true
    }

    /// A register or predicate was written by an instruction of `slot`.
    pub(crate) fn written(&mut self, cycle: u64, slot: u32, pc: u32, lanes: Mask) {
        if self.last_write == (cycle, slot, pc, lanes) {
            return;
        }
        self.last_write = (cycle, slot, pc, lanes);
        // Groups of a divided warp have lanes of their own.
        let is = |w: &Waiting| w.slot == slot && w.pc == pc && lanes & !w.mask == 0;
        if let Some(at) = self.writes.iter().position(is) {
            let inst = self.writes.remove(at).inst;
            self.note(cycle, What::Write, inst);
        }
    }

    /// Shared memory was accessed by an instruction of `slot`.
    pub(crate) fn accessed(&mut self, cycle: u64, slot: u32, pc: u32) {
        if self.last_shared == (cycle, slot, pc) {
            return;
        }
        self.last_shared = (cycle, slot, pc);
        if let Some(at) = self.shared.iter().position(|w| w.slot == slot && w.pc == pc) {
            let inst = self.shared.remove(at).inst;
            self.note(cycle, What::Shared, inst);
        }
    }

    fn note(&mut self, cycle: u64, what: What, inst: u32) {
        if inst != GONE {
            self.items.push(Item { cycle, what, inst });
        }
    }

    /// Instructions that have not ended: nothing is known of their results.
    pub(crate) fn open(&self) -> impl Iterator<Item = u32> {
        self.writes.iter().chain(&self.shared).map(|w| w.inst).filter(|i| *i != GONE)
    }

    /// Forgets what was dealt with. What is under way may still end.
    pub(crate) fn cut(&mut self) {
        self.items.clear();
        self.done.clear();
        self.values.clear();
        for wait in self.writes.iter_mut().chain(&mut self.shared) {
            wait.inst = GONE;
        }
    }
}

/// Whether an instruction writes a register or predicate.
fn has_result(inst: &Inst) -> bool {
    use upset_isa::{Dst, URZ};
    let register = match inst.dst {
        Dst::None => false,
        Dst::Reg(r, _) => r != RZ,
        Dst::UReg(r, _) => r < URZ,
    };
    register
        || inst.pdst.iter().any(|p| p.pred < PT)
        || matches!(inst.exec, Exec::WritePreds { cc: false, .. })
}
