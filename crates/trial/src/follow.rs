//! Follows wrong bits: who used them, where copies of them went, and how each
//! came to its end.
//!
//! A bit is wrong from the change on. An access that overwrites it ends it; a
//! line that is written back, filled or copied takes the wrong byte along, and
//! the copy is followed as well. What a program does with a value it has read
//! is not followed: there the fault has left the arrays.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use upset_state::{Access, ArrayId, By, Change, Event, Part, Registry, Site, Watch};

/// Steps that are kept of a run.
pub const STEPS: usize = 64;
/// Copies that are followed at most.
const COPIES: usize = 32;

/// What happened to a wrong bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// Its value was used.
    Read,
    /// It was overwritten, and is right again.
    Overwritten,
    /// It was overwritten, and is stuck.
    WrittenAndStuck,
    /// It was dropped with its line.
    Dropped,
    /// It went to the level below.
    WrittenBack,
    /// The host has it.
    CopiedOut,
    /// A copy of it arrived here.
    Arrived,
    /// The line's tag or state was used, or its row given away.
    LineUsed(LineUse),
    /// Its row was given to a warp or CTA, which finds the wrong bit there.
    Allocated,
    /// Its row was given back, with the wrong bit in it.
    Released,
}

impl What {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            What::Read => "read",
            What::Overwritten => "overwritten",
            What::WrittenAndStuck => "written_and_stuck",
            What::Dropped => "dropped",
            What::WrittenBack => "written_back",
            What::CopiedOut => "copied_out",
            What::Arrived => "arrived",
            What::Allocated => "allocated",
            What::Released => "released",
            What::LineUsed(LineUse::Read) => "line_read",
            What::LineUsed(LineUse::Written) => "line_written",
            What::LineUsed(LineUse::Filled) => "line_filled",
            What::LineUsed(LineUse::WrittenBack) => "line_written_back",
            What::LineUsed(LineUse::Dropped) => "line_dropped",
            What::LineUsed(LineUse::GivenAway) => "line_given_away",
        }
    }
}

/// What happened to a line whose tag or state is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineUse {
    /// It answered.
    Read,
    /// It was written.
    Written,
    /// Bytes came from below.
    Filled,
    /// Bytes went below, to where the tag says.
    WrittenBack,
    /// It was dropped.
    Dropped,
    /// The row was given to another address: tag and state are new.
    GivenAway,
}

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// When.
    pub cycle: u64,
    /// The bit, or a copy of it.
    pub site: Site,
    /// What happened to it.
    pub what: What,
    /// On whose behalf.
    pub by: By,
    /// Bits of the row that it happened to, where many are followed; else 1.
    pub bits: u32,
}

/// A wrong bit in an array.
#[derive(Clone, Debug)]
struct Wrong {
    array: ArrayId,
    row: u32,
    in_row: u64,
    row_bits: u64,
    since: u64,
    /// When it is stuck: its part of [`Follow::spans`].
    stuck: Range<u32>,
    /// It is wrong, as far as is known.
    alive: bool,
    /// Something was written over it while it was stuck.
    resisted: bool,
}

/// A wrong byte on its way to another array.
#[derive(Clone, Copy, Debug)]
struct Moving {
    address: u64,
    bit: u64,
    /// Towards the SMs, for this cache; or else towards memory.
    up: Option<By>,
}

/// Follows wrong bits through a run.
///
/// A fault may break a whole bank, and every access to every array is told: the
/// bits that an access concerns are found by array and row.
#[derive(Debug, Default)]
pub struct Follow {
    wrong: Vec<Wrong>,
    /// By data array (ascending) and row: numbers of the bits that are wrong
    /// there, or can become so again.
    of_row: Vec<(ArrayId, HashMap<u32, Vec<u32>>)>,
    moving: Vec<Moving>,
    row_bits: BTreeMap<ArrayId, u64>,
    /// From when to when bits are stuck: bit by bit, each in order of time.
    spans: Vec<Range<u64>>,
    /// Copies that were followed.
    copies: usize,
    steps: Vec<Step>,
    /// All steps, those that were not kept included.
    total: u64,
    /// Events so far, and what the last step was in the last of them.
    events: u64,
    last: (u64, Option<What>),
    /// Copies that could not be followed any more.
    lost: u64,
}

