//! Decoded code with what issue needs to know of each instruction, worked out once.

use upset_gcn::inst::Inst;
use upset_gcn::row::Unit;
use upset_gcn::sem::Does;
use upset_gcn::sem::flow::Flow;
use upset_gcn::trap::TrapKind;
use upset_gcn::wave::{Operands, Reg, uses};
use upset_lanes::Lanes;

use crate::config::Config;

/// How an instruction passes through the compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// Operands in, results out; program control too.
    Compute,
    /// Waits for counters.
    Wait,
    /// Scalar memory.
    Scalar,
    /// Local data share.
    Share,
    /// Vector memory.
    Vector,
}

/// Scalar registers as a set: general-purpose ones by their number, the others behind.
pub type Scalars = u128;

/// Place of a register in the set.
pub const fn scalar_bit(reg: Reg) -> Scalars {
    1 << match reg {
        Reg::Sgpr(n) => n,
        Reg::Vcc(half) => 106 + half,
        Reg::M0 => 124,
        Reg::Scc => 125,
        Reg::Exec(half) => 126 + half,
        Reg::Mode => 123,
    }
}

/// An instruction ready to issue.
#[derive(Clone, Debug)]
pub struct Op {
    /// What it does.
    pub inst: Inst,
    /// Bytes.
    pub len: u32,
    /// Its way through the compute unit.
    pub route: Route,
    /// Who executes it.
    pub unit: Unit,
    /// Cycles that it keeps its unit and its wave.
    pub busy: u32,
    /// Scalar registers that it reads.
    pub reads: Scalars,
    /// Scalar registers that it writes.
    pub writes: Scalars,
}

/// What words are.
#[derive(Clone, Debug)]
pub enum Decoded {
    /// An instruction.
    Op(Box<Op>),
    /// What happens when it is reached.
    Trap(TrapKind),
}

/// A module's code.
pub struct Code {
    /// Address of the first dword.
    pub base: u64,
    /// The code.
    pub words: Vec<u32>,
    /// What begins at each dword.
    ops: Vec<Decoded>,
}

impl Code {
    /// Prepares code for a chip.
    pub fn new(base: u64, words: Vec<u32>, config: &Config) -> Code {
        let ops = (0..words.len()).map(|i| Decoded::new(&words[i..], config)).collect();
        Code { base, words, ops }
    }

    /// Address behind the last dword.
    pub fn end(&self) -> u64 {
        self.base + 4 * self.words.len() as u64
    }

    /// Number of the dword at an address.
    #[inline]
    pub fn index(&self, pc: u64) -> Option<usize> {
        let i = usize::try_from(pc.checked_sub(self.base)? / 4).ok()?;
        (i < self.words.len() && pc.is_multiple_of(4)).then_some(i)
    }

    /// What begins at a dword of the code as it was loaded.
    #[inline]
    pub fn at(&self, index: usize) -> &Decoded {
        &self.ops[index]
    }

    /// Whether it reads clocks.
    pub fn sees_time(&self) -> bool {
        let sees =
            |d: &Decoded| matches!(d, Decoded::Op(op) if matches!(op.inst.row.does, Does::Time));
        self.ops.iter().any(sees)
    }
}

impl Decoded {
    /// Decodes what begins with these words.
    pub fn new(words: &[u32], config: &Config) -> Decoded {
        match upset_gcn::decode(words) {
            Ok(inst) => match Op::new(inst, config) {
                Ok(op) => Decoded::Op(Box::new(op)),
                Err(kind) => Decoded::Trap(kind),
            },
            Err(_) => Decoded::Trap(TrapKind::Illegal(words.first().copied().unwrap_or(0))),
        }
    }
}

impl Op {
    /// An instruction on a chip; an error where nobody executes it.
    fn new(inst: Inst, config: &Config) -> Result<Op, TrapKind> {
        let route = match inst.row.does {
            Does::Absent => {
                return Err(TrapKind::Unimplemented(inst.row.name.to_string()));
            }
            Does::Flow(Flow::Wait) => Route::Wait,
            Does::ScalarRead { .. } | Does::Time | Does::InvalidateScalar => Route::Scalar,
            Does::Share(_) => Route::Share,
            Does::Buffer(_) => Route::Vector,
            _ => Route::Compute,
        };
        let (mut reads, mut writes) = (0, 0);
        uses::each_scalar_read(&Blank, &inst, |reg| reads |= scalar_bit(reg));
        uses::each_scalar_written(&Blank, &inst, |reg| writes |= scalar_bit(reg));
        let busy = config.busy(&inst);
        let unit = inst.row.unit;
        Ok(Op { len: inst.length() as u32, inst, route, unit, busy, reads, writes })
    }
}

/// Registers of which nothing is known yet: those that M0 names are found when
/// an instruction issues.
struct Blank;

static ZERO: Lanes = [0; 32];

impl Operands for Blank {
    fn vgpr(&self, _: u32, _: usize) -> &Lanes {
        &ZERO
    }

    fn scalar(&self, _: Reg) -> u32 {
        0
    }

    fn exec(&self) -> u64 {
        0
    }
}
