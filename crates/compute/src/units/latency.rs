//! Cycles of an instruction, from its unit and the chip.
//!
//! A fixed-latency result becomes visible `result` cycles after issue,
//! whatever the consumer: hardware delays some consumers more (a guard, the
//! other pipe), which the code's own stall counts cover.

use upset_chip::TimingSpec;
use upset_isa::inst::BY_SCOREBOARD;
use upset_isa::{
    Ctl, Dst, Exec, Flow, Inst, LatencyClass, MemKind, Pace, RZ, Space, Src, Unit, Width,
};

use crate::config::Config;
use crate::depend::counters::COUNTERS;

/// Cycles until the result is visible.
pub fn result(inst: &Inst, config: &Config) -> u32 {
    let (unit, timing) = (config.unit(inst.op.unit), &config.timing);
    let variable = inst.op.latency == LatencyClass::Variable;
    match inst.op.unit {
        Unit::LoadStore => config.shared_latency,
        Unit::System if variable => timing.special,
        Unit::Branch if variable => timing.barrier_move,
        Unit::System if inst.op.pace == Pace::Clock => match inst.dst {
            Dst::Reg(_, Width::W1) => timing.clock_word,
            _ => timing.clock,
        },
        _ if matches!(inst.exec, Exec::Flow(Flow::ReadPc { .. })) => timing.code_address,
        _ if !variable && crosses(inst) => timing.to_uniform,
        _ if !variable && inst.op.pace == Pace::Vote => timing.vote,
        Unit::Uniform if !variable && skips_pipe(inst) => timing.uniform_move,
        // Fixed-latency uniform results written by vector pipes (VOTEU and the like).
        _ if !variable && matches!(inst.dst, Dst::UReg(..)) => {
            unit.latency.min(timing.uniform_most)
        }
        _ => unit.latency,
    }
}

/// Cycles before a warp may issue again, as the code says; none where the next
/// instruction may come in the same cycle.
pub fn pause(ctl: Ctl, timing: &TimingSpec, issue_width: u32) -> u32 {
    match (ctl.stall, ctl.yield_) {
        // What control bytes say, they mean.
        (0, _) if ctl.write_sb == BY_SCOREBOARD => u32::from(issue_width < 2),
        (n, _) if ctl.write_sb == BY_SCOREBOARD => u32::from(n),
        (0, true) => timing.pause_long,
        // The field counts to 11 without the flag; beyond, hardware hardly waits.
        (12.., false) | (1, true) => timing.pause_short,
        (n, _) => u32::from(n.max(1)),
    }
}

/// From the lanes to a uniform register.
fn crosses(inst: &Inst) -> bool {
    matches!(inst.exec, Exec::ToUniform) || inst.op.pace == Pace::ToUniform
}

fn skips_pipe(inst: &Inst) -> bool {
    matches!(inst.exec, Exec::Mem(_)) || inst.op.pace == Pace::UniformMove
}

/// `IMAD.WIDE` and the like: two result words through a 32-bit datapath.
pub fn is_wide(inst: &Inst) -> bool {
    inst.op.unit == Unit::Fma
        && matches!(inst.exec, Exec::Alu(_))
        && matches!(inst.dst, Dst::Reg(_, Width::W2))
}

/// A multiply-add with an addend of two words takes that late (`timing.wide_read`), as
/// compilers know: those above, and `IMAD.HI`, whose addend CUDA 13 for sm_90 writes three
/// cycles before it.
pub fn reads_late(inst: &Inst) -> bool {
    let addend = |src| matches!(src, Src::Reg(r, Width::W2) if r != RZ);
    is_wide(inst)
        || inst.op.unit == Unit::Fma && matches!(inst.exec, Exec::Alu(_)) && addend(inst.src[2])
}

/// A load from shared memory that names no counter: code waits for another instruction
/// of the same pipe that comes after it, a load or a shuffle, since these end in order.
pub fn is_unnamed(inst: &Inst) -> bool {
    let shared =
        matches!(inst.exec, Exec::Mem(m) if m.space == Space::Shared && m.kind == MemKind::Load);
    shared && (COUNTERS as u8..BY_SCOREBOARD).contains(&inst.ctl.write_sb)
}

