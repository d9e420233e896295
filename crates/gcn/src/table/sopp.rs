//! Program control.

use crate::format::Format;
use crate::row::{Imm, Row, Specials, Unit};

const fn internal(op: u16, name: &'static str, imm: Imm) -> Row {
    Row::new(Format::Sopp, op, name, Unit::Internal).imm(imm)
}

const fn branch(op: u16, name: &'static str, reads: Specials) -> Row {
    Row::new(Format::Sopp, op, name, Unit::Branch).imm(Imm::Branch).reads(reads)
}

const fn message(op: u16, name: &'static str) -> Row {
    Row::new(Format::Sopp, op, name, Unit::Branch)
        .imm(Imm::Message)
        .reads(Specials::M0)
        .raises(0, 1, 0)
}

/// The table.
pub const ROWS: &[Row] = &[
    internal(0, "s_nop", Imm::Number),
    internal(1, "s_endpgm", Imm::Optional),
    branch(2, "s_branch", Specials::NONE),
    branch(4, "s_cbranch_scc0", Specials::SCC),
    branch(5, "s_cbranch_scc1", Specials::SCC),
    branch(6, "s_cbranch_vccz", Specials::VCC),
    branch(7, "s_cbranch_vccnz", Specials::VCC),
    branch(8, "s_cbranch_execz", Specials::EXEC),
    branch(9, "s_cbranch_execnz", Specials::EXEC),
    internal(10, "s_barrier", Imm::None),
    internal(11, "s_setkill", Imm::Number),
    internal(12, "s_waitcnt", Imm::Waitcnt),
    internal(13, "s_sethalt", Imm::Number),
    internal(14, "s_sleep", Imm::Number),
    internal(15, "s_setprio", Imm::Number),
    message(16, "s_sendmsg"),
    message(17, "s_sendmsghalt"),
    internal(18, "s_trap", Imm::Number).on(Unit::Branch),
    internal(19, "s_icache_inv", Imm::None),
    internal(20, "s_incperflevel", Imm::Number),
    internal(21, "s_decperflevel", Imm::Number),
    internal(22, "s_ttracedata", Imm::None).reads(Specials::M0),
    branch(23, "s_cbranch_cdbgsys", Specials::NONE),
    branch(24, "s_cbranch_cdbguser", Specials::NONE),
    branch(25, "s_cbranch_cdbgsys_or_user", Specials::NONE),
    branch(26, "s_cbranch_cdbgsys_and_user", Specials::NONE),
];
