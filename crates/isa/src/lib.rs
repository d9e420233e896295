//! What an instruction is to the core, and pure lane arithmetic.
//!
//! Nothing here knows a cycle or an array: an instruction's meaning is a
//! function from operand values to results ([`AluFn`]), or a description
//! ([`MemOp`], [`Flow`], …) that the functional and the timing engine carry
//! out over their own storage. What they need for that beyond storage, an
//! instruction of one warp from its operands to its results, is in [`warp`].

pub mod atomic;
pub mod barrier;
pub mod convergence;
pub mod flow;
pub mod fp;
pub mod inst;
pub mod int;
pub mod mem;
pub mod op;
pub mod program;
pub mod special;
pub mod texture;
pub mod trap;
pub mod warp;

pub use atomic::AtomOp;
pub use flow::{BarOp, BarReduce, Flow, Target};
pub use inst::{ConstAddr, Ctl, Dst, Guard, Inst, PredDst, PredSrc, Src, Width};
pub use mem::{CacheOp, FenceScope, MemKind, MemOp, Space};
pub use op::{Across, AluFn, BitFlow, Exec, LatencyClass, OpDef, Pace, Results, Sources, Unit};
pub use special::SpecialReg;
pub use texture::{SurfaceOp, TexOp};
pub use trap::{Trap, TrapKind};

/// Lanes of a warp.
pub const WARP: usize = 32;
/// One 32-bit register of a whole warp.
pub type Lanes = [u32; WARP];
/// One bit per lane: a predicate register of a warp, or an active mask.
pub type Mask = u32;
/// The register that reads zero and drops writes.
pub const RZ: u8 = 255;
/// The uniform register that reads zero and drops writes.
pub const URZ: u8 = 63;
/// The predicate that reads true and drops writes.
pub const PT: u8 = 7;
