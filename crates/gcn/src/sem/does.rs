//! What an instruction does: the column that engines look at.

use super::buffer::BufferOp;
use super::flow::Flow;
use super::scalar::ScalarFn;
use super::share::ShareOp;
use super::vector::VectorFn;

/// What an instruction does.
#[derive(Clone, Copy, Debug)]
pub enum Does {
    /// Nothing that we execute; it traps by its name.
    Absent,
    /// Nothing at all.
    Nothing,
    /// Scalar arithmetic.
    Scalar(ScalarFn),
    /// Vector arithmetic, lane by lane.
    Vector(VectorFn),
    /// A lane's value goes to a scalar register: the lane that source B names.
    ReadLane,
    /// As that, of the first active lane.
    ReadFirstLane,
    /// A scalar goes to the lane that source B names.
    WriteLane,
    /// A move with register numbers raised by M0.
    MoveRelative {
        /// The source's number is.
        source: bool,
        /// The result's number is.
        result: bool,
    },
    /// Reads bits of a hardware register.
    GetReg,
    /// Writes bits of a hardware register.
    SetReg,
    /// Vector instructions are skipped from now on, or no longer.
    SetVskip,
    /// Program control.
    Flow(Flow),
    /// Reads memory by way of the scalar cache, from an address or from a buffer.
    ScalarRead {
        /// The source is a buffer's descriptor.
        buffer: bool,
    },
    /// Reads the clock.
    Time,
    /// The scalar cache forgets what it holds.
    InvalidateScalar,
    /// Local data share.
    Share(ShareOp),
    /// Vector memory.
    Buffer(BufferOp),
}
