//! One cache array: tags, state and data of its lines.

use upset_chip::{CacheSpec, Replacement, WriteAllocate, WritePolicy};
use upset_state::{
    Access, ArrayId, Kind, LineFact, LineShape, Part, Place, Probe, Sourced, Stored,
};

use crate::hash::SetIndex;
use crate::line_state::Line;
use crate::lines::Lines;
use crate::lines_in_use::LinesInUse;
use crate::mask;
use crate::sets::Sets;

/// Lines of a cache. A line answers for the address its stored tag says; what
/// is not in the arrays is not known.
///
/// State of a line: per sector a valid bit; in writable caches a dirty bit too;
/// where stores may write before a fetch, a bit per byte written in sectors
/// that are not valid. Rows are numbered `set * ways + way`.
#[derive(Clone, Debug)]
pub struct Cache {
    pub(crate) id: ArrayId,
    pub(crate) name: String,
    pub(crate) sets: u32,
    pub(crate) ways: u32,
    pub(crate) line_bytes: u32,
    /// Sectors per line.
    pub(crate) sectors: u32,
    pub(crate) tag_bits: u32,
    pub(crate) has_dirty: bool,
    pub(crate) has_masks: bool,
    pub(crate) line_shift: u32,
    /// 32-byte sectors per sector of this cache.
    pub(crate) grain: u32,
    pub(crate) tag_mask: u64,
    pub(crate) fifo: bool,
    pub(crate) index: SetIndex,
    pub(crate) lines: Vec<Line>,
    /// Bytes written in sectors that are not valid; empty without such stores.
    pub(crate) written: Vec<u128>,
    pub(crate) data: Lines,
    pub(crate) in_sets: Sets,
    /// A bit per row: it holds or awaits something.
    pub(crate) in_use: Vec<u64>,
    /// How many of them do.
    pub(crate) held: u32,
    /// Rows that were found of late; forgotten when any tag or state changes.
    pub(crate) known: Known,
    /// The row that was made the newest of its set last, if it still is.
    pub(crate) newest: u32,
    /// Bytes of each combination of sectors.
    pub(crate) bytes_of: [u128; 16],
    /// How many lines are in use, if somebody wants to know.
    pub(crate) counted: Option<Box<LinesInUse>>,
}

/// Rows that were found of late, by the lowest bits of their lines' addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    rows: [Found; KNOWN],
    some: bool,
}

/// A row that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Address of its line.
    pub(crate) line: u64,
    pub(crate) row: u32,
    /// All of its sectors are valid.
    whole: bool,
}

/// Lines that are remembered.
const KNOWN: usize = 4;
const NO_ROW: u32 = u32::MAX;
const NOTHING: Known =
    Known { rows: [Found { line: u64::MAX, row: NO_ROW, whole: false }; KNOWN], some: false };

/// State bits of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) valid: u8,
    pub(crate) dirty: u8,
    pub(crate) written: u128,
}

impl Cache {
    /// An empty cache. Lines are 32 to 128 bytes and sectors at least 32: chip
    /// files with others are refused.
    pub fn new(spec: &CacheSpec, kind: Kind, instance: u32) -> Cache {
        let CacheSpec { line_bytes, sector_bytes, sets, ways, tag_bits, .. } = *spec;
        let rows = sets * ways;
        let sectors = line_bytes / sector_bytes;
        let writable = spec.write != WritePolicy::ReadOnly || spec.write_local.is_some();
        let has_masks = writable && spec.write_allocate != WriteAllocate::None;
        let grain = sector_bytes / 32;
        let mut bytes_of = [0; 16];
        for (i, bytes) in bytes_of.iter_mut().enumerate() {
            for s in (0..sectors).filter(|s| i >> s & 1 == 1) {
                *bytes |= mask::span(u64::from(s * sector_bytes), u64::from(sector_bytes));
            }
        }
        Cache {
            id: ArrayId::data(kind, instance),
            name: spec.name.clone(),
            sets,
            ways,
            line_bytes,
            sectors,
            tag_bits,
            has_dirty: writable,
            has_masks,
            line_shift: line_bytes.ilog2(),
            grain,
            tag_mask: if tag_bits == 64 { !0 } else { (1 << tag_bits) - 1 },
            fifo: spec.replacement == Replacement::Fifo,
            index: SetIndex::new(spec.set_hash, sets),
            lines: Line::all(sets, ways),
            written: vec![0; if has_masks { rows as usize } else { 0 }],
            data: Lines::new(ArrayId::data(kind, instance), rows, line_bytes),
            in_sets: Sets::new(sets, ways),
            in_use: vec![0; rows.div_ceil(64) as usize],
            held: 0,
            known: NOTHING,
            newest: NO_ROW,
            bytes_of,
            counted: None,
        }
    }