impl Follow {
    /// Follows the bits of these changes, which are in order of time.
    pub fn new(registry: &Registry, changes: &[(u64, Change)]) -> Follow {
        let row_bits = registry.arrays.iter().map(|l| (l.id, l.row_bits().max(1))).collect();
        let mut this = Follow { row_bits, ..Follow::default() };
        // By bit, those of a bit in order of time; bits come as they first change.
        let mut sorted: Vec<usize> = (0..changes.len()).collect();
        sorted.sort_by_key(|&i| changes[i].1.site());
        let mut bits = Vec::new();
        for of_bit in sorted.chunk_by(|&a, &b| changes[a].1.site() == changes[b].1.site()) {
            let begin = this.spans.len() as u32;
            for &i in of_bit {
                let (cycle, change) = &changes[i];
                match change {
                    Change::Flip(_) => {}
                    Change::Hold(_) => this.spans.push(*cycle..u64::MAX),
                    Change::LetGo(_) => {
                        if let Some(last) = this.spans[begin as usize..].last_mut() {
                            last.end = *cycle;
                        }
                    }
                }
            }
            let wrongs = of_bit.iter().find(|&&i| !matches!(changes[i].1, Change::LetGo(_)));
            if let Some(&first) = wrongs {
                bits.push((first, begin..this.spans.len() as u32));
            }
        }
        bits.sort_unstable_by_key(|(first, _)| *first);
        for (first, stuck) in bits {
            let (cycle, change) = &changes[first];
            this.add(change.site(), *cycle, stuck);
        }
        this
    }

    /// Whether a bit is stuck at a cycle, changes of that cycle made.
    fn is_held(&self, i: usize, cycle: u64) -> bool {
        let stuck = &self.wrong[i].stuck;
        let spans = &self.spans[stuck.start as usize..stuck.end as usize];
        let begun = spans.partition_point(|span| span.start <= cycle);
        begun.checked_sub(1).is_some_and(|i| cycle < spans[i].end)
    }

    fn add(&mut self, site: Site, since: u64, stuck: Range<u32>) {
        let Site { array, bit } = site;
        let Some(&row_bits) = self.row_bits.get(&array) else { return };
        let (row, in_row) = ((bit / row_bits) as u32, bit % row_bits);
        let (alive, resisted) = (true, false);
        let number = self.wrong.len() as u32;
        self.wrong.push(Wrong { array, row, in_row, row_bits, since, stuck, alive, resisted });
        let data = array.with(Part::Data);
        let at = self.of_row.binary_search_by_key(&data, |(id, _)| *id).unwrap_or_else(|at| {
            self.of_row.insert(at, (data, HashMap::new()));
            at
        });
        self.of_row[at].1.entry(row).or_default().push(number);
    }

    /// Bits that are or may become wrong in a row.
    fn in_row(&mut self, array: ArrayId, row: u32) -> Option<&mut Vec<u32>> {
        let at = self.of_row.binary_search_by_key(&array, |(id, _)| *id).ok()?;
        self.of_row[at].1.get_mut(&row)
    }

    /// Steps in order, the first [`STEPS`] of them.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many steps there were.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Bits that are still wrong, copies included; whether something was
    /// written over them while they were stuck.
    pub fn still_wrong(&self) -> impl Iterator<Item = (Site, bool)> {
        self.wrong.iter().filter(|w| w.alive).map(|w| (w.site(), w.resisted))
    }

