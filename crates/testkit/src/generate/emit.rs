//! Instructions in the making: labels, registers with a role, random operands.

use super::{Program, Shape};
use crate::Rng;
use crate::asm::cubin::{param_base, param_offsets, reserved_shared};
use crate::asm::{Code, P, PT, R, Src, U, constant};
use crate::rng::mix;
use upset_sass::Arch;

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(pub usize);

/// What an instruction with a label does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Jump {
    /// `BRA`.
    Branch,
    /// `BSSY Bn`.
    Open(u8),
    /// `CALL`.
    Call,
    /// `MOV` of the label's address.
    Address(R),
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Nothing is left to fill in.
    Plain(Code),
    /// The distance to a label is.
    Labelled(Jump, Label, P),
    /// `BRX` through jump table `n`, whose entry is in a register pair.
    Indirect(R, usize),
    /// `RET` to the address in a register pair.
    Return(R),
}

/// A line of code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Line {
    Label(Label),
    /// An instruction and the key of its scheduling.
    Insn(Op, u64),
}

/// Registers with a role.
pub(crate) mod role {
    use crate::asm::{P, R, U};
    /// Number of the thread in its CTA.
    pub const THREAD: R = R(0);
    /// Where the thread's local memory begins.
    pub const LOCAL: R = R(1);
    /// Number of the thread in the grid.
    pub const GLOBAL: R = R(2);
    /// All zeros or all ones: which buffers are written in this phase.
    pub const PHASE: R = R(3);
    /// Pairs for addresses.
    pub const TEMPS: [R; 4] = [R(4), R(6), R(8), R(10)];
    /// Loop counters, by depth.
    pub const COUNTER: R = R(12);
    /// Bits of predicates.
    pub const BITS: R = R(15);
    /// Return address.
    pub const RETURN: R = R(16);
    /// The first register that statements compute with.
    pub const POOL: R = R(20);
    /// Condition of a branch.
    pub const CONDITION: P = P::new(5);
    /// Carry of an addition.
    pub const CARRY: P = P::new(6);
    /// Predicates that statements compute with: P0 to P4.
    pub const PREDICATES: u8 = 5;
    /// Memory descriptor (from sm_80).
    pub const DESCRIPTOR: U = U(4);
    /// Pointers in uniform pairs, by region.
    pub const POINTERS: U = U(6);
    /// Uniform registers that statements compute with.
    pub const UNIFORM_POOL: U = U(16);
    /// How many of them.
    pub const UNIFORMS: u8 = 8;
    /// Uniform predicates that statements compute with.
    pub const UNIFORM_PREDICATES: u8 = 3;
}

/// Regions of global memory, in the order of the kernel's pointer parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// Read only.
    Input,
    /// Final registers.
    Output,
    /// Two buffers of slots.
    Slots,
    /// Slots that only their thread touches.
    Private,
    /// Targets of reductions.
    Reductions,
}

/// Pointers among the parameters.
pub(crate) const REGIONS: usize = 5;
/// Words among the parameters, after the pointers.
pub(crate) const WORDS: usize = 4;
/// Bytes of a thread's private slot.
pub(crate) const PRIVATE: u32 = 16;

/// Sizes of the kernel's parameters.
pub(crate) fn params() -> Vec<u32> {
    [8; REGIONS].into_iter().chain([4; WORDS]).collect()
}

/// Where a statement stands, as far as its code depends on it.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    /// The warp's living lanes are all here.
    pub converged: bool,
    /// Loops around it.
    pub loops: u8,
    /// Convergence barriers that must be left alone.
    pub taken: u16,
}

/// Code in the making.
pub(crate) struct Emitter<'a> {
    pub program: &'a Program,
    pub lines: Vec<Line>,
    /// Jump tables.
    pub tables: Vec<Vec<Label>>,
    /// Named barriers, a bit each.
    pub named: u16,
    pub rng: Rng,
    key: u64,
    labels: usize,
    temp: usize,
    pub functions: Vec<Label>,
}

impl<'a> Emitter<'a> {
    pub fn new(program: &'a Program) -> Emitter<'a> {
        let mut e = Emitter {
            program,
            lines: Vec::new(),
            tables: Vec::new(),
            named: 0,
            rng: Rng::new(0),
            key: 0,
            labels: 0,
            temp: 0,
            functions: Vec::new(),
        };
        e.functions = program.functions.iter().map(|_| e.label()).collect();
        e
    }

    pub fn arch(&self) -> Arch {
        self.program.arch
    }

    pub fn shape(&self) -> &'a Shape {
        &self.program.shape
    }

