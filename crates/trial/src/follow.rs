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
use upset_state::{Access, ArrayId, By, Change, Event, How, Part, Quirk, Registry, Site, Watch};

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
    /// It was written, and misbehaved: what is stored may be wrong.
    WrittenWrong,
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
            What::WrittenWrong => "written_wrong",
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
    /// When it is stuck or misbehaves: its part of [`Follow::spans`].
    stuck: Range<u32>,
    /// It is wrong, as far as is known.
    alive: bool,
    /// Something was written over it while it was stuck.
    resisted: bool,
}

/// From when to when a bit is stuck, or misbehaves in a way ([`Follow::ways`]).
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u64,
    end: u64,
    way: Option<u32>,
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
    /// From when to when bits are stuck, or misbehave and how: bit by bit, each
    /// in order of time.
    spans: Vec<Span>,
    /// Ways in which bits misbehave.
    ways: Vec<How>,
    /// Copies that were followed.
    copies: usize,
    steps: Vec<Step>,
    /// All steps, those that were not kept included.
    total: u64,
    /// Events so far, and what the last step was in the last of them.
    events: u64,
    last: (u64, Option<What>),
    /// Steps of this cycle.
    told: Vec<Step>,
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
                let start = *cycle;
                match change {
                    Change::Flip(_) => {}
                    Change::Hold(_) => this.spans.push(Span { start, end: u64::MAX, way: None }),
                    Change::Begin(quirk) => {
                        let way = Some(this.way(quirk.how));
                        this.spans.push(Span { start, end: u64::MAX, way });
                    }
                    Change::LetGo(_) | Change::End(_) => {
                        if let Some(last) = this.spans[begin as usize..].last_mut() {
                            last.end = *cycle;
                        }
                    }
                }
            }
            let is_end = |i: usize| matches!(changes[i].1, Change::LetGo(_) | Change::End(_));
            if let Some(&first) = of_bit.iter().find(|&&i| !is_end(i)) {
                bits.push((first, begin..this.spans.len() as u32));
            }
        }
        bits.sort_unstable_by_key(|(first, _)| *first);
        for (first, stuck) in bits {
            let (cycle, change) = &changes[first];
            let site = change.site();
            // A wire holds nothing that could be wrong afterwards.
            if !site.array.kind.about().wire {
                // What misbehaves is right until it is written.
                let misbehaves = matches!(change, Change::Begin(_));
                let alive = !misbehaves || site.array.part != Part::Data;
                this.add(site, *cycle, stuck, alive);
            }
        }
        this
    }

    /// The number of a way to misbehave.
    fn way(&mut self, how: How) -> u32 {
        let at = self.ways.iter().rposition(|w| *w == how).unwrap_or_else(|| {
            self.ways.push(how);
            self.ways.len() - 1
        });
        at as u32
    }

    /// What is broken about a bit at a cycle, changes of that cycle made.
    fn broken(&self, i: usize, cycle: u64) -> Broken {
        let stuck = &self.wrong[i].stuck;
        let spans = &self.spans[stuck.start as usize..stuck.end as usize];
        let begun = spans.partition_point(|span| span.start <= cycle);
        match begun.checked_sub(1).map(|i| spans[i]).filter(|span| cycle < span.end) {
            None => Broken::Not,
            Some(Span { way: None, .. }) => Broken::Stuck,
            Some(Span { way: Some(way), .. }) => {
                let Site { array, bit } = self.wrong[i].site();
                let quirk = Quirk { array, bit, how: self.ways[way as usize] };
                if quirk.may_act(cycle) { Broken::Acts } else { Broken::Spares }
            }
        }
    }

    fn add(&mut self, site: Site, since: u64, stuck: Range<u32>, alive: bool) {
        let Site { array, bit } = site;
        let Some(&row_bits) = self.row_bits.get(&array) else { return };
        let (row, in_row) = ((bit / row_bits) as u32, bit % row_bits);
        let number = self.wrong.len() as u32;
        let resisted = false;
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
        // An instruction that takes a register as both of its operands reads it once.
        if self.told.first().is_some_and(|told| told.cycle != step.cycle) {
            self.told.clear();
        }
        if self.told.contains(&step) {
            return;
        }
        self.told.push(step);
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
        let broken = self.broken(i, event.cycle);
        // A burst comes back to a bit that was written in between.
        self.wrong[i].alive |= broken == Broken::Stuck;
        // A write into a bit that misbehaves makes it wrong.
        let is_write = matches!(event.access, Access::Write | Access::Fill);
        if self.wrong[i].alive || (broken == Broken::Acts && is_write) {
            let what = match part {
                Part::Data if !event.covers(in_row) => None,
                Part::Data => self.data(i, event, broken),
                Part::Tag | Part::State => Some(self.line(i, event, broken)),
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
    fn data(&mut self, i: usize, event: &Event, broken: Broken) -> Option<What> {
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
            Access::Write | Access::Fill if broken == Broken::Stuck => {
                self.wrong[i].resisted = true;
                What::WrittenAndStuck
            }
            Access::Write | Access::Fill if broken == Broken::Acts => {
                self.wrong[i].alive = true;
                What::WrittenWrong
            }
            Access::Write | Access::Fill => {
                self.wrong[i].alive = false;
                What::Overwritten
            }
            Access::Evict => {
                self.wrong[i].alive = broken == Broken::Stuck;
                What::Dropped
            }
            // A row of a cache that is given away was emptied before.
            Access::Allocate | Access::Release if cached => return None,
            Access::Allocate => What::Allocated,
            Access::Release => What::Released,
        })
    }

    /// A line with a wrong tag or state was accessed.
    fn line(&mut self, i: usize, event: &Event, broken: Broken) -> What {
        What::LineUsed(match event.access {
            Access::Read | Access::CopyOut => LineUse::Read,
            Access::Write => LineUse::Written,
            Access::Fill => LineUse::Filled,
            Access::WriteBack => LineUse::WrittenBack,
            Access::Evict | Access::Release => LineUse::Dropped,
            Access::Allocate => {
                // A state that misbehaves is written again and again.
                self.wrong[i].alive = broken != Broken::Not;
                self.wrong[i].resisted |= broken == Broken::Stuck;
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
        self.add(site, event.cycle, 0..0, true);
    }
}

/// What is broken about a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Broken {
    /// Nothing, or no longer.
    Not,
    /// It is stuck.
    Stuck,
    /// It misbehaves, and a write at this cycle goes wrong.
    Acts,
    /// It misbehaves, but spares this cycle.
    Spares,
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
mod tests;
