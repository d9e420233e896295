//! What happens next to chosen bits of the fault-free run.
//!
//! A transient flip changes nothing until the bit is used. So the first access
//! to the bit after the flip is the same as in the fault-free run, and if that
//! access overwrites the bit, the flip was never seen: the run is the
//! fault-free one (docs/exactness.md).

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use upset_state::{
    Access, ArrayId, Event, Kind, Layout, LineFact, LineObserver, LineShape, Part, Registry, Site,
    Watch,
};

use crate::fate::Fate;
use crate::lines::Lines;

/// A bit at a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The bit.
    pub site: Site,
    /// What happens from this cycle on counts.
    pub cycle: u64,
}

/// Finds the fate of samples while a run is watched.
#[derive(Debug, Default)]
pub struct Lifetimes {
    samples: Vec<Sample>,
    /// By sample: the bit's number in its row.
    bit_of_row: Vec<u32>,
    fates: Vec<Fate>,
    /// By kind and instance: the array's place in `arrays`.
    index: Vec<Vec<u32>>,
    arrays: Vec<Rows>,
    /// Tags and states.
    lines: Lines,
}

/// Undecided samples of an array.
#[derive(Debug)]
struct Rows {
    /// By row: the place in `waiting`.
    rows: Vec<u32>,
    waiting: Vec<Vec<u32>>,
}

const NONE: u32 = u32::MAX;

impl Lifetimes {
    /// Waits for events on these bits.
    pub fn new(registry: &Registry, samples: Vec<Sample>) -> Lifetimes {
        let mut this = Lifetimes {
            fates: vec![Fate::Untouched; samples.len()],
            bit_of_row: vec![0; samples.len()],
            ..Self::default()
        };
        // Samples of one fault lie in one array: it is not looked for each time.
        let mut last: Option<&Layout> = None;
        for (i, sample) in samples.iter().enumerate() {
            let array = sample.site.array;
            if last.is_none_or(|l| l.id != array) {
                last = registry.layout(array);
            }
            let layout = last.filter(|_| array.is_observed());
            // In cycle 0 the host's copies come before the flip, in all others
            // after it: only the simulation can tell.
            let Some(layout) = layout.filter(|_| sample.cycle > 0) else {
                this.fates[i] = Fate::Unknown;
                continue;
            };
            let row_bits = layout.row_bits().max(1);
            if array.part != Part::Data {
                let (row, in_row) = (sample.site.bit / row_bits, sample.site.bit % row_bits);
                let rows = layout.bits().div_ceil(row_bits) as u32;
                let (row, in_row) = (row as u32, in_row as u32);
                this.lines.add(array, rows, row, in_row, i as u32, sample.cycle);
                continue;
            }
            let at = this.place(array);
            let at = match this.arrays.get(at as usize) {
                Some(_) => at,
                None => {
                    let rows = vec![NONE; layout.bits().div_ceil(row_bits) as usize];
                    this.arrays.push(Rows { rows, waiting: Vec::new() });
                    let new = this.arrays.len() as u32 - 1;
                    this.index[array.kind.index()][array.instance as usize] = new;
                    new
                }
            };
            let rows = &mut this.arrays[at as usize];
            // Events count lines, whatever part of them a bit is in.
            let row = (sample.site.bit / row_bits) as usize;
            this.bit_of_row[i] = (sample.site.bit % row_bits) as u32;
            let Some(place) = rows.rows.get_mut(row) else {
                this.fates[i] = Fate::Unknown;
                continue;
            };
            if *place == NONE {
                *place = rows.waiting.len() as u32;
                rows.waiting.push(Vec::new());
            }
            rows.waiting[*place as usize].push(i as u32);
        }
        this.samples = samples;
        this
    }

    /// Where an array is, with room made for it in the index.
    fn place(&mut self, array: ArrayId) -> u32 {
        let (kind, instance) = (array.kind.index(), array.instance as usize);
        if self.index.len() <= kind {
            self.index.resize(kind + 1, Vec::new());
        }
        if self.index[kind].len() <= instance {
            self.index[kind].resize(instance + 1, NONE);
        }
        self.index[kind][instance]
    }

