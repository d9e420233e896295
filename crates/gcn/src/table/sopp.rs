//! Program control.

use crate::format::Format;
use crate::row::{Imm, Row, Specials, Unit};
use crate::sem::Does;
use crate::sem::flow::{Condition, Flow};

const fn internal(op: u16, name: &'static str, imm: Imm, flow: Flow) -> Row {
    Row::new(Format::Sopp, op, name, Unit::Internal).imm(imm).does(Does::Flow(flow))
}

const fn branch(op: u16, name: &'static str, condition: Condition) -> Row {
    let reads = match condition {
        Condition::Always | Condition::Debugger => Specials::NONE,
        Condition::Scc(_) => Specials::SCC,
        Condition::VccZero(_) => Specials::VCC,
        Condition::ExecZero(_) => Specials::EXEC,
    };
    Row::new(Format::Sopp, op, name, Unit::Branch)
        .imm(Imm::Branch)
        .reads(reads)
        .does(Does::Flow(Flow::Branch(condition)))
}

const fn message(op: u16, name: &'static str, flow: Flow) -> Row {
    Row::new(Format::Sopp, op, name, Unit::Branch)
        .imm(Imm::Message)
        .does(Does::Flow(flow))
        .reads(Specials::M0)
        .raises(0, 1, 0)
}

/// The table.
pub const ROWS: &[Row] = &[
    internal(0, "s_nop", Imm::Number, Flow::Nop),
    internal(1, "s_endpgm", Imm::Optional, Flow::End),
    branch(2, "s_branch", Condition::Always),
    branch(4, "s_cbranch_scc0", Condition::Scc(false)),
    branch(5, "s_cbranch_scc1", Condition::Scc(true)),
    branch(6, "s_cbranch_vccz", Condition::VccZero(true)),
    branch(7, "s_cbranch_vccnz", Condition::VccZero(false)),
    branch(8, "s_cbranch_execz", Condition::ExecZero(true)),
    branch(9, "s_cbranch_execnz", Condition::ExecZero(false)),
    internal(10, "s_barrier", Imm::None, Flow::Barrier),
    internal(11, "s_setkill", Imm::Number, Flow::Kill),
    internal(12, "s_waitcnt", Imm::Waitcnt, Flow::Wait),
    internal(13, "s_sethalt", Imm::Number, Flow::Halt),
    internal(14, "s_sleep", Imm::Number, Flow::Sleep),
    internal(15, "s_setprio", Imm::Number, Flow::Priority),
    message(16, "s_sendmsg", Flow::Message),
    message(17, "s_sendmsghalt", Flow::MessageHalt),
    internal(18, "s_trap", Imm::Number, Flow::Trap).on(Unit::Branch),
    internal(19, "s_icache_inv", Imm::None, Flow::InvalidateCode),
    internal(20, "s_incperflevel", Imm::Number, Flow::Nothing),
    internal(21, "s_decperflevel", Imm::Number, Flow::Nothing),
    internal(22, "s_ttracedata", Imm::None, Flow::Nothing).reads(Specials::M0),
    branch(23, "s_cbranch_cdbgsys", Condition::Debugger),
    branch(24, "s_cbranch_cdbguser", Condition::Debugger),
    branch(25, "s_cbranch_cdbgsys_or_user", Condition::Debugger),
    branch(26, "s_cbranch_cdbgsys_and_user", Condition::Debugger),
];
