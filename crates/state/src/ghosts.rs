//! Faulty runs that are followed through the fault-free one by their differences.
//!
//! As long as a fault changes values only, the faulty run takes the same steps
//! at the same cycles as the fault-free one: it is a *ghost* of it, known by
//! the words in which it differs. The machine moves and recomputes differences
//! beside the values they belong to; a ghost whose difference would change
//! what happens (a branch, an address, what the host sees) has to leave and
//! becomes a run of its own.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::hidden::{Hiding, Turn};
use crate::place::{CLASSES, Space};
use crate::words::{WORDS, Words, apply_words, byte_mask, shifted};
use crate::{Hidden, Kind, Origin, Place, Site};

/// Bytes of a row.
const LINE: u64 = 4 * WORDS as u64;

/// Rows of differences that a ghost may have before it is cheaper as a run of its own.
const MOST_ROWS: u32 = 1 << 13;

/// A quick hash: places are well spread already but for their high bits.
#[derive(Default)]
struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u64(u64::from(b));
        }
    }
    fn write_u64(&mut self, n: u64) {
        let h = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = h ^ h >> 29;
    }
}

/// Where one ghost differs within a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The ghost.
    pub ghost: u32,
    /// Ones where its bits differ.
    pub words: Words,
}

/// What has become of a ghost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fortune {
    /// Its cycle has not come.
    Waiting,
    /// It is followed.
    Followed,
    /// It became a run of its own.
    Left,
}

/// How a ghost that never left was masked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faded {
    /// Nothing touched its bits.
    Untouched,
    /// Its bits were overwritten, unseen.
    Overwritten,
    /// Its values were used; nothing that the host saw depended on them.
    Followed,
}

impl Faded {
    /// Its name in the store.
    pub fn name(self) -> &'static str {
        match self {
            Faded::Untouched => "untouched",
            Faded::Overwritten => "overwritten",
            Faded::Followed => "followed",
        }
    }
}

#[derive(Clone, Debug)]
struct Ghost {
    flips: Vec<Site>,
    fortune: Fortune,
    used: bool,
    rows: u32,
    /// Places where it differs or once did.
    places: Vec<Place>,
}

/// A number for each class of places.
#[derive(Clone, Debug)]
struct Counts([u32; CLASSES]);

impl Default for Counts {
    fn default() -> Self {
        Counts([0; CLASSES])
    }
}

/// All ghosts of a run.
#[derive(Clone, Debug, Default)]
pub struct Ghosts {
    rows: HashMap<Place, Vec<Delta>, BuildHasherDefault<PlaceHasher>>,
    /// Rows of each class.
    counts: Counts,
    ghosts: Vec<Ghost>,
    /// Ghosts to come, soonest last.
    to_come: Vec<(u64, u32)>,
    /// Ghosts that must leave now.
    leaving: Vec<u32>,
    flights: u32,
    hiding: Hiding,
    /// This run was one of them, and its host had got other bytes.
    told: Option<Told>,
}

/// What a host carries and in what it differs, by 128 bytes.
pub type Told = Vec<(u64, Words)>;

impl Ghosts {
    /// A ghost whose bits are flipped at a cycle; gives back its number.
    pub fn add(&mut self, cycle: u64, flips: Vec<Site>) -> u32 {
        let id = self.ghosts.len() as u32;
        let fortune = Fortune::Waiting;
        self.ghosts.push(Ghost { flips, fortune, used: false, rows: 0, places: Vec::new() });
        let at = self.to_come.partition_point(|&(c, g)| (c, g) > (cycle, id));
        self.to_come.insert(at, (cycle, id));
        id
    }

    /// Adds many ghosts at once: cycle and bits of each; their numbers are
    /// those of the list.
    pub fn of(list: Vec<(u64, Vec<Site>)>) -> Ghosts {
        let mut this = Ghosts {
            ghosts: Vec::with_capacity(list.len()),
            to_come: Vec::with_capacity(list.len()),
            ..Ghosts::default()
        };
        for (i, (cycle, flips)) in list.into_iter().enumerate() {
            let fortune = Fortune::Waiting;
            this.ghosts.push(Ghost { flips, fortune, used: false, rows: 0, places: Vec::new() });
            this.to_come.push((cycle, i as u32));
        }
        this.to_come.sort_unstable_by(|a, b| b.cmp(a));
        this
    }

    /// The next ghost whose cycle has come, with its bits.
    pub fn next_due(&mut self, now: u64) -> Option<(u32, Vec<Site>)> {
        let &(cycle, id) = self.to_come.last()?;
        if cycle > now {
            return None;
        }
        self.to_come.pop();
        let ghost = self.ghosts.get_mut(id as usize)?;
        ghost.fortune = Fortune::Followed;
        Some((id, std::mem::take(&mut ghost.flips)))
    }

