//! Cycles of an instruction, from its unit and the chip.
//!
//! A fixed-latency result becomes visible `result` cycles after issue,
//! whatever the consumer: hardware delays some consumers more (a guard, the
//! other pipe), which the code's own stall counts cover.

use upset_isa::{Ctl, Dst, Exec, Flow, Inst, LatencyClass, MemKind, Space, Unit, Width};

use crate::config::Config;

/// `UMOV` and `ULDC` skip the uniform pipe: on an H200 the next instruction
/// can use the result.
const UNIFORM_MOVE: u32 = 1;
/// `R2UR` of fixed latency: NAK's table for sm_75 (an H200 takes 8); `VOTEU`:
/// compiled code for sm_75 and sm_90 reads its result two cycles later.
const TO_UNIFORM: u32 = 2;
/// `CS2R`: compiled code for sm_90 stores its result five cycles later.
const CLOCK: u32 = 5;
/// `CS2R.32`: compiled code for sm_70 reads its result four cycles later.
const CLOCK_WORD: u32 = 4;
/// `LEPC`: code that CUDA 12 and 13 compile for sm_75 reads its result nine
/// cycles later.
const CODE_ADDRESS: u32 = 9;
/// `VOTE`: compiled code for sm_70 hands its result to `FLO` three cycles later.
const VOTE: u32 = 3;
/// `S2R`, `S2UR`, `B2R`: through the SM's control logic (measured on an H200).
const SPECIAL: u32 = 23;
/// A branch unit's own results (`BMOV`).
const BARRIER_MOVE: u32 = 12;

/// Cycles until the result is visible.
pub fn result(inst: &Inst, config: &Config) -> u32 {
    let unit = config.unit(inst.op.unit);
    let variable = inst.op.latency == LatencyClass::Variable;
    match inst.op.unit {
        Unit::LoadStore => config.shared_latency,
        Unit::System if variable => SPECIAL,
        Unit::Branch if variable => BARRIER_MOVE,
        Unit::System if inst.op.name == "CS2R" => match inst.dst {
            Dst::Reg(_, Width::W1) => CLOCK_WORD,
            _ => CLOCK,
        },
        _ if matches!(inst.exec, Exec::Flow(Flow::ReadPc { .. })) => CODE_ADDRESS,
        _ if !variable && crosses(inst) => TO_UNIFORM,
        _ if !variable && inst.op.name == "VOTE" => VOTE,
        Unit::Uniform if !variable && skips_pipe(inst) => UNIFORM_MOVE,
        // Fixed-latency uniform results written by vector pipes (VOTEU and the like).
        _ if !variable && matches!(inst.dst, Dst::UReg(..)) => unit.latency.min(4),
        _ => unit.latency,
    }
}

/// Stall 0 with the yield flag: measured by Huerta et al. (MICRO 2025).
const LONG_PAUSE: u64 = 45;

/// Cycles before a warp may issue again, as the code says.
pub fn pause(ctl: Ctl) -> u64 {
    match (ctl.stall, ctl.yield_) {
        (0, true) => LONG_PAUSE,
        // The field counts to 11 without the flag; beyond, hardware hardly waits.
        (12.., false) => 2,
        (1, true) => 2,
        (n, _) => u64::from(n.max(1)),
    }
}

/// From the lanes to a uniform register.
fn crosses(inst: &Inst) -> bool {
    matches!(inst.exec, Exec::ToUniform) || inst.op.name == "VOTEU"
}

fn skips_pipe(inst: &Inst) -> bool {
    matches!(inst.exec, Exec::Mem(_)) || inst.op.name == "UMOV"
}

/// `IMAD.WIDE` and the like: two result words through a 32-bit datapath. The
/// addend is read late: compilers let it follow its producer by as little as
/// two cycles (NAK's table for sm_75).
pub fn is_wide(inst: &Inst) -> bool {
    inst.op.unit == Unit::Fma
        && matches!(inst.exec, Exec::Alu(_))
        && matches!(inst.dst, Dst::Reg(_, Width::W2))
}

/// Cycles after issue at which a wide multiply-add takes its addend.
pub const WIDE_READ: u64 = 2;

/// Cycles the unit is taken.
pub fn interval(inst: &Inst, config: &Config) -> u32 {
    let unit = config.unit(inst.op.unit);
    match inst.op.unit {
        // The load/store pipe has its own queues; shuffles share its width.
        Unit::LoadStore => match inst.exec {
            Exec::Alu(_) => unit.interval,
            // Indexed constant loads (an H200).
            Exec::Mem(m) if m.space == Space::Const => 4,
            _ => 1,
        },
        // One multiplier of 16 lanes, used twice for a wide product.
        Unit::Fma if is_wide(inst) => 2 * unit.interval.max(2),
        Unit::Fma if is_integer(inst) => unit.interval.max(2),
        // Only barriers occupy the SM's barrier logic.
        Unit::System if !is_barrier(inst) => 1,
        _ => unit.interval,
    }
}

/// Cycles by which a wide multiply-add keeps its warp and the issue port
/// longer. Measured on an H200, whose FP32 units are two halves (two cycles);
/// code for sm_70 and sm_75 does not count on it.
pub fn hold(inst: &Inst, config: &Config) -> u32 {
    if is_wide(inst) && has_lite_pipe(config) { 2 } else { 0 }
}

/// FP32 has two pipes, of which one cannot multiply integers.
pub fn has_lite_pipe(config: &Config) -> bool {
    config.unit(Unit::Fma).count > 1
}

/// An integer multiplication: one of two FP32 pipes does these.
pub fn is_integer(inst: &Inst) -> bool {
    inst.op.name.starts_with('I')
}

/// A CTA barrier.
pub fn is_barrier(inst: &Inst) -> bool {
    matches!(inst.exec, Exec::Flow(Flow::Bar { .. }))
}

/// Cycles until the operands are read (when a read scoreboard falls).
pub fn operands(inst: &Inst, config: &Config) -> u32 {
    match inst.op.unit {
        // Stores read their data after the address, two cycles for each further pair of words
        // (an H200; Huerta et al. found the same steps on Ampere).
        Unit::LoadStore => match inst.exec {
            Exec::Mem(m) if m.kind == MemKind::Store => {
                let shared = u32::from(m.space != Space::Shared) * 2;
                config.operand_read + 1 + shared + (u32::from(m.bytes).max(4) - 4) / 2
            }
            _ => config.operand_read,
        },
        Unit::Texture => config.operand_read,
        // Read in quarters as the unit takes them (an H200: 14).
        Unit::Mufu => 14,
        // Issue, control, allocate and three operand-read cycles (Huerta et al.).
        _ => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_stall_fields_follow_hardware() {
        let ctl = |stall, yield_| Ctl { stall, yield_, ..Ctl::default() };
        assert_eq!(pause(ctl(4, false)), 4);
        assert_eq!(pause(ctl(13, true)), 13);
        assert_eq!(pause(ctl(1, true)), 2);
        assert_eq!(pause(ctl(0, true)), 45);
        assert_eq!(pause(ctl(13, false)), 2);
    }
}