    /// There is a uniform datapath.
    pub fn uniform(&self) -> bool {
        self.arch() >= Arch::Sm75
    }

    /// Details are drawn from `key` from now on.
    pub fn draw_from(&mut self, key: u64) {
        self.rng = Rng::new(key);
        self.key = key;
    }

    pub fn chance(&mut self, one_in: u32) -> bool {
        self.rng.below(one_in) == 0
    }

    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    pub fn place(&mut self, label: Label) {
        self.lines.push(Line::Label(label));
    }

    fn push(&mut self, op: Op) {
        self.key = mix(self.key.wrapping_add(crate::rng::GOLDEN));
        self.lines.push(Line::Insn(op, self.key));
    }

    pub fn emit(&mut self, code: Code) {
        self.push(Op::Plain(code));
    }

    /// Emits, sometimes under a random guard.
    pub fn emit_guarded(&mut self, code: Code) {
        let code = if self.chance(5) {
            let p = self.any_pred();
            code.guard(p)
        } else {
            code
        };
        self.emit(code);
    }

    pub fn jump(&mut self, jump: Jump, to: Label) {
        self.push(Op::Labelled(jump, to, PT));
    }

    pub fn branch_if(&mut self, p: P, to: Label) {
        self.push(Op::Labelled(Jump::Branch, to, p));
    }

    pub fn indirect(&mut self, pair: R, table: usize) {
        self.push(Op::Indirect(pair, table));
    }

    pub fn ret(&mut self) {
        self.push(Op::Return(role::RETURN));
    }

    /// A pair of registers for an address; earlier ones lose theirs in turn.
    pub fn temp(&mut self) -> R {
        self.temp += 1;
        role::TEMPS[self.temp % role::TEMPS.len()]
    }

    /// A register to compute with.
    pub fn reg(&mut self) -> R {
        role::POOL.plus(self.rng.below(self.shape().pool.into()) as u8)
    }

    /// `n` registers (1, 2 or 4), aligned.
    pub fn regs(&mut self, n: u8) -> R {
        role::POOL.plus(n * self.rng.below(u32::from(self.shape().pool / n)) as u8)
    }

    /// A predicate to write.
    pub fn pred(&mut self) -> P {
        P::new(self.rng.below(role::PREDICATES.into()) as u8)
    }

    /// A predicate to read.
    pub fn any_pred(&mut self) -> P {
        let p = self.pred();
        if self.rng.below(2) == 0 { p } else { !p }
    }

    /// A uniform register to compute with.
    pub fn ureg(&mut self) -> U {
        U(role::UNIFORM_POOL.0 + self.rng.below(role::UNIFORMS.into()) as u8)
    }

    /// An immediate that often matters: small, a power of two, or anything.
    pub fn imm(&mut self) -> u32 {
        let r = self.rng.u32();
        match self.rng.below(4) {
            0 => r & 31,
            1 => 1 << (r & 31),
            2 => !(r & 0xff),
            _ => r,
        }
    }

    /// A word of the module's constants.
    pub fn constant(&mut self) -> Src {
        constant(3, 4 * self.rng.below(self.shape().constants) as u16)
    }

    /// A source of any sort.
    pub fn src(&mut self) -> Src {
        match self.rng.below(10) {
            0 => self.imm().into(),
            1 => self.constant(),
            2 => {
                let word = REGIONS + self.rng.below(WORDS as u32) as usize;
                constant(0, self.param(word))
            }
            3 | 4 if self.uniform() => self.ureg().into(),
            _ => self.reg().into(),
        }
    }

    /// Offset of a parameter in constant bank 0.
    pub fn param(&self, index: usize) -> u16 {
        param_base(self.arch()) + param_offsets(&params()).0[index] as u16
    }

    /// Offset of a region's pointer in constant bank 0.
    pub fn pointer(&self, region: Region) -> u16 {
        self.param(region as usize)
    }

    /// Where the dynamic shared memory begins.
    pub fn shared_base(&self) -> i32 {
        reserved_shared(self.arch()) as i32
    }
}