    /// Whether there was never one, or this run has become one of them.
    #[inline]
    pub fn are_none(&self) -> bool {
        self.ghosts.is_empty()
    }

    /// Gives ghosts bits besides that cannot be followed, each in turn.
    pub fn hide(&mut self, bits: impl Iterator<Item = Vec<Hidden>>) {
        self.hiding = Hiding::of_all((0..).zip(bits));
    }

    /// A cycle begins: ghosts whose hidden bits are looked at in it must leave
    /// first. Where one is overwritten, whoever has nothing else to differ in has
    /// lost it, and all others leave: they might do so within the cycle, and nobody
    /// could tell whether it was before or after.
    #[inline]
    pub fn uncover(&mut self, now: u64) {
        while let Some(turn) = self.hiding.next(now) {
            let (ghost, used) = match turn {
                Turn::Used(ghost) => (ghost, true),
                Turn::Overwritten(ghost) => (ghost, false),
            };
            let differs = self.ghosts.get(ghost as usize).is_some_and(|g| g.rows > 0);
            if used || differs {
                self.mark_used(ghost);
                self.leave(ghost);
            }
            self.hiding.pass(!used && !differs);
        }
    }

    /// The bits of a ghost that could not be followed and are still flipped.
    pub fn hidden(&self, ghost: u32) -> Vec<Site> {
        self.hiding.of(ghost)
    }

    /// Whether no row differs and none is about to.
    #[inline]
    pub fn is_calm(&self) -> bool {
        self.rows.is_empty()
    }

    /// What has become of a ghost.
    pub fn fortune(&self, ghost: u32) -> Fortune {
        self.ghosts.get(ghost as usize).map_or(Fortune::Left, |g| g.fortune)
    }

    /// How a ghost that never left was masked.
    pub fn faded(&self, ghost: u32) -> Faded {
        match self.ghosts.get(ghost as usize) {
            Some(g) if g.used => Faded::Followed,
            Some(g) if g.rows == 0 => Faded::Overwritten,
            _ => Faded::Untouched,
        }
    }

    /// Its values were used.
    pub fn mark_used(&mut self, ghost: u32) {
        if let Some(g) = self.ghosts.get_mut(ghost as usize) {
            g.used = true;
        }
    }

    /// Whether a value of it was ever used.
    pub fn was_used(&self, ghost: u32) -> bool {
        self.ghosts.get(ghost as usize).is_some_and(|g| g.used)
    }

    /// Whether a ghost is followed.
    #[inline]
    pub fn is_followed(&self, ghost: u32) -> bool {
        self.ghosts.get(ghost as usize).is_some_and(|g| g.fortune == Fortune::Followed)
    }

    /// The differences in a row.
    #[inline]
    pub fn at(&self, place: Place) -> &[Delta] {
        if self.counts.0[place.class()] == 0 {
            return &[];
        }
        self.rows.get(&place).map_or(&[], Vec::as_slice)
    }

    /// Whether nobody differs in any array of these kinds: many searches at once.
    #[inline]
    pub fn is_calm_in(&self, kinds: &[Kind]) -> bool {
        kinds.iter().all(|kind| self.counts.0[Place::class_of(*kind)] == 0)
    }

    /// Whether nobody differs where an origin is.
    #[inline]
    pub fn is_alike(&self, origin: Origin) -> bool {
        origin.place().is_none_or(|(place, _)| self.at(place).is_empty())
    }

    /// The differences in what begins at an origin.
    pub fn at_origin(&self, origin: Origin) -> Vec<Delta> {
        let Some((place, skip)) = origin.place() else { return Vec::new() };
        let moved = |d: &Delta| Delta { words: shifted(&d.words, skip), ..*d };
        self.at(place).iter().map(moved).collect()
    }

    /// Where a ghost differs in a row.
    pub fn of_ghost(&self, place: Place, ghost: u32) -> Option<&Words> {
        self.at(place).iter().find(|d| d.ghost == ghost).map(|d| &d.words)
    }