    /// Something happened.
    #[inline]
    pub fn event(&mut self, event: &Event) {
        let Lifetimes { samples, bit_of_row, fates, index, arrays, lines } = self;
        if let Kind::Cache(_) = event.array.kind {
            lines.access(event.cycle, event.array, event.row, event.access);
        }
        let array = index.get(event.array.kind.index());
        let Some(&at) = array.and_then(|i| i.get(event.array.instance as usize)) else { return };
        let Some(rows) = arrays.get_mut(at as usize) else { return };
        let Some(&place) = rows.rows.get(event.row as usize) else { return };
        let Some(waiting) = rows.waiting.get_mut(place as usize) else { return };
        let cycle = event.cycle;
        let fate = match event.access {
            Access::Read | Access::WriteBack | Access::CopyOut => Fate::Used { cycle },
            Access::Write | Access::Fill | Access::Evict => Fate::Overwritten { cycle },
            // Bits stay as they are: the next owner may read before it writes.
            Access::Release | Access::Allocate => return,
        };
        waiting.retain(|&i| {
            let sample = samples[i as usize];
            let bit = u64::from(bit_of_row[i as usize]);
            let decided = sample.cycle <= cycle && event.covers(bit);
            if decided {
                fates[i as usize] = fate;
            }
            !decided
        });
    }

    /// The fate of each sample, in the order they were given.
    pub fn fates(&self) -> Vec<Fate> {
        let mut fates = self.fates.clone();
        for &(sample, fate) in &self.lines.decided {
            fates[sample as usize] = fate;
        }
        fates
    }
}

/// The same [`Lifetimes`] as hears of events.
struct OfLines(Arc<Mutex<Lifetimes>>);

impl OfLines {
    fn lines(&self) -> std::sync::MutexGuard<'_, Lifetimes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LineObserver for OfLines {
    fn wants(&self, array: ArrayId, row: u32) -> bool {
        self.lines().lines.wants(array, row)
    }
    fn line(&mut self, cycle: u64, array: ArrayId, shape: LineShape, row: u32, fact: LineFact) {
        self.lines().lines.line(cycle, array, shape, row, fact);
    }
    fn searched(&mut self, cycle: u64, array: ArrayId, shape: LineShape, row: u32, tag: u64) {
        self.lines().lines.searched(cycle, array, shape, row, tag);
    }
}