    /// Uses the tables of a cache with the same sets: fewer of our own misses.
    pub(crate) fn share_index(&mut self, other: &Cache) {
        self.index = other.index.clone();
    }

    /// A row's data, to ghosts.
    pub(crate) fn place(&self, row: u32) -> Place {
        self.data.place(row)
    }

    /// Lines.
    pub fn rows(&self) -> u32 {
        self.sets * self.ways
    }

    /// The set of an address; `addr` may be a part of the real one.
    #[inline]
    pub(crate) fn set_of(&self, addr: u64) -> u32 {
        self.index.of(addr >> self.line_shift)
    }

    #[inline]
    fn tag_of(&self, addr: u64) -> u64 {
        addr >> self.line_shift & self.tag_mask
    }

    /// The row that answers for an address.
    #[inline(never)]
    pub(crate) fn find(&self, set: u32, addr: u64) -> Option<u32> {
        if self.held == 0 {
            return None;
        }
        self.find_here(set, addr)
    }

    /// The same where the way to a function would be felt.
    #[inline(always)]
    pub(crate) fn find_here(&self, set: u32, addr: u64) -> Option<u32> {
        self.in_sets.lowest(&self.lines, set, self.tag_of(addr))
    }

    /// The row that answers for the address of a line, if it is remembered; else that
    /// of another line, or of none.
    #[inline]
    pub(crate) fn remembered(&self, line: u64) -> Found {
        let at = (line >> self.line_shift) as usize % KNOWN;
        self.known.rows[at]
    }

    /// The row that answers for the address of a line; it is remembered.
    #[inline]
    pub(crate) fn look_up(&mut self, line: u64) -> Option<u32> {
        if self.held == 0 {
            return None;
        }
        let at = (line >> self.line_shift) as usize % KNOWN;
        let row = self.find_here(self.set_of(line), line)?;
        let whole = self.lines[row as usize].valid == self.all_sectors();
        self.known.rows[at] = Found { line, row, whole };
        self.known.some = true;
        Some(row)
    }

    /// Whether all of `bytes` of a row that was found can be read.
    #[inline]
    pub(crate) fn finds_all(&self, found: Found, bytes: u128) -> bool {
        found.whole || self.has_all(found.row, bytes)
    }

    /// A tag or a state changes: other rows may answer.
    #[inline]
    fn forget_known(&mut self) {
        if self.known.some {
            self.known = NOTHING;
        }
    }

    /// The first row from `from` on whose address is among some.
    pub(crate) fn next_among(&self, from: u32, is_among: impl Fn(u64) -> bool) -> Option<u32> {
        let mut word = from as usize / 64;
        let mut rows = self.in_use.get(word)? & !0 << (from % 64);
        loop {
            while rows != 0 {
                let row = word as u32 * 64 + rows.trailing_zeros();
                if is_among(self.address(row)) {
                    return Some(row);
                }
                rows &= rows - 1;
            }
            word += 1;
            rows = *self.in_use.get(word)?;
        }
    }

    /// Whether a row holds or awaits anything.
    #[inline]
    pub(crate) fn present(&self, row: u32) -> bool {
        let line = &self.lines[row as usize];
        line.valid != 0 || line.reserved != 0 || self.written(row) != 0
    }

    /// The address the stored tag says.
    #[inline]
    pub(crate) fn address(&self, row: u32) -> u64 {
        self.lines[row as usize].tag << self.line_shift
    }

    #[inline]
    fn written(&self, row: u32) -> u128 {
        if self.has_masks { self.written[row as usize] } else { 0 }
    }

    #[inline]
    pub(crate) fn state(&self, row: u32) -> State {
        let line = &self.lines[row as usize];
        State { valid: line.valid, dirty: line.dirty, written: self.written(row) }
    }

