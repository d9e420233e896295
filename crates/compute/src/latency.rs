//! Cycles of an instruction, from its unit and the chip.
//!
//! A fixed-latency result becomes visible `result` cycles after issue,
//! whatever the consumer: hardware delays some consumers more (a guard, the
//! other pipe), which the code's own stall counts cover.

use upset_isa::{Dst, Exec, Inst, LatencyClass, Unit, Width};

use crate::config::Config;

/// Uniform results that skip the pipe (`R2UR` of fixed latency, `ULDC`): NAK's
/// tables let a user follow two cycles later.
const UNIFORM_MOVE: u32 = 2;
/// `S2R`, `S2UR`, `B2R`: through the SM's control logic. Between 20 and 30
/// cycles on Volta and later (public micro-benchmarks).
const SPECIAL: u32 = 24;
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
        Unit::Uniform if !variable && (is_move(inst) || matches!(inst.exec, Exec::Mem(_))) => {
            UNIFORM_MOVE
        }
        // Fixed-latency uniform results written by vector pipes (VOTEU and the like).
        _ if !variable && matches!(inst.dst, Dst::UReg(..)) => unit.latency.min(4),
        _ => unit.latency,
    }
}

/// `UMOV` and `R2UR`, which do not pass through the uniform adder.
fn is_move(inst: &Inst) -> bool {
    matches!(inst.exec, Exec::ToUniform) || inst.op.name == "UMOV"
}

/// `IMAD.WIDE` and the like: two result words through a 32-bit datapath. They
/// keep the issue port a cycle longer (Huerta et al.), and the addend is read
/// late: compilers let it follow its producer by as little as two cycles
/// (NAK's table for sm_75).
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
        Unit::LoadStore if !matches!(inst.exec, Exec::Alu(_)) => 1,
        Unit::Fma if is_wide(inst) => unit.interval.max(2),
        _ => unit.interval,
    }
}

/// Cycles until the operands are read (when a read scoreboard falls).
pub fn operands(inst: &Inst, config: &Config) -> u32 {
    match inst.op.unit {
        Unit::LoadStore | Unit::Texture => config.operand_read,
        // Issue, control, allocate and three operand-read cycles (Huerta et al.).
        _ => 6,
    }
}
