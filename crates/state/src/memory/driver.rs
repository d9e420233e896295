//! What a driver maps around a program's allocations: memory of its own, which
//! answers wild accesses, and holes, which do not.

use std::collections::BTreeMap;

use crate::Digest;

/// Address of the first small allocation. Far from zero, so that small corrupted
/// pointers trap as they do on hardware.
pub const BASE: u64 = 0x7_0000_0000;
/// Granule in which the driver's own memory is kept once it was written to.
const LEAF: u64 = 4096;
/// Longest access that reads memory nobody has written to.
const LONGEST: usize = 128;

/// How a driver lays out device memory, in bytes. Offsets count from the start
/// of the block that it maps for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Whether the driver's own memory answers. Otherwise only pages with live
    /// allocations do.
    pub answers: bool,
    /// Granule in which memory is mapped, a power of two.
    pub page: u64,
    /// Largest allocation that shares its page with others, at most a page.
    pub small: u64,
    /// Size of the driver's block.
    pub block: u64,
    /// Where in it the one page is that takes small allocations.
    pub small_page: u64,
    /// Begin and end of the program's area, behind the block or overlapping its
    /// end, which is the driver's until the program uses it.
    pub area: (u64, u64),
    /// Begins and ends of pockets of the driver's memory, behind the area.
    pub pockets: Vec<(u64, u64)>,
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
        small: 2 * MIB,
        block: 490 * MIB,
        small_page: 414 * MIB,
        area: (488 * MIB, 512 * MIB),
        pockets: Vec::new(),
        fill: 0,
    };

    /// The address at an offset.
    pub(super) fn at(&self, offset: u64) -> u64 {
        BASE - self.small_page + offset
    }

    /// Where the area and the pockets end.
    pub(super) fn end(&self) -> u64 {
        self.pockets.last().map_or(self.area.1, |&(_, end)| end)
    }

    /// Whether an address is in the driver's block or in a pocket.
    fn maps(&self, addr: u64) -> bool {
        let offset = addr.wrapping_sub(self.at(0));
        offset < self.block || self.pockets.iter().any(|&(from, to)| from <= offset && offset < to)
    }
}

/// The driver's own memory. Only what was written to costs anything.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    driver: Driver,
    /// Pages that were given up to the program: at most the one for small
    /// allocations and those that block and area share.
    given_up: Vec<u64>,
    leaves: BTreeMap<u64, Box<[u8]>>,
    blank: [u8; LONGEST],
}

impl Surroundings {
    pub(super) fn new(driver: Driver) -> Surroundings {
        let blank = [driver.fill; LONGEST];
        Surroundings { driver, given_up: Vec::new(), leaves: BTreeMap::new(), blank }
    }

    /// Whether an access that lies in one page is answered from here.
    pub(super) fn holds(&self, addr: u64) -> bool {
        let page = addr & !(self.driver.page - 1);
        self.driver.answers && self.driver.maps(addr) && !self.given_up.contains(&page)
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

    /// Bytes to be written.
    pub(super) fn write(&mut self, addr: u64, len: usize) -> Option<&mut [u8]> {
        if !self.holds(addr) {
            return None;
        }
        let at = (addr % LEAF) as usize;
        let fill = self.driver.fill;
        let blank = || vec![fill; LEAF as usize].into_boxed_slice();
        let leaf = self.leaves.entry(addr - addr % LEAF).or_insert_with(blank);
        leaf.get_mut(at..at + len)
    }

    /// Gives up a page to the program: what was written there moves to `bytes`.
    pub(super) fn yield_page(&mut self, page: u64, bytes: &mut [u8]) {
        if self.driver.maps(page) {
            self.given_up.push(page);
        }
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
        // The layout is the chip's, and the same in runs that are compared. Pages
        // are given up for good, in the order in which the program came to use
        // them: what answers there afterwards depends on it.
        let Surroundings { driver: _, given_up, leaves: _, blank: _ } = self;
        d.value(given_up);
        for (at, leaf) in self.written() {
            d.put(at);
            d.bytes(leaf);
        }
        d.put(u64::MAX);
    }
}