    /// Copies that were too many to be followed.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    fn step(&mut self, step: Step) {
        // Of a bank, what happens to a row is told once, not bit by bit.
        let now = (self.events, Some(step.what));
        if self.wrong.len() > STEPS && self.last == now {
            let last = self.total as usize - 1;
            self.steps.get_mut(last).into_iter().for_each(|s| s.bits += 1);
            return;
        }
        self.last = now;
        self.total += 1;
        if self.steps.len() < STEPS {
            self.steps.push(step);
        }
    }

    /// Something happened.
    pub fn event(&mut self, event: &Event) {
        self.events += 1;
        if let Some(list) = self.in_row(event.array, event.row) {
            let mut list = std::mem::take(list);
            list.retain(|&i| self.happens(i as usize, event));
            if let Some(place) = self.in_row(event.array, event.row) {
                *place = list;
            }
        }
        // A wrong byte that arrives is not ended by its own arrival.
        self.arrive(event);
    }

    /// Something happened to the row of a wrong bit; false when the bit is right
    /// for good.
    fn happens(&mut self, i: usize, event: &Event) -> bool {
        let (since, part, in_row) = {
            let w = &self.wrong[i];
            (w.since, w.array.part, w.in_row)
        };
        if event.cycle < since {
            return true;
        }
        let stuck = self.is_held(i, event.cycle);
        // A burst comes back to a bit that was written in between.
        self.wrong[i].alive |= stuck;
        if self.wrong[i].alive {
            let what = match part {
                Part::Data if !event.covers(in_row) => None,
                Part::Data => self.data(i, event, stuck),
                Part::Tag | Part::State => Some(self.line(i, event, stuck)),
            };
            if let Some(what) = what {
                let site = self.wrong[i].site();
                self.step(Step { cycle: event.cycle, site, what, by: event.by, bits: 1 });
            }
        }
        let w = &self.wrong[i];
        w.alive || !w.stuck.is_empty()
    }

    /// A wrong data bit was accessed.
    fn data(&mut self, i: usize, event: &Event, stuck: bool) -> Option<What> {
        let in_row = self.wrong[i].in_row;
        let address = event.line + in_row / 8;
        let go = |up| Moving { address, bit: in_row % 8, up };
        let cached = event.line != 0;
        Some(match event.access {
            Access::Read => {
                if cached && !matches!(event.by, By::Warp { .. }) {
                    self.depart(go(Some(event.by)));
                }
                What::Read
            }
            Access::WriteBack => {
                self.depart(go(None));
                What::WrittenBack
            }
            Access::CopyOut => What::CopiedOut,
            Access::Write | Access::Fill if stuck => {
                self.wrong[i].resisted = true;
                What::WrittenAndStuck
            }
            Access::Write | Access::Fill => {
                self.wrong[i].alive = false;
                What::Overwritten
            }
            Access::Evict => {
                self.wrong[i].alive = stuck;
                What::Dropped
            }
            // A row of a cache that is given away was emptied before.
            Access::Allocate | Access::Release if cached => return None,
            Access::Allocate => What::Allocated,
            Access::Release => What::Released,
        })
    }

    /// A line with a wrong tag or state was accessed.
    fn line(&mut self, i: usize, event: &Event, stuck: bool) -> What {
        What::LineUsed(match event.access {
            Access::Read | Access::CopyOut => LineUse::Read,
            Access::Write => LineUse::Written,
            Access::Fill => LineUse::Filled,
            Access::WriteBack => LineUse::WrittenBack,
            Access::Evict | Access::Release => LineUse::Dropped,
            Access::Allocate => {
                self.wrong[i].alive = stuck;
                self.wrong[i].resisted |= stuck;
                LineUse::GivenAway
            }
        })
    }

    fn depart(&mut self, moving: Moving) {
        match self.moving.len() < COPIES {
            true => self.moving.push(moving),
            false => self.lost += 1,
        }
    }

    /// Does a wrong byte that is under way arrive with this event?
    fn arrive(&mut self, event: &Event) {
        if self.moving.is_empty() || event.line == 0 {
            return;
        }
        let Some(&row_bits) = self.row_bits.get(&event.array) else { return };
        let bit_of = |m: &Moving| {
            let byte = m.address.checked_sub(event.line)?;
            let bit = byte.checked_mul(8)?.checked_add(m.bit)?;
            (bit < row_bits && event.covers(bit)).then_some(bit)
        };
        let fits = |m: &Moving| match (m.up, event.access) {
            (None, Access::Write) => true,
            (Some(by), Access::Fill) => by == event.by,
            _ => false,
        };
        let Some(i) = self.moving.iter().position(|m| fits(m) && bit_of(m).is_some()) else {
            return;
        };
        let moving = self.moving.remove(i);
        let Some(bit) = bit_of(&moving) else { return };
        let site = Site { array: event.array, bit: u64::from(event.row) * row_bits + bit };
        let here = self.in_row(site.array, event.row).cloned().unwrap_or_default();
        let wrong = |i: &u32| &self.wrong[*i as usize];
        let already = here.iter().map(wrong).any(|w| w.alive && w.site() == site);
        if self.copies >= COPIES || already {
            self.lost += u64::from(!already);
            return;
        }
        self.copies += 1;
        let what = What::Arrived;
        self.step(Step { cycle: event.cycle, site, what, by: event.by, bits: 1 });
        self.add(site, event.cycle, 0..0);
    }
}

