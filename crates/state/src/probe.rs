//! Who is told of accesses to arrays.

use serde::{Deserialize, Serialize};

use crate::ghosts::Ghosts;
use crate::{ArrayId, Extent, Force, Held, Quirk, Stored, Use};

/// What happened to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Its value was used.
    Read,
    /// A program wrote it.
    Write,
    /// A line came from the level below.
    Fill,
    /// A line was dropped.
    Evict,
    /// Its bytes went to the level below.
    WriteBack,
    /// It was given to a warp, CTA or line.
    Allocate,
    /// It was given back.
    Release,
    /// The host copied it out.
    CopyOut,
}

/// On whose behalf something happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "who", rename_all = "lowercase")]
pub enum By {
    /// The machine itself: starting and ending CTAs and kernels, memory's answers.
    #[default]
    Machine,
    /// A copy by the host.
    Host,
    /// An instruction of a warp.
    Warp {
        /// The SM.
        sm: u32,
        /// Warp slot.
        slot: u32,
        /// Byte offset of the instruction in its program.
        pc: u32,
    },
    /// A line on its way between levels, for a first-level cache.
    Level {
        /// The SM.
        sm: u32,
        /// Which of its first-level caches.
        client: u8,
    },
}

/// One access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// Cycle.
    pub cycle: u64,
    /// The array.
    pub array: ArrayId,
    /// Register row, line, byte or word, as the array counts them.
    pub row: u32,
    /// What happened.
    pub access: Access,
    /// To which bits.
    pub extent: Extent,
    /// For whom.
    pub by: By,
    /// Address of the row's first byte, in caches and memories; else 0.
    pub line: u64,
}

impl Event {
    /// An access on behalf of nobody in particular; a [`Watch`](crate::Watch)
    /// knows who acts and says so when it passes the event on.
    pub fn new(cycle: u64, array: ArrayId, row: u32, access: Access, extent: Extent) -> Event {
        Event { cycle, array, row, access, extent, by: By::Machine, line: 0 }
    }

    /// An access to a row that holds memory from `address` on.
    pub fn at(self, address: u64) -> Event {
        Event { line: address, ..self }
    }

    /// Whether it concerns a bit of its row.
    pub fn covers(&self, bit_of_row: u64) -> bool {
        self.extent.covers(self.array.kind, bit_of_row)
    }
}

/// How the lines of a cache are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineShape {
    /// Lines of a set; row `r` is in set `r / ways`.
    pub ways: u32,
    /// Sectors of a line.
    pub sectors: u32,
    /// Bytes of a line.
    pub bytes: u32,
}

/// What happens to a line besides accesses to its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFact {
    /// It was given to an address with this tag.
    Claimed {
        /// The tag.
        tag: u64,
    },
    /// These state bits were stored.
    State {
        /// Valid sectors.
        valid: u8,
        /// Dirty sectors.
        dirty: u8,
    },
    /// Sectors are about to be emptied.
    Dropping {
        /// Which.
        sectors: u8,
    },
    /// Somebody asked whether its address was written since.
    Stale {
        /// The answer.
        is: bool,
        /// Tag bits whose flip would change it.
        others: u64,
    },
    /// It is about to be emptied if it holds anything.
    Emptying,
}

/// Hears what happens to chosen lines of caches.
pub trait LineObserver {
    /// Whether a line is of interest; `array` is its data array.
    fn wants(&self, array: ArrayId, row: u32) -> bool;
    /// Something happened to a line of interest.
    fn line(&mut self, cycle: u64, array: ArrayId, shape: LineShape, row: u32, fact: LineFact);
    /// A set, whose first line is `row`, was searched for a tag.
    fn searched(&mut self, cycle: u64, array: ArrayId, shape: LineShape, row: u32, tag: u64);
}

/// Hears of what drives chosen wires.
pub trait WireObserver {
    /// Whether wires of an array are of interest.
    fn wants(&self, array: ArrayId) -> bool;
    /// A wire of interest is driven with `words`, before anything broken acts.
    fn driven(&mut self, of: &Use<'_>, words: &[u32]);
}

/// Hears of accesses and holds stuck bits. The machine is generic over it.
pub trait Probe {
    /// False when nothing listens: callers then leave out the work of telling.
    const ACTIVE: bool;
    /// Whether differences of other runs are followed: callers then move them
    /// along with values.
    const GHOSTS: bool = false;
    /// Another like it, where all are alike and hear nothing: then parts of a machine
    /// may go in threads, each with one of its own.
    fn silent() -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
    /// The runs that are followed.
    fn ghosts(&mut self) -> Option<&mut Ghosts> {
        None
    }
    /// Who hears of tags and states of lines, if anybody does.
    fn lines(&mut self) -> Option<&mut (dyn LineObserver + Send)> {
        None
    }
    /// Something happened.
    #[inline(always)]
    fn event(&mut self, _event: Event) {}
    /// What happens from now on happens on behalf of `by`.
    #[inline(always)]
    fn acting(&mut self, _by: By) {}
    /// Bits that are stuck now, where any can be.
    fn held(&self) -> Option<&Held> {
        None
    }
    /// From now on a bit is stuck (the caller has set it).
    fn hold(&mut self, _force: Force) {}
    /// It is no longer stuck.
    fn let_go(&mut self, _force: Force) {}
    /// From now on a bit misbehaves when it is used.
    fn begin(&mut self, _quirk: Quirk) {}
    /// It no longer does.
    fn end(&mut self, _quirk: Quirk) {}
    /// Words were stored: held bits among them get their value back, and what was
    /// written into broken bits is wrong.
    #[inline(always)]
    fn hold_words(&mut self, _of: Stored, _words: &mut [u32]) {}
    /// Bytes were stored.
    #[inline(always)]
    fn hold_bytes(&mut self, _of: Stored, _bytes: &mut [u8]) {}
    /// Whether any wire is broken or listened to: callers ask this first.
    #[inline(always)]
    fn breaks(&self) -> bool {
        false
    }
    /// Whether anything can be wrong with a wire of this array now: callers
    /// then leave out the work of gathering what drives it.
    #[inline(always)]
    fn drives(&self, _array: ArrayId) -> bool {
        false
    }
    /// Whether a wire of this array can be high although nobody drives it so:
    /// callers then look at it in every cycle.
    #[inline(always)]
    fn raises(&self, _array: ArrayId) -> bool {
        false
    }
    /// A wire is driven with `words`: broken bits among them get their value.
    #[inline(always)]
    fn drive(&mut self, _use: &Use<'_>, _words: &mut [u32]) {}
}

/// Nobody listens and no bit is held.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Probe for Quiet {
    const ACTIVE: bool = false;

    fn silent() -> Option<Quiet> {
        Some(Quiet)
    }
}
