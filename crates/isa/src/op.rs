//! An operation: its unit, latency class and what it does.

use crate::{
    CacheOp, Codes, FenceScope, Flow, Lanes, Mask, MatrixOp, MemOp, SpecialReg, SurfaceOp, TexOp,
};

/// The execution unit that runs an operation (timing mode picks rates from it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Integer add, logic, shift, compare, select.
    Alu,
    /// FP32 and integer multiply-add.
    Fma,
    /// Double precision.
    Fp64,
    /// Packed half precision.
    Half,
    /// Transcendentals, conversions, bit counts.
    Mufu,
    /// Tensor cores.
    Tensor,
    /// Uniform datapath.
    Uniform,
    /// Branches and convergence.
    Branch,
    /// Loads, stores, atomics, shuffles.
    LoadStore,
    /// Texture fetches.
    Texture,
    /// Barriers, special registers, anything served by the SM's control logic.
    System,
}

impl Unit {
    /// All of them, in the order of their numbers (`as usize`).
    pub const ALL: [Unit; 11] = [
        Unit::Alu,
        Unit::Fma,
        Unit::Fp64,
        Unit::Half,
        Unit::Mufu,
        Unit::Tensor,
        Unit::Uniform,
        Unit::Branch,
        Unit::LoadStore,
        Unit::Texture,
        Unit::System,
    ];
}

/// How dependence on the result is expressed in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LatencyClass {
    /// Fixed latency: the code's stall counts cover it.
    Fixed,
    /// Variable latency: the code waits on a scoreboard.
    Variable,
    /// Produces nothing that others wait for.
    None,
}

/// What sets an operation of fixed latency apart from others of its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pace {
    /// Nothing.
    Unit,
    /// A product of integers: of two FP32 pipes only one does these.
    IntegerProduct,
    /// Of several groups of lanes side by side only the first does these: shifts
    /// and bit fields of sm_35.
    FirstGroup,
    /// Reads a clock through the SM's control logic.
    Clock,
    /// Counts lanes into registers or predicates.
    Vote,
    /// Takes a value from the lanes to a uniform register.
    ToUniform,
    /// A move that skips the uniform pipe.
    UniformMove,
}

/// Where the bits of operands go, whatever else is in the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitFlow {
    /// Anywhere.
    Any,
    /// Each to its own place.
    Bitwise,
    /// Each to one place.
    Moves,
    /// Each to a place that operand B says.
    MovesByB,
    /// Those of A times B, plus those of C.
    Product,
    /// To their own and higher places.
    Upwards,
}

/// Whether a lane's result depends on other lanes' operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Across {
    /// It does not.
    No,
    /// It does.
    Lanes,
    /// It is a copy of operand A of another lane; the other operands say which.
    Shuffle,
}

/// What is common to all uses of an operation. Whoever wants to know more of
/// one than this adds a column: nothing is read out of a name.
#[derive(Debug, PartialEq, Eq)]
pub struct OpDef {
    /// Base mnemonic, e.g. `IADD3`. For people only.
    pub name: &'static str,
    /// Where it executes.
    pub unit: Unit,
    /// How its result is waited for.
    pub latency: LatencyClass,
    /// What is special about its time.
    pub pace: Pace,
    /// Where bits go.
    pub bits: BitFlow,
    /// Whether lanes depend on each other.
    pub across: Across,
    /// It has fields for predicate sources and reads them.
    pub reads_preds: bool,
}

impl OpDef {
    /// An operation like any other of its unit; the methods below change single columns.
    pub const fn new(name: &'static str, unit: Unit, latency: LatencyClass) -> OpDef {
        OpDef {
            name,
            unit,
            latency,
            pace: Pace::Unit,
            bits: BitFlow::Any,
            across: Across::No,
            reads_preds: true,
        }
    }
    /// Sets what is special about its time.
    pub const fn pace(mut self, pace: Pace) -> OpDef {
        self.pace = pace;
        self
    }
    /// Sets where bits go.
    pub const fn bits(mut self, bits: BitFlow) -> OpDef {
        self.bits = bits;
        self
    }
    /// Sets how lanes depend on each other.
    pub const fn across(mut self, across: Across) -> OpDef {
        self.across = across;
        self
    }
    /// Has fields for predicate sources that it does not read.
    pub const fn leaves_preds(mut self) -> OpDef {
        self.reads_preds = false;
        self
    }
}

/// Operand values handed to an [`AluFn`]: register words of a whole warp.
///
/// Slots are A-lo, A-hi, B-lo, B-hi, C-lo, C-hi; an instruction that declares a
/// 32-bit source finds zeroes in the high word. Immediates, constants and
/// uniform registers arrive broadcast over the lanes.
pub struct Sources<'a> {
    /// A-lo, A-hi, B-lo, B-hi, C-lo, C-hi.
    pub r: [&'a Lanes; 6],
    /// Predicate sources, negation already applied.
    pub p: [Mask; 3],
    /// Lanes that execute (guard applied). Only cross-lane operations care.
    pub active: Mask,
}