impl Wrong {
    fn site(&self) -> Site {
        Site { array: self.array, bit: u64::from(self.row) * self.row_bits + self.in_row }
    }
}

/// A watch that follows bits, and where to read about them afterwards.
pub fn watch(follow: Follow) -> (Watch, Arc<Mutex<Follow>>) {
    let shared = Arc::new(Mutex::new(follow));
    let seen = Arc::clone(&shared);
    let watch = Watch::observe(move |event| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).event(event);
    });
    (watch, shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::{Axis, Extent, Kind, Layout};

    const L1D: ArrayId = ArrayId::data(Kind::Cache(0), 0);
    const L2: ArrayId = ArrayId::data(Kind::Cache(4), 0);
    const GMEM: ArrayId = ArrayId::data(Kind::Gmem, 0);
    const LINE: u64 = 0x7_0000_0100;

    fn registry() -> Registry {
        let layout = |id: ArrayId, kind: &str, bits| Layout {
            id,
            kind: kind.into(),
            path: String::new(),
            axes: vec![Axis::new("way", 8), Axis::new("bit", bits)],
            parted: true,
        };
        let parts = [(Part::Data, 1024), (Part::Tag, 57)];
        let mut arrays: Vec<Layout> = parts
            .into_iter()
            .flat_map(|(part, bits)| {
                [layout(L1D.with(part), "l1d", bits), layout(L2.with(part), "l2", bits)]
            })
            .collect();
        arrays.push(layout(GMEM, "gmem", 8));
        Registry { arrays }
    }

    fn event(cycle: u64, array: ArrayId, row: u32, access: Access) -> Event {
        Event::new(cycle, array, row, access, Extent::Bytes(!0)).at(LINE)
    }

    fn flip(array: ArrayId, bit: u64) -> Vec<(u64, Change)> {
        vec![(10, Change::Flip(Site { array, bit }))]
    }

    fn whats(f: &Follow) -> Vec<What> {
        f.steps().iter().map(|s| s.what).collect()
    }

    #[test]
    fn a_bit_is_wrong_until_it_is_overwritten() {
        let mut f = Follow::new(&registry(), &flip(L1D, 1024 * 2 + 5));
        f.event(&event(9, L1D, 2, Access::Write));
        f.event(&event(10, L1D, 3, Access::Read));
        let warp = By::Warp { sm: 0, slot: 1, pc: 32 };
        f.event(&Event { by: warp, ..event(11, L1D, 2, Access::Read) });
        f.event(&event(12, L1D, 2, Access::Fill));
        f.event(&event(13, L1D, 2, Access::Read));
        assert_eq!(whats(&f), [What::Read, What::Overwritten]);
        assert_eq!(f.steps()[0].by, warp);
        assert_eq!(f.still_wrong().count(), 0);
    }

    #[test]
    fn copies_are_followed_up_and_down() {
        let mut f = Follow::new(&registry(), &flip(L2, 1024 + 77));
        let by = By::Level { sm: 3, client: 0 };
        f.event(&Event { by, ..event(20, L2, 1, Access::Read) });
        // Another SM's fill of the line is not ours.
        f.event(&event(29, L1D, 6, Access::Fill));
        f.event(&Event { by, ..event(30, L1D, 5, Access::Fill) });
        f.event(&event(40, L2, 1, Access::WriteBack));
        f.event(&event(40, GMEM, 7, Access::Write));
        f.event(&event(40, L2, 1, Access::Evict));
        use What::{Arrived, Dropped, Read, WrittenBack};
        assert_eq!(whats(&f), [Read, Arrived, WrittenBack, Arrived, Dropped]);
        assert_eq!(f.steps()[1].site, Site { array: L1D, bit: 5 * 1024 + 77 });
        let memory = Site { array: GMEM, bit: 7 * 1024 + 77 };
        assert_eq!(f.steps()[3].site, memory);
        let left: Vec<Site> = f.still_wrong().map(|(site, _)| site).collect();
        assert_eq!(left, [Site { array: L1D, bit: 5 * 1024 + 77 }, memory]);
    }

    #[test]
    fn a_stuck_bit_is_never_right() {
        let force = upset_state::Force { array: L1D, bit: 3, value: true };
        let mut f = Follow::new(&registry(), &[(0, Change::Hold(force))]);
        f.event(&event(5, L1D, 0, Access::Write));
        f.event(&event(6, L1D, 0, Access::Evict));
        f.event(&event(7, L1D, 0, Access::Fill));
        assert_eq!(whats(&f), [What::WrittenAndStuck, What::Dropped, What::WrittenAndStuck]);
        assert_eq!(f.still_wrong().count(), 1);
    }

    #[test]
    fn a_bit_that_was_let_go_can_be_written_and_a_burst_comes_back() {
        let force = upset_state::Force { array: L1D, bit: 3, value: true };
        let (hold, go) = (Change::Hold(force), Change::LetGo(force));
        let changes = [(0, hold), (5, go), (10, hold), (15, go)];
        let mut f = Follow::new(&registry(), &changes);
        f.event(&event(4, L1D, 0, Access::Read));
        assert!(!f.wrong[0].resisted);
        f.event(&event(5, L1D, 0, Access::Write));
        f.event(&event(6, L1D, 0, Access::Read));
        assert_eq!(f.still_wrong().count(), 0);
        f.event(&event(10, L1D, 0, Access::Write));
        f.event(&event(15, L1D, 0, Access::Write));
        use What::{Overwritten, Read, WrittenAndStuck};
        assert_eq!(whats(&f), [Read, Overwritten, WrittenAndStuck, Overwritten]);
        assert!(f.wrong[0].resisted);
        assert_eq!(f.still_wrong().count(), 0);
    }

    #[test]
    fn a_wrong_tag_lasts_until_the_row_is_given_away() {
        let mut f = Follow::new(&registry(), &flip(L2.with(Part::Tag), 57 * 2 + 9));
        f.event(&event(12, L2, 2, Access::Read));
        f.event(&event(13, L2, 2, Access::WriteBack));
        f.event(&event(13, L2, 2, Access::Evict));
        f.event(&event(14, L2, 2, Access::Allocate));
        f.event(&event(15, L2, 2, Access::Read));
        let uses = [LineUse::Read, LineUse::WrittenBack, LineUse::Dropped, LineUse::GivenAway];
        assert_eq!(whats(&f), uses.map(What::LineUsed));
    }

    /// All bits of a line, and one bit of another: an access concerns its own.
    #[test]
    fn many_bits_are_followed_each_for_itself() {
        let bits = (0..1024).chain([3 * 1024 + 8]);
        let changes: Vec<_> =
            bits.map(|bit| (10, Change::Flip(Site { array: L1D, bit }))).collect();
        let mut f = Follow::new(&registry(), &changes);
        let first_bytes = Event::new(11, L1D, 0, Access::Write, Extent::Bytes(0xff)).at(LINE);
        f.event(&first_bytes);
        f.event(&event(12, L1D, 3, Access::Read));
        f.event(&event(13, L1D, 0, Access::Read));
        let bits: Vec<u32> = f.steps().iter().map(|s| s.bits).collect();
        assert_eq!((f.total(), bits), (3, vec![64, 1, 1024 - 64]));
        assert_eq!(whats(&f), [What::Overwritten, What::Read, What::Read]);
        let left: Vec<u64> = f.still_wrong().map(|(site, _)| site.bit).collect();
        assert_eq!(left, (64..1024).chain([3 * 1024 + 8]).collect::<Vec<_>>());
    }

    #[test]
    fn steps_are_bounded_and_counted() {
        let mut f = Follow::new(&registry(), &flip(L1D, 5));
        for cycle in 10..1010 {
            f.event(&event(cycle, L1D, 0, Access::Read));
        }
        assert_eq!((f.steps().len(), f.total()), (STEPS, 1000));
    }
}