    /// All sectors.
    #[inline]
    pub(crate) fn all_sectors(&self) -> u8 {
        ((1u16 << self.sectors) - 1) as u8
    }

    /// Bytes of sectors.
    #[inline]
    pub(crate) fn bytes_of(&self, sectors: u8) -> u128 {
        self.bytes_of[usize::from(sectors & 15)]
    }

    /// Sectors that bytes touch.
    #[inline]
    pub(crate) fn sectors_of(&self, bytes: u128) -> u8 {
        self.coarse(mask::sectors_of(bytes))
    }

    /// Sectors of this cache that sectors of 32 bytes touch.
    #[inline]
    pub(crate) fn coarse(&self, fine: u8) -> u8 {
        match self.grain {
            1 => fine & self.all_sectors(),
            2 => (u8::from(fine & 3 != 0) | u8::from(fine & 12 != 0) << 1) & self.all_sectors(),
            _ => u8::from(fine != 0),
        }
    }

    /// Sectors of 32 bytes in sectors of this cache.
    #[inline]
    pub(crate) fn fine(&self, sectors: u8) -> u8 {
        match self.grain {
            1 => sectors,
            2 => [0, 3, 12, 15][usize::from(sectors & 3)],
            _ => (sectors & 1) * 15,
        }
    }

    /// Bytes of a row that can be read.
    #[inline]
    pub(crate) fn readable(&self, row: u32) -> u128 {
        let state = self.state(row);
        self.bytes_of(state.valid) | state.written
    }

    /// Whether all of `bytes` of a row can be read. What was written in sectors
    /// that are not valid is asked for only if it matters: it lies elsewhere.
    #[inline]
    pub(crate) fn has_all(&self, row: u32, bytes: u128) -> bool {
        let missing = bytes & !self.bytes_of(self.lines[row as usize].valid);
        missing == 0 || missing & !self.written(row) == 0
    }

    /// Bytes of some sectors that the level below does not have.
    #[inline]
    pub(crate) fn dirty_bytes(&self, row: u32, sectors: u8) -> u128 {
        let state = self.state(row);
        let dirty = state.dirty & sectors;
        if dirty == 0 {
            return 0;
        }
        self.bytes_of(dirty & state.valid) | self.bytes_of(dirty & !state.valid) & state.written
    }

