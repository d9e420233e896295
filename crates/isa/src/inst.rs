//! A decoded instruction, ready to execute.

use crate::{Dst, Exec, Guard, OpDef, PredDst, PredSrc, Src};

/// Instead of a counter's number: hardware finds out who waits for the result.
/// No encoding of a counter reaches it.
pub const BY_SCOREBOARD: u8 = 8;
/// In the counters to wait for: hardware finds out what to wait for.
pub const ASKS_SCOREBOARD: u8 = 1 << 7;
/// The counter of texture fetches on their way where hardware keeps a
/// scoreboard: what waits for their number names it (`TEXDEPBAR`).
pub const TEXTURES: u8 = 0;

/// Scheduling fields of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Ctl {
    /// Cycles before the warp may issue again.
    pub stall: u8,
    /// The scheduler should prefer another warp.
    pub yield_: bool,
    /// Scoreboard released when the result is written (7 = none, or
    /// [`BY_SCOREBOARD`]).
    pub write_sb: u8,
    /// Scoreboard released when operands are read (7 = none).
    pub read_sb: u8,
    /// Scoreboards that must be free before issue, or [`ASKS_SCOREBOARD`].
    pub wait: u8,
    /// Operand reuse flags, bit 0 = A, bit 1 = B, bit 2 = C.
    pub reuse: u8,
}

impl Ctl {
    /// What a byte of a control word says (sm_35). It names no scoreboards:
    /// hardware keeps one.
    ///
    /// Compiled code has 0x20 to 0x3f, wait one to 32 cycles, and 0x04, the
    /// next instruction issues together with this one: a stall of zero. On
    /// what follows from the other values sources differ or guess
    /// (docs/kepler-control.md).
    pub fn of_control_byte(byte: u8) -> Ctl {
        let stall = match byte {
            0x04 => 0,
            0x80.. => 2 * (byte & 15) + 1,
            0x20..0x80 => (byte & 31) + 1,
            _ => 16,
        };
        let (write_sb, wait) = (BY_SCOREBOARD, ASKS_SCOREBOARD);
        Ctl { stall, yield_: false, write_sb, read_sb: 7, wait, reuse: 0 }
    }
}

/// A decoded instruction: everything the engines need, nothing they must look up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inst {
    /// Operation-wide properties.
    pub op: &'static OpDef,
    /// Guard predicate.
    pub guard: Guard,
    /// Scheduling fields.
    pub ctl: Ctl,
    /// Register destination.
    pub dst: Dst,
    /// Predicate destinations.
    pub pdst: [PredDst; 2],
    /// Sources A, B, C. Memory: A = address, B = data, C = second data (CAS swap value).
    pub src: [Src; 3],
    /// Predicate sources.
    pub psrc: [PredSrc; 3],
    /// Modifiers, in the private encoding of `exec`.
    pub mods: u32,
    /// Runs on the uniform datapath: one value, written to uniform registers.
    pub uniform: bool,
    /// Lanes that execute it then leave for the join that `SSY` named (`.S`,
    /// machines with a stack).
    pub joins: bool,
    /// What to do.
    pub exec: Exec,
}

impl Inst {
    /// An instruction without operands, to be filled in.
    pub fn new(op: &'static OpDef, exec: Exec) -> Inst {
        Inst {
            op,
            guard: Guard::ALWAYS,
            ctl: Ctl::default(),
            dst: Dst::None,
            pdst: [PredDst::NONE; 2],
            src: [Src::Zero; 3],
            psrc: [PredSrc::TRUE; 3],
            mods: 0,
            uniform: false,
            joins: false,
            exec,
        }
    }
}
