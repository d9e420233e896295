//! Memory accesses, as descriptions the engines carry out.

use crate::atomic::{AtomOp, AtomType};
use crate::{ConstAddr, Width};

/// Address space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// 64-bit generic address: shared, local or global by window.
    Generic,
    /// Global memory.
    Global,
    /// Shared memory of the CTA.
    Shared,
    /// Local memory of the thread.
    Local,
    /// Constant bank (indexed loads, `LDC`).
    Const,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemKind {
    /// Memory to registers.
    Load,
    /// Registers to memory.
    Store,
    /// Read-modify-write, old value returned; predicate destination 0 = done
    /// (a generic address may lie where the operation does not exist).
    Atomic(AtomOp, AtomType),
    /// Read-modify-write, nothing returned.
    Reduce(AtomOp, AtomType),
    /// Memory to registers, and a lock on the place; predicate destination 0 =
    /// the lock is ours (`LDSLK`). Where another has it, nothing else is done.
    LoadLock,
    /// Registers to memory and the lock undone; predicate destination 0 = the
    /// place was locked. Where it was not, nothing is stored (`STSCUL`).
    StoreUnlock,
    /// Writes the predicate destination: does the generic address lie in this space?
    QuerySpace(Space),
    /// Global to shared memory, past the registers (`LDGSTS`). Where predicate
    /// source 0 is false, zeros.
    Copy(CopyTo),
    /// Many bytes between global memory, at source A, and shared memory, at source B,
    /// once for the warp (`UBLKCP`). The low half of source C says how many units of
    /// [`BULK_UNIT`] bytes.
    Bulk(BulkTo),
    /// Touches nothing, and ends when the warp's copies before it have (`LDGDEPBAR`,
    /// `UTMACMDFLUSH`).
    CopiesEnd(Copies),
    /// Writes the predicate destination: is the phase of the barrier there over
    /// whose parity is bit 31 of source B?
    PhaseCheck,
}

/// Where a copy from global memory leads: source B (32 bits) + source C + `offset`
/// in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CopyTo {
    /// Constant byte offset.
    pub offset: i32,
    /// The address of the source says in its lowest bits how many of the last
    /// bytes are not read, but zero (`.ZFILL`).
    pub partial: bool,
}

/// Bytes that bulk copies count in.
pub const BULK_UNIT: u32 = 16;

/// Where many bytes go at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BulkTo {
    /// To shared memory; the barrier at the upper half of source B is told how many
    /// have come.
    Shared,
    /// To global memory.
    Global,
    /// Into what global memory holds (`UBLKRED`).
    Reduced(AtomOp, AtomType),
}

/// Copies past the registers that are waited for together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Copies {
    /// To shared memory, each lane its own.
    Lanes,
    /// Many bytes at once to global memory.
    Bulk,
}

/// A memory access. Address = source A (32 bits, or 64 if `addr64`) + uniform
/// register `ureg` + `offset`; data in source B, CAS: compare in B, swap in C.
/// Where predicate source 0 is false a load returns zero instead of reading
/// (`LDG … , P0`; [`PT`](crate::PT) otherwise).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemOp {
    /// Address space.
    pub space: Space,
    /// What to do.
    pub kind: MemKind,
    /// Bytes per lane: 1, 2, 4, 8, 16.
    pub bytes: u8,
    /// Sign-extend a narrow load.
    pub signed: bool,
    /// The address register is a pair; otherwise 32 bits, zero-extended when a
    /// 64-bit uniform base is added.
    pub addr64: bool,
    /// Uniform base register (63 = none) and its width.
    pub ureg: Option<(u8, Width)>,
    /// Constant byte offset.
    pub offset: i32,
    /// Index scale of shared accesses (`.X4`, `.X8`, `.X16`): address register is shifted left by this.
    pub shift: u8,
    /// Constant bank of `Space::Const`.
    pub bank: Option<ConstAddr>,
    /// A load that the first-level cache may serve: weak, constant, or strong
    /// only within the SM. False for other loads and all else.
    pub cached: bool,
    /// Cache and ordering hints, opaque to the functional engine.
    pub hints: u32,
}

impl MemOp {
    /// The warp's copies before it that it waits for.
    pub fn awaits(&self) -> Option<Copies> {
        match self.kind {
            MemKind::CopiesEnd(copies) => Some(copies),
            MemKind::Reduce(AtomOp::Arrive(arrival), _) => {
                arrival.is_after_copies().then_some(Copies::Lanes)
            }
            _ => None,
        }
    }

    /// The copies that it is one of.
    pub fn copies(&self) -> Option<Copies> {
        match self.kind {
            MemKind::Copy(_) => Some(Copies::Lanes),
            MemKind::Bulk(BulkTo::Global | BulkTo::Reduced(..)) => Some(Copies::Bulk),
            _ => None,
        }
    }
}

/// Who agrees on the order of accesses around a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenceScope {
    /// Threads of the CTA (or of the SM).
    Cta,
    /// All threads of the GPU.
    Gpu,
    /// The host too.
    Sys,
}

/// What a cache control instruction asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheOp {
    /// Drop the first-level cache's lines (one line or all: dropping too many
    /// costs time, never values). Lines that memory has no copy of, as those of
    /// local memory may be, have to be written back first.
    InvalidateL1,
    /// Drop the constant caches' lines.
    InvalidateConst,
    /// Drop the texture cache's lines.
    InvalidateTexture,
    /// Prefetches, write-backs and the rest.
    Other,
}
