//! What happens next to tags and states of chosen cache lines.
//!
//! A tag is looked at when its set is searched for it, or for what it would be
//! with the bit flipped, and when its bytes go below. A state bit is looked at
//! whenever its line is found, accessed or emptied, but for the byte mask of a
//! sector that is valid: that means nothing (docs/exactness.md).

use upset_state::{Access, ArrayId, LineFact, LineShape, Part};

use crate::fate::Fate;

/// A bit of a line that is no data.
#[derive(Clone, Copy, Debug)]
enum Bit {
    Tag(u32),
    Valid(u32),
    Dirty(u32),
    /// Of a byte.
    Written(u32),
}

/// All bits of a line that one fault flips: what a bit alone would not do, it
/// may do with others.
#[derive(Clone, Copy, Debug, Default)]
struct Flipped {
    tag: u64,
    /// The first eight bits of its state, where the valid and dirty ones are.
    low: u8,
    /// Bits of its state behind those.
    beyond: bool,
}

impl Flipped {
    fn of(part: Part, in_row: u32) -> Flipped {
        match part {
            Part::Tag => Flipped { tag: 1u64.checked_shl(in_row).unwrap_or(0), ..Self::default() },
            _ if in_row < 8 => Flipped { low: 1 << in_row, ..Self::default() },
            _ => Flipped { beyond: true, ..Self::default() },
        }
    }

    fn and(self, other: Flipped) -> Flipped {
        Flipped {
            tag: self.tag | other.tag,
            low: self.low | other.low,
            beyond: self.beyond | other.beyond,
        }
    }

    fn dirty(self, shape: LineShape) -> bool {
        let n = shape.sectors.clamp(1, 4);
        self.low >> n & ((1 << n) - 1) != 0
    }

    /// Bits that make a line or bytes of it be there.
    fn present(self, shape: LineShape) -> bool {
        let n = shape.sectors.clamp(1, 4);
        let written = u32::from(self.low) >> (2 * n) != 0;
        self.low & ((1 << n) - 1) != 0 || written || self.beyond
    }
}

/// An undecided sample.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    sample: u32,
    cycle: u64,
    part: Part,
    in_row: u32,
    /// It and those of the same fault.
    all: Flipped,
    /// There are others.
    joined: bool,
}

/// A line of interest, as it is now.
#[derive(Clone, Debug, Default)]
struct Track {
    tag: u64,
    /// It was given to an address and not emptied since.
    taken: bool,
    valid: u8,
    dirty: u8,
    waiting: Vec<Waiting>,
}

/// Lines of one cache.
#[derive(Clone, Debug, Default)]
struct Tracks {
    /// By row: the place in `tracks`.
    rows: Vec<u32>,
    tracks: Vec<Track>,
    /// Undecided samples.
    open: usize,
    /// How its lines are laid out, once one was looked at.
    shape: Option<LineShape>,
}

const NONE: u32 = u32::MAX;

/// All lines of interest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    /// By kind and instance: the place in `caches`.
    index: Vec<Vec<u32>>,
    caches: Vec<Tracks>,
    /// What was decided: sample and fate.
    pub(crate) decided: Vec<(u32, Fate)>,
}

impl Track {
    /// Joins the last sample with those before it that are of the same fault:
    /// they have the numbers before it, and the same cycle.
    fn join(&mut self) {
        let Some(&last) = self.waiting.last() else { return };
        let mut fault = 0;
        let mut all = Flipped::default();
        for (n, w) in self.waiting.iter().rev().enumerate() {
            if w.cycle != last.cycle || w.sample + n as u32 != last.sample {
                break;
            }
            (fault, all) = (n + 1, all.and(w.all));
        }
        if fault > 1 {
            for w in self.waiting.iter_mut().rev().take(fault) {
                (w.all, w.joined) = (all, true);
            }
        }
    }

    fn is_valid(&self, sector: u32) -> bool {
        self.valid >> sector & 1 == 1
    }
}