    /// Sets where a ghost differs in a row.
    pub fn put(&mut self, place: Place, ghost: u32, words: &Words) {
        let zero = words.iter().all(|w| *w == 0);
        let Some(g) = self.ghosts.get_mut(ghost as usize) else { return };
        if zero && self.counts.0[place.class()] == 0 || g.fortune != Fortune::Followed {
            return;
        }
        let list = match zero {
            true => match self.rows.get_mut(&place) {
                Some(list) => list,
                None => return,
            },
            false => self.rows.entry(place).or_default(),
        };
        match list.iter().position(|d| d.ghost == ghost) {
            Some(i) if zero => {
                list.swap_remove(i);
                g.rows -= 1;
                if list.is_empty() {
                    self.rows.remove(&place);
                    self.counts.0[place.class()] -= 1;
                }
            }
            Some(i) => list[i].words = *words,
            None if zero => {}
            None => {
                if list.is_empty() {
                    self.counts.0[place.class()] += 1;
                }
                list.push(Delta { ghost, words: *words });
                g.rows += 1;
                g.places.push(place);
                if g.rows > MOST_ROWS {
                    self.leave(ghost);
                } else if g.places.len() as u32 > 2 * g.rows + 64 {
                    self.tidy(ghost);
                }
            }
        }
    }

    /// Forgets places where a ghost no longer differs.
    fn tidy(&mut self, ghost: u32) {
        let places = self.places(ghost);
        if let Some(g) = self.ghosts.get_mut(ghost as usize) {
            g.places = places;
        }
    }

    /// The places where a ghost differs, each once.
    pub fn places(&self, ghost: u32) -> Vec<Place> {
        let Some(g) = self.ghosts.get(ghost as usize) else { return Vec::new() };
        let mut places = g.places.clone();
        places.sort_unstable();
        places.dedup();
        places.retain(|p| self.of_ghost(*p, ghost).is_some());
        places
    }

    /// Sets the bits of `mask` of where a ghost differs in a row.
    pub fn merge(&mut self, place: Place, ghost: u32, mask: &Words, words: &Words) {
        let mut new = self.of_ghost(place, ghost).copied().unwrap_or([0; WORDS]);
        for ((n, m), w) in new.iter_mut().zip(mask).zip(words) {
            *n = *n & !m | w & m;
        }
        self.put(place, ghost, &new);
    }

    /// Bits of a row were written alike by all.
    pub fn clear(&mut self, place: Place, mask: &Words) {
        if self.at(place).is_empty() {
            return;
        }
        let Some(list) = self.rows.get_mut(&place) else { return };
        let ghosts = &mut self.ghosts;
        list.retain_mut(|d| {
            d.words.iter_mut().zip(mask).for_each(|(w, m)| *w &= !m);
            let stays = d.words.iter().any(|w| *w != 0);
            if !stays {
                ghosts[d.ghost as usize].rows -= 1;
            }
            stays
        });
        if list.is_empty() {
            self.rows.remove(&place);
            self.counts.0[place.class()] -= 1;
        }
    }

    /// Lanes of a row were written alike by all.
    #[inline]
    pub fn clear_lanes(&mut self, place: Place, lanes: u32) {
        if !self.at(place).is_empty() {
            self.clear(place, &std::array::from_fn(|l| 0u32.wrapping_sub(lanes >> l & 1)));
        }
    }

    /// A row is no more.
    pub fn drop_row(&mut self, place: Place) {
        if !self.at(place).is_empty() {
            self.clear(place, &[!0; WORDS]);
        }
    }

    /// Bytes were copied into a row.
    pub fn copy(&mut self, origin: Origin, to: Place, bytes: u128) {
        if self.is_calm() {
            return;
        }
        let mask = byte_mask(bytes);
        self.clear(to, &mask);
        for Delta { ghost, words } in self.at_origin(origin) {
            if words.iter().zip(&mask).any(|(w, m)| w & m != 0) {
                self.mark_used(ghost);
                self.merge(to, ghost, &mask, &words);
            }
        }
    }

    /// A number for bytes on their way.
    pub fn take_flight(&mut self) -> u32 {
        self.flights = self.flights.wrapping_add(1).max(1);
        self.flights
    }

    /// A ghost must leave before anything else happens.
    pub fn leave(&mut self, ghost: u32) {
        if self.is_followed(ghost) && !self.leaving.contains(&ghost) {
            self.leaving.push(ghost);
        }
    }

    /// Whether a ghost must leave.
    #[inline]
    pub fn wants_out(&self) -> bool {
        !self.leaving.is_empty()
    }

    /// The next ghost that must leave.
    pub fn next_leaving(&mut self) -> Option<u32> {
        self.leaving.pop()
    }

    /// A ghost is followed no longer.
    pub fn forget(&mut self, ghost: u32) {
        let places = self.places(ghost);
        for place in places {
            self.put(place, ghost, &[0; WORDS]);
        }
        if let Some(g) = self.ghosts.get_mut(ghost as usize) {
            g.fortune = Fortune::Left;
            g.places = Vec::new();
        }
        self.leaving.retain(|g| *g != ghost);
    }