    /// The bytes of a row, and where they come from.
    #[inline]
    pub(crate) fn line(&self, row: u32) -> Sourced<'_> {
        self.data.line(row)
    }

    /// The bytes of a row.
    #[inline]
    pub(crate) fn bytes(&self, row: u32) -> &[u8] {
        self.data.bytes(row)
    }

    /// The stored tag.
    pub(crate) fn tag(&self, row: u32) -> u64 {
        self.lines[row as usize].tag
    }

    /// Stores a tag as it is.
    pub(crate) fn put_tag(&mut self, row: u32, tag: u64) {
        self.forget_known();
        self.leave_index(row);
        self.lines[row as usize].tag = tag & self.tag_mask;
        self.enter_index(row);
    }

    /// Stores state as it is.
    #[inline]
    pub(crate) fn put_state(&mut self, row: u32, state: State) {
        self.forget_known();
        let all = self.all_sectors();
        let line = &mut self.lines[row as usize];
        line.valid = state.valid & all;
        line.dirty = if self.has_dirty { state.dirty & all } else { 0 };
        if self.has_masks {
            self.written[row as usize] = state.written;
        }
        self.refresh_index(row);
    }

    /// The index knows the rows that hold or await something.
    #[inline]
    fn refresh_index(&mut self, row: u32) {
        match (self.present(row), self.lines[row as usize].indexed) {
            (false, true) => self.leave_index(row),
            (true, false) => self.enter_index(row),
            _ => {}
        }
    }

    fn leave_index(&mut self, row: u32) {
        if self.lines[row as usize].indexed {
            self.in_sets.remove(&mut self.lines, row);
            self.in_use[row as usize / 64] &= !(1 << (row % 64));
            self.held -= 1;
        }
    }

    fn enter_index(&mut self, row: u32) {
        if self.present(row) && !self.lines[row as usize].indexed {
            self.in_sets.add(&mut self.lines, row);
            self.in_use[row as usize / 64] |= 1 << (row % 64);
            self.held += 1;
        }
    }

    /// One fetch more is under way into a row.
    pub(crate) fn reserve(&mut self, row: u32) {
        self.forget_known();
        let line = &mut self.lines[row as usize];
        line.reserved = line.reserved.saturating_add(1);
        self.refresh_index(row);
    }

    /// One fewer.
    pub(crate) fn unreserve(&mut self, row: u32) {
        self.forget_known();
        let line = &mut self.lines[row as usize];
        line.reserved = line.reserved.saturating_sub(1);
        self.refresh_index(row);
    }

    /// Whether a fetch is under way into a row.
    pub(crate) fn reserved(&self, row: u32) -> bool {
        self.lines[row as usize].reserved != 0
    }

    /// The row that leaves next; none when all await a fetch.
    #[inline]
    pub(crate) fn victim(&self, set: u32) -> Option<u32> {
        self.in_sets.victim(&self.lines, set)
    }

    /// A row was used.
    #[inline]
    pub(crate) fn touch(&mut self, row: u32) {
        if row != self.newest && !self.fifo && !self.in_sets.is_newest(&self.lines, row) {
            self.renew(row);
        }
    }

    /// The same for a row of a set that is known.
    #[inline]
    pub(crate) fn touch_in(&mut self, set: u32, row: u32) {
        if row == self.newest || self.fifo || self.in_sets.is_newest_in(&self.lines, set, row) {
            return;
        }
        self.renew(row);
    }

    /// A row is the newest of its set.
    #[inline(never)]
    fn renew(&mut self, row: u32) {
        self.newest = row;
        self.in_sets.renew(&mut self.lines, row);
    }

    /// A row is the oldest of its set.
    fn retire(&mut self, row: u32) {
        self.newest = NO_ROW;
        self.in_sets.retire(&mut self.lines, row);
    }

    /// Stores state; stuck bits keep their value.
    #[inline]
    pub(crate) fn set_state<P: Probe>(&mut self, now: u64, row: u32, state: State, p: &mut P) {
        let mut state = state;
        if P::ACTIVE {
            self.hold_state(now, row, &mut state, p);
            self.tell_line(now, row, LineFact::State { valid: state.valid, dirty: state.dirty }, p);
        }
        self.put_state(row, state);
        if self.counted.is_some() && !self.present(row) {
            self.counted.iter_mut().for_each(|counted| counted.left(now, row));
        }
    }

    fn shape(&self) -> LineShape {
        LineShape { ways: self.ways, sectors: self.sectors, bytes: self.line_bytes }
    }

    /// Tells what happens to a line, if somebody wants to know.
    pub(crate) fn tell_line<P: Probe>(&self, now: u64, row: u32, fact: LineFact, p: &mut P) {
        if P::ACTIVE
            && let Some(lines) = p.lines()
            && lines.wants(self.id, row)
        {
            lines.line(now, self.id, self.shape(), row, fact);
        }
    }

    /// Tells of a search for an address.
    #[inline]
    pub(crate) fn tell_search<P: Probe>(&self, now: u64, set: u32, addr: u64, p: &mut P) {
        if P::ACTIVE
            && let Some(lines) = p.lines()
        {
            lines.searched(now, self.id, self.shape(), set * self.ways, self.tag_of(addr));
        }
    }

    /// Tells of a question whether a line's address is among some.
    pub(crate) fn tell_stale<P: Probe>(
        &self,
        now: u64,
        row: u32,
        is_stale: impl Fn(u64) -> bool,
        p: &mut P,
    ) {
        let wanted = P::ACTIVE && p.lines().is_some_and(|l| l.wants(self.id, row));
        if wanted {
            let tag = self.tag(row);
            let is = is_stale(tag << self.line_shift);
            let other = |b: &u32| is_stale((tag ^ 1 << b) << self.line_shift) != is;
            let others = (0..self.tag_bits).filter(other).fold(0, |m, b| m | 1 << b);
            self.tell_line(now, row, LineFact::Stale { is, others }, p);
        }
    }

    /// Bits of one line's state.
    pub(crate) fn state_bits(&self) -> u32 {
        let sectors = if self.has_dirty { 2 * self.sectors } else { self.sectors };
        sectors + if self.has_masks { self.line_bytes } else { 0 }
    }

    fn hold_state<P: Probe>(&self, now: u64, row: u32, state: &mut State, p: &mut P) {
        let at = |first| Stored::whole(self.id.with(Part::State), first, now);
        let first = u64::from(row) * u64::from(self.state_bits());
        let mut valid = [u32::from(state.valid)];
        p.hold_words(at(first), &mut valid);
        state.valid = valid[0] as u8 & self.all_sectors();
        if self.has_dirty {
            let mut dirty = [u32::from(state.dirty)];
            p.hold_words(at(first + u64::from(self.sectors)), &mut dirty);
            state.dirty = dirty[0] as u8 & self.all_sectors();
        }
        if self.has_masks {
            let first = first + 2 * u64::from(self.sectors);
            let mut bytes = state.written.to_le_bytes();
            let used = &mut bytes[..self.line_bytes as usize / 8];
            p.hold_bytes(at(first), used);
            state.written = u128::from_le_bytes(bytes);
        }
    }

    /// Gives a row to an address, without valid bytes.
    pub(crate) fn claim<P: Probe>(&mut self, now: u64, row: u32, addr: u64, p: &mut P) {
        let mut tag = self.tag_of(addr);
        if P::ACTIVE {
            let mut words = [tag as u32, (tag >> 32) as u32];
            let first = u64::from(row) * u64::from(self.tag_bits);
            p.hold_words(Stored::whole(self.id.with(Part::Tag), first, now), &mut words);
            tag = u64::from(words[0]) | u64::from(words[1]) << 32;
        }
        self.put_tag(row, tag);
        self.tell(now, row, Access::Allocate, !0, p);
        self.set_state(now, row, State::default(), p);
        self.tell_line(now, row, LineFact::Claimed { tag }, p);
        if let Some(counted) = &mut self.counted {
            counted.taken(now, row);
        }
        self.renew(row);
    }

    /// Empties a row; it is the next to be taken.
    pub(crate) fn drop_row<P: Probe>(&mut self, now: u64, row: u32, p: &mut P) {
        if P::ACTIVE && self.present(row) {
            self.tell(now, row, Access::Evict, self.readable(row), p);
        }
        self.tell_line(now, row, LineFact::Dropping { sectors: self.all_sectors() }, p);
        self.set_state(now, row, State::default(), p);
        self.retire(row);
    }

    /// Empties some sectors.
    pub(crate) fn drop_sectors<P: Probe>(&mut self, now: u64, row: u32, sectors: u8, p: &mut P) {
        let mut state = self.state(row);
        let bytes = self.bytes_of(sectors);
        if P::ACTIVE {
            self.tell(now, row, Access::Evict, self.readable(row) & bytes, p);
        }
        self.tell_line(now, row, LineFact::Dropping { sectors }, p);
        state.valid &= !sectors;
        state.dirty &= !sectors;
        state.written &= !bytes;
        self.set_state(now, row, state, p);
        if !self.present(row) {
            self.retire(row);
        }
    }

    /// Stores bytes; `from` starts where the line starts.
    #[inline]
    pub(crate) fn store<P: Probe>(
        &mut self,
        now: u64,
        row: u32,
        from: Sourced<'_>,
        bytes: u128,
        access: Access,
        p: &mut P,
    ) {
        let address = self.address(row);
        self.data.store(now, (row, address), from, bytes, access, p);
    }

    /// Writes bytes of a program: into valid sectors as they are, into others
    /// under the byte mask. Sectors that are complete become valid.
    pub(crate) fn write<P: Probe>(
        &mut self,
        now: u64,
        row: u32,
        from: Sourced<'_>,
        bytes: u128,
        dirty: bool,
        p: &mut P,
    ) {
        self.store(now, row, from, bytes, Access::Write, p);
        let touched = self.sectors_of(bytes);
        let old = self.state(row);
        let mut state = old;
        let mut open = touched & !state.valid;
        state.written |= bytes & self.bytes_of(open);
        while open != 0 {
            let sector = 1 << open.trailing_zeros();
            let all = self.bytes_of(sector);
            if state.written & all == all {
                state.valid |= sector;
                state.written &= !all;
            }
            open &= open - 1;
        }
        if dirty {
            state.dirty |= touched;
        }
        // An unchanged state is stored too when bits may be stuck.
        if P::ACTIVE || state != old {
            self.set_state(now, row, state, p);
        }
    }

    /// Takes sectors from the level below; bytes written before stay.
    pub(crate) fn fill<P: Probe>(
        &mut self,
        now: u64,
        row: u32,
        from: Sourced<'_>,
        sectors: u8,
        p: &mut P,
    ) {
        let mut state = self.state(row);
        let bytes = self.bytes_of(sectors);
        let kept = state.written & self.bytes_of(sectors & !state.valid);
        self.store(now, row, from, bytes & !kept, Access::Fill, p);
        state.valid |= sectors;
        state.written &= !bytes;
        self.set_state(now, row, state, p);
    }

    /// Tells of an access.
    #[inline]
    pub(crate) fn tell<P: Probe>(
        &self,
        now: u64,
        row: u32,
        access: Access,
        bytes: u128,
        p: &mut P,
    ) {
        self.data.tell(now, (row, self.address(row)), access, bytes, p);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use upset_chip::ChipSpec;
    use upset_state::Quiet;

    /// What a search of all tags of a set finds.
    fn search(c: &Cache, set: u32, addr: u64) -> Option<u32> {
        (set * c.ways..(set + 1) * c.ways).find(|r| c.present(*r) && c.tag(*r) == c.tag_of(addr))
    }

    proptest! {
        #[test]
        fn the_index_answers_what_a_search_would(
            ways in prop::sample::select(vec![4u32, 20, 30]),
            steps in prop::collection::vec((0u8..6, 0u32..60, 0u64..6), 1..120),
        ) {
            let chip = ChipSpec::preset("h200").unwrap();
            let mut spec = chip.cache("l1d").unwrap().clone();
            (spec.sets, spec.ways) = (2, ways);
            let mut c = Cache::new(&spec, Kind::Cache(0), 0);
            let mut reserved = [0; 60];
            for (what, row, n) in steps {
                let row = row % c.rows();
                let mut state = c.state(row);
                match what {
                    0 => c.claim(0, row, n * 128, &mut Quiet),
                    1 => c.put_tag(row, c.tag(row) ^ 1 << n),
                    2 => { state.valid ^= 1 << (n % 4); c.put_state(row, state) }
                    3 => { state.written ^= 1 << (n * 20); c.put_state(row, state) }
                    4 => { c.reserve(row); reserved[row as usize] += 1 }
                    _ if reserved[row as usize] > 0 => {
                        c.unreserve(row);
                        reserved[row as usize] -= 1;
                    }
                    _ => c.drop_row(0, row, &mut Quiet),
                }
                for set in 0..2 {
                    for line in 0..8 {
                        prop_assert_eq!(c.find(set, line * 128), search(&c, set, line * 128));
                    }
                    let free = (set * ways..(set + 1) * ways).any(|r| reserved[r as usize] == 0);
                    prop_assert_eq!(c.victim(set).is_some(), free);
                    prop_assert!(c.victim(set).is_none_or(|r| reserved[r as usize] == 0));
                }
            }
        }

        #[test]
        fn bytes_written_before_a_fill_stay(first: u128, second: u128, sectors in 0u8..16) {
            let chip = ChipSpec::preset("rtx2060").unwrap();
            let mut c = Cache::new(chip.cache("l2").unwrap(), Kind::Cache(0), 0);
            c.claim(0, 3, 0x1000, &mut Quiet);
            c.write(0, 3, Sourced::alike(&[1; 128]), first, true, &mut Quiet);
            prop_assert_eq!(c.readable(3), first);
            prop_assert_eq!(c.dirty_bytes(3, 15), first);
            c.fill(0, 3, Sourced::alike(&[2; 128]), sectors, &mut Quiet);
            c.write(0, 3, Sourced::alike(&[3; 128]), second, true, &mut Quiet);
            let filled = c.bytes_of(sectors);
            prop_assert_eq!(c.readable(3), first | filled | second);
            for i in 0..128 {
                let is = |mask: u128| mask >> i & 1 == 1;
                let expected = if is(second) { 3 } else if is(first) { 1 } else { 2 };
                if is(c.readable(3)) {
                    prop_assert_eq!(c.line(3).bytes[i], expected);
                }
            }
        }
    }
}