impl<'a> Sources<'a> {
    /// Low words of A.
    pub fn a(&self) -> &'a Lanes {
        self.r[0]
    }
    /// Low words of B.
    pub fn b(&self) -> &'a Lanes {
        self.r[2]
    }
    /// Low words of C.
    pub fn c(&self) -> &'a Lanes {
        self.r[4]
    }
    /// A of one lane as 64 bits.
    pub fn a64(&self, lane: usize) -> u64 {
        u64::from(self.r[0][lane]) | u64::from(self.r[1][lane]) << 32
    }
    /// B of one lane as 64 bits.
    pub fn b64(&self, lane: usize) -> u64 {
        u64::from(self.r[2][lane]) | u64::from(self.r[3][lane]) << 32
    }
    /// C of one lane as 64 bits.
    pub fn c64(&self, lane: usize) -> u64 {
        u64::from(self.r[4][lane]) | u64::from(self.r[5][lane]) << 32
    }
}

/// Results of an [`AluFn`]; the engine writes them under the active mask.
#[derive(Clone)]
pub struct Results {
    /// Low and high destination words.
    pub d: [Lanes; 2],
    /// The third and fourth word of those that have them.
    pub wide: [Lanes; 2],
    /// Predicate destinations.
    pub p: [Mask; 2],
}

impl Default for Results {
    fn default() -> Self {
        Results { d: [[0; crate::WARP]; 2], wide: [[0; crate::WARP]; 2], p: [0; 2] }
    }
}

impl Results {
    /// Stores a 64-bit lane result.
    pub fn set64(&mut self, lane: usize, v: u64) {
        self.d[0][lane] = v as u32;
        self.d[1][lane] = (v >> 32) as u32;
    }
}

/// A pure warp-wide operation. `mods` are the instruction's modifiers in an
/// encoding private to the function and to whoever lowers to it.
pub type AluFn = fn(mods: u32, s: &Sources<'_>, r: &mut Results);

/// An [`AluFn`] that also sees the condition codes, and changes those that it sets.
pub type CodesFn = fn(mods: u32, s: &Sources<'_>, codes: &mut Codes, r: &mut Results);

/// What the core has to do for an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
// Functions at one address do the same. One that has two addresses makes equal ones
// unequal: whoever compares must be content with that.
#[allow(unpredictable_function_pointer_comparisons)]
pub enum Exec {
    /// Pure arithmetic: operands in, results out. Also votes, shuffles, matches.
    Alu(AluFn),
    /// Arithmetic with condition codes, on machines that have them.
    AluCodes {
        /// The operation.
        f: CodesFn,
        /// What it makes of the codes is kept (`.CC`).
        writes: bool,
    },
    /// A memory access.
    Mem(MemOp),
    /// A texture fetch.
    Tex(TexOp),
    /// An access to a surface; data in source B.
    Surface(SurfaceOp),
    /// A product of matrices that the registers of all lanes hold.
    Matrix(MatrixOp),
    /// Control flow, convergence, CTA barriers.
    Flow(Flow),
    /// Reads a special register into the destination (64 bits when the destination is wide).
    Special(SpecialReg),
    /// Copies the predicates (P0..P6, bit i = Pi) of each lane that source B
    /// names into one byte of source A: with `m = B & 0xff`,
    /// `A & !(m << shift) | (preds & m) << shift`.
    ReadPreds {
        /// Byte position: 0, 8, 16 or 24 bits.
        shift: u8,
        /// Reads the condition codes instead of the predicates: zeroes where
        /// the machine has none.
        cc: bool,
    },
    /// Writes predicates of each lane from bits of source A (after `>> shift`) where source B has ones.
    WritePreds {
        /// Byte position: 0, 8, 16 or 24 bits.
        shift: u8,
        /// Targets the condition codes instead; dropped where there are none.
        cc: bool,
    },
    /// Writes a uniform register from the first active lane of source A, and
    /// true to the predicate of lanes that have another value there, or whose
    /// predicate source is true.
    ToUniform,
    /// `MEMBAR`: accesses before it are seen, within the scope, before those
    /// after it. Nothing to do without time.
    Fence(FenceScope),
    /// `CCTL` and its kin. Nothing to do where there are no caches.
    CacheControl(CacheOp),
    /// `DEPBAR.LE SBn, m, {…}`: waits until scoreboard `counter` is at most
    /// `at_most` and those in `also_zero` are zero. Nothing to do without time.
    DepBar {
        /// Scoreboard 0-5; 7 = none, only `also_zero` counts.
        counter: u8,
        /// Outstanding operations it may still have.
        at_most: u8,
        /// Scoreboards that must be zero, one bit each.
        also_zero: u8,
    },
    /// Nothing to do in the core.
    Nop,
    /// Legal, but the engines do not implement it (tensor cores, surfaces, …).
    Unimplemented,
}
