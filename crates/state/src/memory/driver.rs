//! What a driver maps around a program's allocations: memory of its own, which
//! answers wild accesses, and holes, which do not.

use std::collections::BTreeMap;

use super::BASE;
use crate::Digest;

/// Granule in which the driver's own memory is kept once it was written to.
const LEAF: u64 = 4096;
/// Longest access that reads memory nobody has written to.
const LONGEST: usize = 128;

/// How a driver lays out device memory, in bytes. Offsets count from the
/// place of the first small allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Whether the driver's own memory answers. Otherwise only pages with live
    /// allocations do.
    pub answers: bool,
    /// Granule in which memory is mapped, a power of two.
    pub page: u64,
    /// Largest allocation that shares its pages with others.
    pub small: u64,
    /// The driver's block reaches this far below the first small allocation …
    pub below: u64,
    /// … and this far above. Small allocations are made in this part of it.
    pub above: u64,
    /// Where pockets of mapped memory begin, beyond a hole.
    pub pockets_from: u64,
    /// Where they end.
    pub pockets_to: u64,
    /// Size of a pocket, and of the hole behind it.
    pub pocket: u64,
    /// What the driver's own memory holds.
    pub fill: u8,
}

const MIB: u64 = 1 << 20;

impl Driver {
    /// A layout as the presets have it, in which nothing but pages with
    /// allocations answers.
    pub const STRICT: Driver = Driver {
        answers: false,
        page: 2 * MIB,
        small: MIB,
        below: 384 * MIB,
        above: 76 * MIB,
        pockets_from: 96 * MIB,
        pockets_to: 128 * MIB,
        pocket: 4 * MIB,
        fill: 0,
    };

    /// Whether an address is in the driver's block or in a pocket.
    fn maps(&self, addr: u64) -> bool {
        if addr.wrapping_sub(BASE - self.below) < self.below + self.above {
            return true;
        }
        let at = addr.wrapping_sub(BASE + self.pockets_from);
        at < self.pockets_to - self.pockets_from && (at / self.pocket).is_multiple_of(2)
    }
}

/// The driver's own memory. Only what was written to costs anything.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    driver: Driver,
    leaves: BTreeMap<u64, Box<[u8]>>,
    blank: [u8; LONGEST],
}

impl Surroundings {
    pub(super) fn new(driver: Driver) -> Surroundings {
        Surroundings { driver, leaves: BTreeMap::new(), blank: [driver.fill; LONGEST] }
    }

    /// Whether an access that lies in one page is answered from here.
    pub(super) fn holds(&self, addr: u64) -> bool {
        self.driver.answers && self.driver.maps(addr)
    }

    /// `len` bytes, at most a line.
    pub(super) fn read(&self, addr: u64, len: usize) -> Option<&[u8]> {
        if !self.holds(addr) {
            return None;
        }
        let at = (addr % LEAF) as usize;
        match self.leaves.get(&(addr - addr % LEAF)) {
            Some(leaf) => leaf.get(at..at + len),
            None => self.blank.get(..len).filter(|_| at + len <= LEAF as usize),
        }
    }

    /// The same, to be written.
    pub(super) fn write(&mut self, addr: u64, len: usize) -> Option<&mut [u8]> {
        if !self.holds(addr) {
            return None;
        }
        let at = (addr % LEAF) as usize;
        let blank = || vec![self.driver.fill; LEAF as usize].into_boxed_slice();
        let leaf = self.leaves.entry(addr - addr % LEAF).or_insert_with(blank);
        leaf.get_mut(at..at + len)
    }

    /// Gives up a page to the program: what was written there moves to `bytes`.
    pub(super) fn yield_page(&mut self, page: u64, bytes: &mut [u8]) {
        let end = page + bytes.len() as u64;
        let leaves: Vec<u64> = self.leaves.range(page..end).map(|(&at, _)| at).collect();
        for at in leaves {
            if let Some(leaf) = self.leaves.remove(&at) {
                let from = (at - page) as usize;
                bytes[from..from + leaf.len()].copy_from_slice(&leaf);
            }
        }
    }

    /// Pieces that were written to and hold something of their own, by address.
    pub(super) fn written(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let changed = |leaf: &[u8]| leaf.iter().any(|b| *b != self.driver.fill);
        self.leaves.iter().map(|(&at, leaf)| (at, &**leaf)).filter(move |(_, leaf)| changed(leaf))
    }

    pub(super) fn digest(&self, d: &mut Digest) {
        // The layout is the chip's, and the same in runs that are compared.
        let Surroundings { driver: _, leaves: _, blank: _ } = self;
        for (at, leaf) in self.written() {
            d.put(at);
            d.bytes(leaf);
        }
        d.put(u64::MAX);
    }
}
