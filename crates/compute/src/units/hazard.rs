//! Checks that the code's stall counts cover this chip's latencies.
//!
//! Hardware does not look: an instruction that issues before a fixed-latency
//! result is written reads the old value. So does the model. In debug builds
//! such reads are counted, because compiled code never makes them unless a
//! latency of the chip file is too long.

use upset_isa::{BarOp, Dst, Exec, Flow, Inst, LatencyClass, PT, RZ, URZ};

use crate::regfile::operands::{each_register, each_uniform};

/// Fixed-latency results of a warp that are on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unwritten {
    registers: [u64; 4],
    uniform: u64,
    preds: [u8; 2],
}

impl Unwritten {
    fn change(&mut self, inst: &Inst, set: bool) {
        if inst.op.latency == LatencyClass::Variable {
            return;
        }
        let put64 = |word: &mut u64, bit: u8| match set {
            true => *word |= 1 << bit,
            false => *word &= !(1 << bit),
        };
        match inst.dst {
            Dst::Reg(d, w) => (0..w.words().min(2))
                .map(|n| d.saturating_add(n))
                .filter(|&r| r != RZ)
                .for_each(|r| put64(&mut self.registers[usize::from(r / 64)], r % 64)),
            Dst::UReg(d, w) => (0..w.words().min(2))
                .map(|n| d.saturating_add(n))
                .filter(|&r| r < URZ)
                .for_each(|r| put64(&mut self.uniform, r)),
            Dst::None => {}
        }
        for p in inst.pdst.iter().filter(|p| p.pred < PT) {
            let set_of = &mut self.preds[usize::from(p.uniform)];
            match set {
                true => *set_of |= 1 << p.pred,
                false => *set_of &= !(1 << p.pred),
            }
        }
    }

    /// A result is on its way.
    pub fn started(&mut self, inst: &Inst) {
        self.change(inst, true);
    }

    /// It is there.
    pub fn arrived(&mut self, inst: &Inst) {
        self.change(inst, false);
    }

    /// Operands read too early.
    pub fn reads(&self, inst: &Inst) -> u64 {
        if *self == Unwritten::default() {
            return 0;
        }
        if crate::units::latency::reads_late(inst) {
            // Reads its operands late.
            return 0;
        }
        let mut count = 0;
        each_register(inst, |r| count += self.registers[usize::from(r / 64)] >> (r % 64) & 1);
        each_uniform(inst, |r| count += self.uniform >> r & 1);
        let guard = (inst.guard.pred, inst.guard.uniform);
        let bar =
            matches!(inst.exec, Exec::Flow(Flow::Bar { op: BarOp::Sync | BarOp::Arrive, .. }));
        let read = if bar || !inst.op.reads_preds { &[][..] } else { &inst.psrc[..] };
        let sources = read.iter().map(|p| (p.pred, p.uniform));
        for (pred, uniform) in sources.chain([guard]).filter(|(p, _)| *p < PT) {
            count += u64::from(self.preds[usize::from(uniform)] >> pred & 1);
        }
        count
    }
}