    /// This run becomes a ghost, and all others are forgotten: what its host had
    /// got otherwise stays, for whoever knows the host's bytes.
    pub fn become_one(&mut self, ghost: u32) {
        let told: Told = self
            .places(ghost)
            .into_iter()
            .filter_map(|place| {
                let Space::Host { line } = place.space() else { return None };
                self.of_ghost(place, ghost).map(|words| (line, *words))
            })
            .collect();
        self.clear_all();
        self.told = (!told.is_empty()).then_some(told);
    }

    /// Whether the host of this run has got other bytes than the fault-free one.
    pub fn was_told_otherwise(&self) -> bool {
        self.told.is_some()
    }

    /// In what the host's bytes differ; empty once it was asked.
    pub fn take_told(&mut self) -> Told {
        self.told.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The ghosts that differ in bytes which the host carries.
    pub fn in_host(&self, at: u64, len: u64) -> Vec<u32> {
        let mut who = Vec::new();
        let mut line = at & !(LINE - 1);
        while self.counts.0[Place::host(0).class()] != 0 && line < at.saturating_add(len) {
            let (from, to) = (at.max(line) - line, (at + len - line).min(LINE));
            let bytes = !0 >> (128 - to) & !0 << from;
            let mask = byte_mask(bytes);
            let differs = |d: &&Delta| d.words.iter().zip(&mask).any(|(w, m)| w & m != 0);
            who.extend(self.at(Place::host(line)).iter().filter(differs).map(|d| d.ghost));
            line += LINE;
        }
        who.sort_unstable();
        who.dedup();
        who
    }

    /// In what a ghost differs in bytes which the host carries.
    pub fn of_host(&self, ghost: u32, at: u64, len: usize) -> Vec<u8> {
        let mut differences = vec![0; len];
        let mut line = at & !(LINE - 1);
        while line < at + len as u64 {
            if let Some(words) = self.of_ghost(Place::host(line), ghost) {
                let mut bytes = [0; LINE as usize];
                apply_words(words, &mut bytes);
                let from = at.max(line);
                let to = &mut differences[(from - at) as usize..];
                to.iter_mut().zip(&bytes[(from - line) as usize..]).for_each(|(d, b)| *d = *b);
            }
            line += LINE;
        }
        differences
    }

    /// The host of a ghost has worked out other bytes, which it carries from `at` on,
    /// the beginning of a line.
    pub fn put_in_host(&mut self, ghost: u32, at: u64, differences: &[u8]) {
        let lines = differences.chunks(LINE as usize);
        for (line, bytes) in (at..).step_by(LINE as usize).zip(lines) {
            let mut words = [0; WORDS];
            for (word, bytes) in words.iter_mut().zip(bytes.chunks(4)) {
                *word = bytes.iter().rev().fold(0, |all, b| all << 8 | u32::from(*b));
            }
            self.put(Place::host(line), ghost, &words);
        }
    }

    /// The ghosts that differ in anything which the host has got.
    pub fn told_otherwise(&self) -> Vec<u32> {
        let of_host = |place: &Place| matches!(place.space(), Space::Host { .. });
        let rows = self.rows.iter().filter(|(place, _)| of_host(place));
        let mut who: Vec<u32> = rows.flat_map(|(_, list)| list.iter().map(|d| d.ghost)).collect();
        who.sort_unstable();
        who.dedup();
        who
    }

    /// Forgets all ghosts: this run has become one of them. Their memory is
    /// left as it is: in a forked process, giving it back would copy it first.
    pub fn clear_all(&mut self) {
        std::mem::forget(std::mem::take(self));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArrayId, Kind};

    #[test]
    fn differences_move_with_bytes_and_end_when_overwritten() {
        let mut g = Ghosts::default();
        let id = g.add(5, Vec::new());
        assert!(g.next_due(4).is_none());
        assert_eq!(g.next_due(5).unwrap().0, id);
        let line = ArrayId::data(Kind::Cache(0), 0);
        let (a, b) = (Place::memory(0), Place::of_row(line, 7));
        let mut words = [0; WORDS];
        (words[3], words[9]) = (0xff00, 1);
        g.put(a, id, &words);
        // Words 2.. of the source, but only bytes of the second word.
        g.copy(Origin::at(a, 2), b, 0xf0);
        assert_eq!(g.of_ghost(b, id).unwrap()[1], 0xff00);
        assert_eq!(
            g.places(id),
            [b, a]
                .into_iter()
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect::<Vec<_>>()
        );
        g.copy(Origin::ALIKE, b, 0x20);
        assert!(g.of_ghost(b, id).is_none());
        assert_eq!(g.faded(id), Faded::Followed);
        g.clear(a, &[!0; WORDS]);
        assert!(g.is_calm());
    }
}