/// What such loads may be waited for by: what the load/store pipe computes.
pub fn ends_in_order(inst: &Inst) -> bool {
    inst.op.unit == Unit::LoadStore && matches!(inst.exec, Exec::Alu(_))
}

/// Cycles the unit is taken.
pub fn interval(inst: &Inst, config: &Config) -> u32 {
    let unit = config.unit(inst.op.unit);
    match inst.op.unit {
        // The load/store pipe has its own queues; shuffles share its width.
        Unit::LoadStore => match inst.exec {
            Exec::Alu(_) => unit.interval,
            Exec::Mem(m) if m.space == Space::Const => config.timing.constant_load,
            _ => 1,
        },
        // One multiplier, used twice for a wide product.
        Unit::Fma if is_wide(inst) => 2 * unit.interval.max(config.timing.integer_product),
        Unit::Fma if is_integer(inst) => unit.interval.max(config.timing.integer_product),
        // Only barriers occupy the SM's barrier logic.
        Unit::System if !is_barrier(inst) => 1,
        _ => unit.interval,
    }
}

/// Cycles by which a wide multiply-add keeps its warp and the issue port
/// longer.
pub fn hold(inst: &Inst, config: &Config) -> u32 {
    if is_wide(inst) { config.timing.wide_hold } else { 0 }
}

/// FP32 has two pipes, of which one cannot multiply integers.
pub fn has_lite_pipe(config: &Config) -> bool {
    let fma = config.unit(Unit::Fma);
    fma.count > 1 && !fma.shared
}

/// Groups of lanes of which an instruction takes one, from the first on; none
/// where its unit is a single one. The first multiplies integers and shifts.
pub fn groups(inst: &Inst, config: &Config) -> u8 {
    match config.unit(inst.op.unit).groups() {
        0 | 1 => 0,
        _ if matches!(inst.op.pace, Pace::IntegerProduct | Pace::FirstGroup) => 1,
        n => n as u8,
    }
}

/// An integer multiplication: one of two FP32 pipes does these.
pub fn is_integer(inst: &Inst) -> bool {
    inst.op.pace == Pace::IntegerProduct
}

/// A CTA barrier.
pub fn is_barrier(inst: &Inst) -> bool {
    matches!(inst.exec, Exec::Flow(Flow::Bar { .. }))
}

/// Cycles until the operands are read (when a read scoreboard falls).
pub fn operands(inst: &Inst, config: &Config) -> u32 {
    let timing = &config.timing;
    match inst.op.unit {
        // Stores read their data after the address, word by word.
        Unit::LoadStore => match inst.exec {
            Exec::Mem(m) if m.kind == MemKind::Store => {
                let far = if m.space == Space::Shared { 0 } else { timing.read_store_far };
                let further = u32::from(m.bytes).div_ceil(4).max(1) - 1;
                let words = further * timing.read_store_word;
                config.operand_read + timing.read_store + far + words
            }
            _ => config.operand_read,
        },
        Unit::Texture => config.operand_read,
        Unit::Mufu => timing.read_mufu,
        _ => timing.read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_chip::ChipSpec;

    #[test]
    fn odd_stall_fields_follow_hardware() {
        let chip = ChipSpec::preset("rtx2060").expect("a preset");
        let ctl = |stall, yield_| Ctl { stall, yield_, ..Ctl::default() };
        let pause = |ctl| pause(ctl, &chip.sm().expect("SMs").timing, 1);
        assert_eq!(pause(ctl(4, false)), 4);
        assert_eq!(pause(ctl(13, true)), 13);
        assert_eq!(pause(ctl(1, true)), 2);
        assert_eq!(pause(ctl(0, true)), 45);
        assert_eq!(pause(ctl(13, false)), 2);
    }

    #[test]
    fn control_bytes_are_taken_at_their_word() {
        let chip = ChipSpec::preset("titan").expect("a preset");
        let timing = &chip.sm().expect("SMs").timing;
        let pause = |byte, width| pause(Ctl::of_control_byte(byte), timing, width);
        assert_eq!((pause(0x20, 2), pause(0x2f, 2), pause(0x3f, 1)), (1, 16, 32));
        // Together with this one, if the scheduler has two slots.
        assert_eq!((pause(0x04, 2), pause(0x04, 1)), (0, 1));
    }
}
