//! What travels between first-level caches and L2 slices.

use std::ops::Range;

use upset_state::{Origin, Sourced};

/// A way from a core into the memory system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The core.
    pub core: u16,
    /// Which of its first-level caches.
    pub client: u8,
}

/// Bytes of one 128-byte line.
pub type LineBytes = [u8; 128];

/// Bytes to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteData {
    /// The line.
    pub bytes: LineBytes,
    /// One bit per byte that counts.
    pub mask: u128,
    /// Number under which ghosts differ in these bytes; 0: they do not.
    pub flight: u32,
}

impl WriteData {
    /// Its bytes, and where they come from.
    pub(crate) fn line(&self) -> Sourced<'_> {
        Sourced { bytes: &self.bytes, origin: Origin::flight(self.flight, 0) }
    }
}

impl Default for WriteData {
    fn default() -> Self {
        WriteData { bytes: [0; 128], mask: 0, flight: 0 }
    }
}

/// One lane's part of an atomic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneOp {
    /// The lane.
    pub lane: u8,
    /// Byte within the line.
    pub offset: u8,
    /// Operand.
    pub b: u64,
    /// Second operand.
    pub c: u64,
    /// What was there before; set when it is performed.
    pub old: u64,
}

impl LaneOp {
    /// Its bytes within a line of `len` bytes that begins at byte `at` of the
    /// packet's; none if they do not lie there.
    #[inline]
    pub(crate) fn within(&self, at: u8, width: usize, len: usize) -> Option<Range<usize>> {
        let start = usize::from(self.offset.checked_sub(at)?);
        (start + width <= len).then_some(start..start + width)
    }
}

/// What an atomic does: from code, value before and operands to value after.
/// The core that sends it brings its own: codes mean nothing here.
pub type ApplyAtomic = fn(code: u32, before: u64, b: u64, c: u64) -> u64;

/// Lanes of a warp that update one line.
#[derive(Clone, Debug)]
pub struct AtomicBatch {
    /// Bytes of each access, at most 8.
    pub width: u8,
    /// Given to `apply`.
    pub code: u32,
    /// The operation.
    pub apply: ApplyAtomic,
    /// In the order in which they are performed; at most 32, which is what
    /// ghosts can differ in.
    pub lanes: Vec<LaneOp>,
    /// Whether the values before are sent back.
    pub returns: bool,
    /// Number under which ghosts differ in the lanes' words (rows as in
    /// [`batch_row`]); 0: they do not.
    pub flight: u32,
}

/// Rows of an atomic's words: operands and value before, low and high.
pub mod batch_row {
    /// First operand.
    pub const B: u32 = 0;
    /// Second operand.
    pub const C: u32 = 2;
    /// What was there before.
    pub const OLD: u32 = 4;
}

/// What a request wants.
#[derive(Clone, Debug)]
pub enum Body {
    /// The sectors.
    Read,
    /// To write.
    Write(Box<WriteData>),
    /// To update.
    Atomic(Box<AtomicBatch>),
}

/// From a first-level cache to an L2 slice.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who asks.
    pub port: Port,
    /// Given back in the reply.
    pub token: u32,
    /// Address, a multiple of 128.
    pub line: u64,
    /// Sectors of 32 bytes, one bit each. They lie in one line of L2.
    pub sectors: u8,
    /// What is wanted.
    pub body: Body,
    /// A box for the answer to travel in, so that none is made for each.
    pub envelope: Option<Box<LineBytes>>,
    /// Number under which ghosts differ in the answer's bytes; 0: they do not.
    pub flight: u32,
    /// Whether a write, or an atomic that returns nothing, is answered when it
    /// was performed.
    pub acknowledge: bool,
}

/// What a reply brings.
#[derive(Clone, Debug)]
pub enum ReplyBody {
    /// The sectors asked for, at their places in the line.
    Data(Box<LineBytes>),
    /// The lanes, with the values before.
    Atomic(Box<AtomicBatch>),
    /// Nothing: the write was performed.
    Done,
}

/// From an L2 slice to a first-level cache.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Who asked.
    pub port: Port,
    /// As in the request.
    pub token: u32,
    /// Address, a multiple of 128.
    pub line: u64,
    /// Sectors of 32 bytes, one bit each.
    pub sectors: u8,
    /// What it brings.
    pub body: ReplyBody,
    /// As in the request.
    pub flight: u32,
}