/// A watch that finds fates, and where they can be read afterwards.
pub fn watch(lifetimes: Lifetimes) -> (Watch, Arc<Mutex<Lifetimes>>) {
    let shared = Arc::new(Mutex::new(lifetimes));
    let seen = Arc::clone(&shared);
    let has_lines = !shared.lock().unwrap_or_else(PoisonError::into_inner).lines.is_empty();
    let mut watch = Watch::observe(move |event| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).event(event);
    });
    if has_lines {
        watch.lines = Some(Box::new(OfLines(Arc::clone(&shared))));
    }
    (watch, shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::{Axis, Extent};

    fn registry() -> Registry {
        let axes = vec![Axis::new("row", 4), Axis::new("lane", 32), Axis::new("bit", 32)];
        let id = ArrayId::data(Kind::Rf, 1);
        Registry {
            arrays: vec![Layout {
                id,
                kind: "rf".into(),
                path: "sm0.sub1".into(),
                axes,
                parted: false,
            }],
        }
    }

    fn event(cycle: u64, row: u32, access: Access, lanes: u32) -> Event {
        let array = ArrayId::data(Kind::Rf, 1);
        Event::new(cycle, array, row, access, Extent::Lanes(lanes))
    }

    fn sample(row: u64, lane: u64, cycle: u64) -> Sample {
        let array = ArrayId::data(Kind::Rf, 1);
        Sample { site: Site { array, bit: (row * 32 + lane) * 32 + 7 }, cycle }
    }

    #[test]
    fn the_first_access_to_the_bit_decides() {
        let samples = vec![sample(2, 3, 10), sample(2, 4, 10), sample(2, 3, 21), sample(1, 3, 1)];
        let mut l = Lifetimes::new(&registry(), samples);
        l.event(&event(9, 2, Access::Read, !0));
        l.event(&event(20, 2, Access::Write, 1 << 3));
        l.event(&event(21, 2, Access::Read, !0));
        l.event(&event(30, 2, Access::Write, !0));
        let used = Fate::Used { cycle: 21 };
        let over = Fate::Overwritten { cycle: 20 };
        assert_eq!(l.fates(), [over, used, used, Fate::Untouched]);
    }

    #[test]
    fn a_new_owner_may_read_what_the_last_one_left() {
        let mut l = Lifetimes::new(&registry(), vec![sample(0, 0, 1)]);
        l.event(&event(1, 0, Access::Release, !0));
        l.event(&event(2, 0, Access::Allocate, !0));
        l.event(&event(3, 0, Access::Read, !0));
        assert_eq!(l.fates(), [Fate::Used { cycle: 3 }]);
    }

    #[test]
    fn a_tag_is_used_when_its_set_is_searched_for_it() {
        let id = ArrayId { kind: Kind::Cache(0), instance: 0, part: Part::Tag };
        let axes = vec![Axis::new("set", 2), Axis::new("way", 2), Axis::new("bit", 40)];
        let layout = Layout { id, kind: "l2".into(), path: "slice0".into(), axes, parted: true };
        let sample = |line: u64, bit: u64, cycle| Sample {
            site: Site { array: id, bit: line * 40 + bit },
            cycle,
        };
        // Before the line is taken; while it is; another bit; a line never taken.
        let samples = vec![sample(2, 3, 5), sample(2, 3, 15), sample(2, 4, 15), sample(3, 3, 5)];
        let (mut watch, seen) = watch(Lifetimes::new(&Registry { arrays: vec![layout] }, samples));
        let (data, shape) = (id.with(Part::Data), LineShape { ways: 2, sectors: 4, bytes: 128 });
        let lines = watch.lines.as_mut().unwrap();
        lines.searched(8, data, shape, 2, 9);
        lines.line(10, data, shape, 2, LineFact::Claimed { tag: 9 });
        lines.searched(16, data, shape, 2, 9 ^ 1 << 5);
        lines.searched(17, data, shape, 2, 9 ^ 1 << 4);
        lines.searched(18, data, shape, 0, 9);
        lines.line(20, data, shape, 2, LineFact::Claimed { tag: 1 });
        let (taken, given) = (Fate::Overwritten { cycle: 10 }, Fate::Overwritten { cycle: 20 });
        let found = Fate::Used { cycle: 17 };
        assert_eq!(seen.lock().unwrap().fates(), [taken, given, found, Fate::Untouched]);
    }

    /// Bits of one line that do nothing alone: a fault with both is used.
    #[test]
    fn bits_of_a_line_that_flip_together_are_judged_together() {
        let fates = |part: Part,
                     bits: [u64; 2],
                     happens: &dyn Fn(&mut dyn LineObserver, ArrayId)| {
            let id = ArrayId { kind: Kind::Cache(0), instance: 0, part };
            let axes = vec![Axis::new("set", 2), Axis::new("way", 2), Axis::new("bit", 66)];
            let layout =
                Layout { id, kind: "l2".into(), path: "slice0".into(), axes, parted: true };
            let registry = Registry { arrays: vec![layout] };
            let of = |bits: &[u64]| {
                let sample =
                    |&bit: &u64| Sample { site: Site { array: id, bit: 2 * 66 + bit }, cycle: 5 };
                let samples = bits.iter().map(sample).collect();
                let (mut watch, seen) = watch(Lifetimes::new(&registry, samples));
                happens(watch.lines.as_mut().unwrap().as_mut(), id.with(Part::Data));
                seen.lock().unwrap().fates()
            };
            (of(&bits[..1]), of(&bits[1..]), of(&bits))
        };
        let shape = LineShape { ways: 2, sectors: 1, bytes: 64 };
        let (used, gone) = (Fate::Used { cycle: 10 }, Fate::Overwritten { cycle: 10 });
        // Dirty, and a byte that seems to be written, in a line that nobody has.
        let claimed = |lines: &mut dyn LineObserver, id: ArrayId| {
            lines.line(10, id, shape, 2, LineFact::Claimed { tag: 9 });
        };
        let (dirty, written, both) = fates(Part::State, [1, 29], &claimed);
        assert_eq!((dirty, written, both), (vec![gone], vec![gone], vec![used; 2]));
        // An address two bits away.
        let searched = |lines: &mut dyn LineObserver, id: ArrayId| {
            lines.line(3, id, shape, 2, LineFact::Claimed { tag: 9 });
            lines.searched(10, id, shape, 2, 9 ^ 0b11000);
        };
        let (one, other, both) = fates(Part::Tag, [3, 4], &searched);
        assert_eq!((one, other), (vec![Fate::Untouched], vec![Fate::Untouched]));
        assert_eq!(both, vec![used; 2]);
    }

    #[test]
    fn arrays_whose_uses_are_not_told_are_unknown() {
        let site = Site { array: ArrayId::data(Kind::Sb, 0), bit: 3 };
        let l = Lifetimes::new(&registry(), vec![Sample { site, cycle: 1 }]);
        assert_eq!(l.fates(), [Fate::Unknown]);
    }
}
