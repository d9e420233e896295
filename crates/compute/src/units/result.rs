//! A result on its way to the registers.

use upset_isa::{Codes, Exec, Inst, LatencyClass, Mask, OpDef, PT, Results, Unit};

use crate::code::Op;
use crate::depend::scoreboard::Scoreboard;
use crate::view::Constants;
use upset_machine::Pool;

/// What an instruction writes beside its destinations, or instead of them:
/// values and the lanes that they are written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Flags {
    /// Nothing.
    #[default]
    None,
    /// Predicates instead (`R2P`).
    Predicates([Mask; PT as usize], [Mask; PT as usize]),
    /// Condition codes too (`.CC`).
    Codes(Codes, Codes),
}

/// A result on its way to the registers. Its rows lie as the registers do, and what every
/// one has comes right after them.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct WriteBack {
    pub results: Results,
    pub slot: u32,
    pub mask: Mask,
    /// It has a result (otherwise only counters move).
    pub writes: bool,
    /// Ghosts have other results.
    pub haunted: bool,
    /// Loads from shared memory that name no counter are to end before it.
    pub behind: bool,
    /// Its places on the scoreboard, if the chip has one.
    pub written: Scoreboard,
    pub inst: Inst,
    /// Predicates or condition codes.
    pub flags: Flags,
    /// Constants of an instruction that computes after issue, and how long
    /// after that its result is written.
    pub constants: Constants,
    pub rest: u32,
    /// Where the instruction stands; known only when somebody watches.
    pub pc: u32,
}

impl WriteBack {
    /// It is to be the result of `inst` for the lanes in `mask`.
    #[inline]
    pub fn begin(&mut self, slot: u32, inst: &Inst, mask: Mask, has_result: bool) {
        self.slot = slot;
        self.inst = *inst;
        self.mask = mask;
        self.flags = Flags::None;
        self.writes = has_result;
        self.behind = false;
    }

    /// It is the result of this instruction.
    #[inline]
    pub fn leaves(&mut self, op: &Op) {
        if let Some(marks) = &op.marks {
            self.written = marks.written;
        }
    }
}

static NOTHING: OpDef = OpDef::new("NOP", Unit::System, LatencyClass::None);

impl Default for WriteBack {
    fn default() -> Self {
        WriteBack {
            slot: 0,
            inst: Inst::new(&NOTHING, Exec::Nop),
            mask: 0,
            results: Results::default(),
            flags: Flags::None,
            writes: false,
            constants: Constants::default(),
            rest: 0,
            pc: 0,
            haunted: false,
            behind: false,
            written: Scoreboard::default(),
        }
    }
}

/// Takes storage for a result of `inst` for the lanes in `mask`.
#[inline]
pub(crate) fn begin_write(
    writes: &mut Pool<WriteBack>,
    slot: u32,
    inst: &Inst,
    mask: Mask,
    has_result: bool,
) -> u32 {
    let index = writes.take();
    writes[index].begin(slot, inst, mask, has_result);
    index
}
