//! Launches that reach every SM, and proof that they did.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::{About, Board, BoardError, Buffer, Kind, Shape};

/// A launch with one CTA on each SM: CTAs take more than half of an SM's shared
/// memory each, so that no two share one while another is free.
pub fn one_cta_per_sm(about: &About, ctas: u32, threads: u32) -> Shape {
    let half = about.shared_per_sm / 2 + 1024;
    let dynamic_shared = half.min(about.shared_per_cta) & !255;
    Shape { grid: [ctas, 1, 1], block: [threads, 1, 1], dynamic_shared }
}

/// Threads of a CTA that has a warp for each sub-core, and more on real chips,
/// whose order of sub-cores nobody promises.
pub fn threads_per_cta(about: &About) -> u32 {
    let warps = about.sub_cores.max(1).next_power_of_two();
    match about.kind {
        Kind::Model => warps * about.warp,
        Kind::Cuda | Kind::Opencl => 2 * warps * about.warp,
    }
}

/// Where a warp ran: SM and slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct WarpAt {
    /// `%smid`.
    pub sm: u32,
    /// `%warpid`.
    pub warp: u32,
}

/// Where a warp ran, from what its lanes wrote down before and after (SM, slot,
/// SM, slot). A lane may be broken, so most lanes say it; a warp that moved has
/// no place.
pub fn place_of_warp(lanes: impl Iterator<Item = [u32; 4]>) -> Option<WarpAt> {
    let mut said: BTreeMap<[u32; 4], u32> = BTreeMap::new();
    lanes.for_each(|l| *said.entry(l).or_default() += 1);
    let (most, _) = said.into_iter().max_by_key(|(_, n)| *n)?;
    let [sm, warp, sm_after, warp_after] = most;
    (sm == sm_after && warp == warp_after).then_some(WarpAt { sm, warp })
}

/// What of the chip was reached: sub-cores and lanes of each SM.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    /// Lanes by SM and sub-core.
    reached: BTreeMap<(u32, u32), u32>,
    moved: u64,
}

impl Coverage {
    /// A warp computed with these lanes.
    pub fn warp(&mut self, at: Option<WarpAt>, sub_cores: u32, lanes: u32) {
        match at {
            Some(at) => {
                *self.reached.entry((at.sm, at.warp % sub_cores.max(1))).or_default() |= lanes;
            }
            None => self.moved += 1,
        }
    }

    /// Joins what another launch reached.
    pub fn join(&mut self, other: &Coverage) {
        for (place, lanes) in &other.reached {
            *self.reached.entry(*place).or_default() |= lanes;
        }
        self.moved += other.moved;
    }

    /// SMs that were reached at all.
    pub fn sms(&self) -> BTreeSet<u32> {
        self.reached.keys().map(|(sm, _)| *sm).collect()
    }

    /// Lanes of a sub-core that computed.
    pub fn lanes(&self, sm: u32, sub_core: u32) -> u32 {
        self.reached.get(&(sm, sub_core)).copied().unwrap_or(0)
    }

    /// Triples of SM, sub-core and lane that computed.
    pub fn count(&self) -> u64 {
        self.reached.values().map(|lanes| u64::from(lanes.count_ones())).sum()
    }

    /// Warps that changed their place while they ran.
    pub fn moved(&self) -> u64 {
        self.moved
    }

    /// What was not reached, in words; `None` when everything was.
    pub fn missing(&self, about: &About) -> Option<String> {
        let full = if about.warp >= 32 { u32::MAX } else { (1 << about.warp) - 1 };
        let all = u64::from(about.sms) * u64::from(about.sub_cores.max(1)) * u64::from(about.warp);
        let whole: Vec<u32> = (0..about.sms)
            .filter(|&sm| (0..about.sub_cores.max(1)).all(|s| self.lanes(sm, s) & full == full))
            .collect();
        // SM numbers may have holes: what counts is how many were reached whole.
        let complete = self
            .sms()
            .iter()
            .filter(|&&sm| (0..about.sub_cores.max(1)).all(|s| self.lanes(sm, s) & full == full))
            .count();
        if complete >= about.sms as usize {
            return None;
        }
        let absent: Vec<String> = (0..about.sms)
            .filter(|sm| !whole.contains(sm))
            .take(8)
            .map(|sm| sm.to_string())
            .collect();
        Some(format!(
            "{} of {all} lanes; SMs not reached with every lane: {}{}",
            self.count(),
            absent.join(" "),
            if about.sms as usize - complete > 8 { " …" } else { "" }
        ))
    }
}

/// Device memory whose start is a multiple of a power of two not less than its
/// size, as kernels need that join addresses from bits.
#[derive(Debug, Clone, Copy)]
pub struct AlignedTable {
    buffer: Buffer,
    /// Where the table starts within the buffer.
    offset: u64,
    bytes: u64,
}

impl AlignedTable {
    /// Allocates room for `bytes`.
    pub fn new(board: &mut dyn Board, bytes: u64) -> Result<AlignedTable, BoardError> {
        let size = bytes.next_power_of_two();
        let buffer = board.alloc(size * 2)?;
        let offset = buffer.handle.next_multiple_of(size) - buffer.handle;
        Ok(AlignedTable { buffer, offset, bytes })
    }

    /// Its address.
    pub fn address(&self) -> u64 {
        self.buffer.handle + self.offset
    }

    /// Fills it.
    pub fn write(&self, board: &mut dyn Board, bytes: &[u8]) -> Result<(), BoardError> {
        board.write(self.buffer, self.offset, bytes)
    }

    /// Reads all of it, as words.
    pub fn read(&self, board: &mut dyn Board) -> Result<Vec<u32>, BoardError> {
        let mut bytes = vec![0; self.bytes as usize];
        board.read(self.buffer, self.offset, &mut bytes)?;
        Ok(bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect())
    }

    /// Gives the memory back.
    pub fn free(self, board: &mut dyn Board) -> Result<(), BoardError> {
        board.free(self.buffer)
    }
}