impl Waiting {
    fn bit(&self, shape: LineShape) -> Bit {
        let n = shape.sectors.max(1);
        match (self.part, self.in_row / n) {
            (Part::Tag, _) => Bit::Tag(self.in_row),
            (_, 0) => Bit::Valid(self.in_row),
            (_, 1) => Bit::Dirty(self.in_row - n),
            _ => Bit::Written(self.in_row - 2 * n),
        }
    }
}

fn sector_of(byte: u32, shape: LineShape) -> u32 {
    byte * shape.sectors / shape.bytes.max(1)
}

impl Lines {
    /// Waits for what happens to a bit of a line. `rows`: lines of the cache.
    pub(crate) fn add(
        &mut self,
        array: ArrayId,
        rows: u32,
        row: u32,
        in_row: u32,
        sample: u32,
        cycle: u64,
    ) {
        let (kind, instance) = (array.kind.index(), array.instance as usize);
        if self.index.len() <= kind {
            self.index.resize(kind + 1, Vec::new());
        }
        if self.index[kind].len() <= instance {
            self.index[kind].resize(instance + 1, NONE);
        }
        if self.index[kind][instance] == NONE {
            self.index[kind][instance] = self.caches.len() as u32;
            self.caches.push(Tracks { rows: vec![NONE; rows as usize], ..Tracks::default() });
        }
        let cache = &mut self.caches[self.index[kind][instance] as usize];
        let Some(place) = cache.rows.get_mut(row as usize) else { return };
        if *place == NONE {
            *place = cache.tracks.len() as u32;
            cache.tracks.push(Track::default());
        }
        let track = &mut cache.tracks[*place as usize];
        let all = Flipped::of(array.part, in_row);
        let new = Waiting { sample, cycle, part: array.part, in_row, all, joined: false };
        track.waiting.push(new);
        track.join();
        cache.open += 1;
    }

    fn cache(&mut self, array: ArrayId) -> Option<(&mut Tracks, &mut Vec<(u32, Fate)>)> {
        let at = *self.index.get(array.kind.index())?.get(array.instance as usize)?;
        Some((self.caches.get_mut(at as usize)?, &mut self.decided))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.caches.is_empty()
    }

    pub(crate) fn wants(&self, array: ArrayId, row: u32) -> bool {
        let at = self.index.get(array.kind.index()).and_then(|i| i.get(array.instance as usize));
        at.and_then(|at| self.caches.get(*at as usize))
            .and_then(|c| c.rows.get(row as usize))
            .is_some_and(|place| *place != NONE)
    }

    /// An access to the data of a line.
    pub(crate) fn access(&mut self, cycle: u64, array: ArrayId, row: u32, access: Access) {
        if !self.wants(array, row) {
            return;
        }
        let looks = match access {
            Access::Read | Access::Write | Access::Fill | Access::WriteBack | Access::CopyOut => {
                true
            }
            Access::Evict | Access::Allocate | Access::Release => false,
        };
        let goes_below = access == Access::WriteBack;
        // A line is taken before it is accessed.
        let shape = self.cache(array).and_then(|(cache, _)| cache.shape);
        if let (true, Some(shape)) = (looks, shape) {
            self.decide(cycle, array, shape, row, |w, track| match w.bit(shape) {
                Bit::Tag(_) => goes_below.then_some(true),
                Bit::Written(byte) if track.is_valid(sector_of(byte, shape)) => None,
                Bit::Valid(_) | Bit::Dirty(_) | Bit::Written(_) => Some(true),
            });
        }
    }

    /// Decides samples of a line: used (true) or gone (false).
    fn decide(
        &mut self,
        cycle: u64,
        array: ArrayId,
        shape: LineShape,
        row: u32,
        rule: impl Fn(&Waiting, &Track) -> Option<bool>,
    ) {
        let Some((cache, decided)) = self.cache(array) else { return };
        cache.shape = Some(shape);
        let Some(&place) = cache.rows.get(row as usize) else { return };
        let Some(track) = cache.tracks.get_mut(place as usize) else { return };
        let mut waiting = std::mem::take(&mut track.waiting);
        let before = waiting.len();
        waiting.retain(|w| {
            let fate = match (w.cycle <= cycle).then(|| rule(w, track)).flatten() {
                Some(true) => Fate::Used { cycle },
                Some(false) => Fate::Overwritten { cycle },
                None => return true,
            };
            decided.push((w.sample, fate));
            false
        });
        cache.open -= before - waiting.len();
        track.waiting = waiting;
    }

