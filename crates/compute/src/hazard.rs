//! Checks that the code's stall counts cover this chip's latencies.
//!
//! Hardware does not look: an instruction that issues before a fixed-latency
//! result is written reads the old value. So does the model. In debug builds
//! such reads are counted, because compiled code never makes them unless a
//! latency of the chip file is too long.

use upset_isa::{Dst, Inst, LatencyClass, RZ};

use crate::operands::each_register;
use crate::warp::Warp;

fn written(inst: &Inst, mut f: impl FnMut(u8)) {
    if inst.op.latency == LatencyClass::Variable {
        return;
    }
    if let Dst::Reg(d, w) = inst.dst {
        for r in (0..w.words().min(2)).map(|n| d.saturating_add(n)).filter(|&r| r != RZ) {
            f(r);
        }
    }
}

/// A result is on its way.
pub fn started(warp: &mut Warp, inst: &Inst) {
    written(inst, |r| warp.unwritten[usize::from(r / 64)] |= 1 << (r % 64));
}

/// It is there.
pub fn arrived(warp: &mut Warp, inst: &Inst) {
    written(inst, |r| warp.unwritten[usize::from(r / 64)] &= !(1 << (r % 64)));
}

/// Registers read too early.
pub fn reads(unwritten: &[u64; 4], inst: &Inst) -> u64 {
    let mut count = 0;
    if unwritten.iter().any(|&w| w != 0) {
        each_register(inst, |r| count += unwritten[usize::from(r / 64)] >> (r % 64) & 1);
    }
    count
}
