//! What an instruction is to the core, and pure lane arithmetic.
//!
//! Nothing here knows a cycle or an array: an instruction's meaning is a
//! function from operand values to results ([`AluFn`]), or a description
//! ([`MemOp`], [`Flow`], …) that the functional and the timing engine carry
//! out over their own storage. What they need for that beyond storage, an
//! instruction of one warp from its operands to its results, is in [`warp`].

pub mod arrival;
pub mod atomic;
pub mod barrier;
pub mod codes;
pub mod control;
pub mod flow;
pub mod fp;
pub mod inst;
pub mod int;
pub mod locks;
pub mod matrix;
pub mod mem;
pub mod op;
pub mod operand;
pub mod program;
mod registers;
pub mod special;
pub mod texture;
pub mod trap;
pub mod warp;
pub mod windows;

pub use arrival::{Arrival, ArrivalKind};
pub use atomic::AtomOp;
pub use codes::Codes;
pub use flow::{BarOp, BarReduce, Flow, Target};
pub use inst::{Ctl, Inst};
pub use matrix::MatrixOp;
pub use mem::{BULK_UNIT, BulkTo, CacheOp, Copies, CopyTo, FenceScope, MemKind, MemOp, Space};
pub use op::{
    Across, AluFn, BitFlow, CodesFn, Exec, LatencyClass, OpDef, Pace, Results, Sources, Unit,
};
pub use operand::{ConstAddr, Dst, Guard, PredDst, PredSrc, Src, Width};
pub use registers::{PT, RZ, URZ};
pub use special::SpecialReg;
pub use texture::{SurfaceOp, TexOp};
pub use trap::{Trap, TrapKind};
pub use upset_lanes::{Lanes, Mask, WARP};