    /// Something happened to a line.
    pub(crate) fn line(
        &mut self,
        cycle: u64,
        array: ArrayId,
        shape: LineShape,
        row: u32,
        fact: LineFact,
    ) {
        let all = ((1u32 << shape.sectors) - 1) as u8;
        match fact {
            // A line that nobody has would be written back if it seemed to hold
            // bytes and to be dirty.
            LineFact::Claimed { .. } => self.decide(cycle, array, shape, row, |w, _| {
                Some(w.all.dirty(shape) && w.all.present(shape))
            }),
            LineFact::State { .. } => {}
            LineFact::Dropping { sectors } => self.decide(cycle, array, shape, row, |w, track| {
                let inside = |s: u32| sectors >> s & 1 == 1;
                let dirty = |s: u32| track.dirty >> s & 1 == 1 || w.all.dirty(shape);
                match w.bit(shape) {
                    Bit::Tag(_) => None,
                    // What would be written back, or what makes the line stay.
                    Bit::Valid(s) if inside(s) => Some(dirty(s)),
                    Bit::Valid(_) => (sectors != all).then_some(true),
                    Bit::Dirty(s) if inside(s) => Some(true),
                    Bit::Dirty(_) => None,
                    Bit::Written(byte) => {
                        let s = sector_of(byte, shape);
                        match (track.is_valid(s), inside(s)) {
                            (true, true) => Some(w.joined),
                            (true, false) => None,
                            (false, true) => Some(dirty(s)),
                            (false, false) => Some(true),
                        }
                    }
                }
            }),
            // With a valid sector the line is emptied, which is told next; without
            // one a flipped bit alone would make it be.
            LineFact::Stale { is, others } => {
                self.decide(cycle, array, shape, row, |w, track| match w.bit(shape) {
                    _ if w.joined => Some(true),
                    Bit::Tag(b) => (track.taken && others >> b & 1 == 1).then_some(true),
                    Bit::Valid(_) | Bit::Written(_) => (is && track.valid == 0).then_some(true),
                    Bit::Dirty(_) => None,
                })
            }
            LineFact::Emptying => {
                self.decide(cycle, array, shape, row, |w, track| match w.bit(shape) {
                    _ if w.joined => Some(true),
                    Bit::Valid(_) | Bit::Written(_) => (track.valid == 0).then_some(true),
                    Bit::Tag(_) | Bit::Dirty(_) => None,
                })
            }
        }
        let Some((cache, _)) = self.cache(array) else { return };
        let Some(&place) = cache.rows.get(row as usize) else { return };
        let Some(track) = cache.tracks.get_mut(place as usize) else { return };
        match fact {
            LineFact::Claimed { tag } => (track.tag, track.taken) = (tag, true),
            LineFact::State { valid, dirty } => (track.valid, track.dirty) = (valid, dirty),
            LineFact::Dropping { sectors } if sectors == all => track.taken = false,
            _ => {}
        }
    }

    /// A set was searched for a tag.
    pub(crate) fn searched(
        &mut self,
        cycle: u64,
        array: ArrayId,
        shape: LineShape,
        first: u32,
        tag: u64,
    ) {
        let Some((cache, _)) = self.cache(array) else { return };
        cache.shape = Some(shape);
        if cache.open == 0 {
            return;
        }
        for row in first..first + shape.ways {
            if !self.wants(array, row) {
                continue;
            }
            self.decide(cycle, array, shape, row, |w, track| match w.bit(shape) {
                Bit::Tag(b) => {
                    let found = [0, 1 << b, w.all.tag].contains(&(tag ^ track.tag));
                    (found && (track.taken || w.all.present(shape))).then_some(true)
                }
                _ if tag != track.tag && tag != track.tag ^ w.all.tag => None,
                Bit::Dirty(_) if !track.taken => None,
                Bit::Written(byte) if track.is_valid(sector_of(byte, shape)) => None,
                Bit::Valid(_) | Bit::Dirty(_) | Bit::Written(_) => Some(true),
            });
        }
    }
}
