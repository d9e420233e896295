//! Rows of words with verbs: an access does everything it entails in one place.
//!
//! Outside of here a row can be looked at, but changed only by a verb (which
//! keeps stuck bits stuck, tells who watches and moves ghosts' differences) or
//! bit by bit, as a fault would.

use crate::ghosts::Ghosts;
use crate::place::Place;
use crate::words::Words;
use crate::{Access, ArrayId, Event, Extent, Kind, Origin, Probe, Stored};

/// A row of an array.
pub trait Row: Copy + Default {
    /// Its bits, for arrays of a kind.
    fn bits(kind: Kind) -> u32;
    /// Takes the bits or lanes of `mask` over from a value.
    fn merge(&mut self, mask: u32, value: &Self);
    /// Gives broken bits their value; what was stored begins with the row.
    fn hold<P: Probe>(&mut self, of: Stored, p: &mut P);
    /// Ghosts have the same in the bits or lanes of `mask`; the row starts at a
    /// word of the place.
    fn agree(g: &mut Ghosts, place: Place, word: u32, mask: u32);
    /// The bits or lanes of `mask`, to who watches.
    fn extent(kind: Kind, mask: u32) -> Extent;
    /// A bit.
    fn get(&self, kind: Kind, bit: u32) -> bool;
    /// Sets a bit.
    fn set(&mut self, kind: Kind, bit: u32, value: bool);
}

fn one_word(word: u32, bits: u32) -> Words {
    let mut words = [0; crate::words::WORDS];
    words[word as usize % words.len()] = bits;
    words
}

/// A word per lane; masks are of lanes.
impl Row for [u32; 32] {
    fn bits(_: Kind) -> u32 {
        32 * 32
    }

    #[inline]
    fn merge(&mut self, mask: u32, value: &Self) {
        if mask == !0 {
            *self = *value;
        } else {
            // A choice rather than a jump per lane: it vectorises.
            for (l, (to, from)) in self.iter_mut().zip(value).enumerate() {
                *to = if mask >> l & 1 == 1 { *from } else { *to };
            }
        }
    }

    fn hold<P: Probe>(&mut self, of: Stored, p: &mut P) {
        p.hold_words(of, self);
    }

    #[inline]
    fn agree(g: &mut Ghosts, place: Place, _: u32, mask: u32) {
        g.clear_lanes(place, mask);
    }

    fn extent(_: Kind, mask: u32) -> Extent {
        Extent::Lanes(mask)
    }

    fn get(&self, _: Kind, bit: u32) -> bool {
        self[bit as usize / 32 % 32] >> (bit % 32) & 1 == 1
    }

    fn set(&mut self, _: Kind, bit: u32, value: bool) {
        let word = &mut self[bit as usize / 32 % 32];
        *word = *word & !(1 << (bit % 32)) | u32::from(value) << (bit % 32);
    }
}

/// One word: a bit per lane (masks are of lanes), a number, or one bit that
/// all lanes have.
impl Row for u32 {
    #[inline]
    fn bits(kind: Kind) -> u32 {
        kind.about().granules.map_or(32, |g| g.count * g.bits)
    }

    #[inline]
    fn merge(&mut self, mask: u32, value: &Self) {
        *self = *self & !mask | value & mask;
    }

    fn hold<P: Probe>(&mut self, of: Stored, p: &mut P) {
        p.hold_words(of, std::slice::from_mut(self));
        if u32::bits(of.array.kind) == 1 {
            *self = 0u32.wrapping_sub(*self & 1);
        }
    }

    #[inline]
    fn agree(g: &mut Ghosts, place: Place, word: u32, mask: u32) {
        if !g.at(place).is_empty() {
            g.clear(place, &one_word(word, mask));
        }
    }

    fn extent(kind: Kind, mask: u32) -> Extent {
        match kind.about().lane_bits() {
            Some(_) => Extent::Lanes(mask),
            None => Extent::Row,
        }
    }

    fn get(&self, _: Kind, bit: u32) -> bool {
        self >> (bit % 32) & 1 == 1
    }

    fn set(&mut self, kind: Kind, bit: u32, value: bool) {
        *self = match u32::bits(kind) {
            1 => 0u32.wrapping_sub(u32::from(value)),
            _ => *self & !(1 << (bit % 32)) | u32::from(value) << (bit % 32),
        };
    }
}

/// An instruction; it is taken whole.
impl Row for u128 {
    fn bits(_: Kind) -> u32 {
        128
    }

    #[inline]
    fn merge(&mut self, _: u32, value: &Self) {
        *self = *value;
    }

    fn hold<P: Probe>(&mut self, of: Stored, p: &mut P) {
        let mut bytes = self.to_le_bytes();
        p.hold_bytes(of, &mut bytes);
        *self = u128::from_le_bytes(bytes);
    }

    fn agree(g: &mut Ghosts, place: Place, _: u32, _: u32) {
        g.drop_row(place);
    }

    fn extent(_: Kind, _: u32) -> Extent {
        Extent::Row
    }

    fn get(&self, _: Kind, bit: u32) -> bool {
        self >> (bit % 128) & 1 == 1
    }

    fn set(&mut self, _: Kind, bit: u32, value: bool) {
        *self = *self & !(1 << (bit % 128)) | u128::from(value) << (bit % 128);
    }
}

/// Rows of an array: all of them, or those that one user has beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array<R, S = Vec<R>> {
    id: ArrayId,
    /// Number of its first row, as the array counts them.
    first: u32,
    /// Rows that are stored; whatever lies behind them always reads the same.
    count: u32,
    rows: S,
    row: std::marker::PhantomData<R>,
}

impl<R: Row> Array<R> {
    /// All rows of an array, zero.
    pub fn new(id: ArrayId, count: u32) -> Array<R> {
        Array::part(id, 0, count, vec![R::default(); count as usize])
    }
}

impl<R: Row, S: AsRef<[R]> + AsMut<[R]>> Array<R, S> {
    /// So many rows from row `first` of an array on. What `rows` has beyond
    /// them are constants.
    pub fn part(id: ArrayId, first: u32, count: u32, rows: S) -> Array<R, S> {
        Array { id, first, count, rows, row: std::marker::PhantomData }
    }

    /// Which array.
    pub fn id(&self) -> ArrayId {
        self.id
    }

    /// The rows as they are, for reads that are told in another way
    /// ([`Array::tell_read`]) and for those that nobody hears of.
    #[inline]
    pub fn rows(&self) -> &S {
        &self.rows
    }

    /// How many rows are stored.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Where ghosts know a row, and the word of it that the row begins with.
    #[inline]
    pub fn place(&self, row: u32) -> (Place, u32) {
        let row = self.first + row;
        (Place::of_row(self.id, row), row % self.id.kind.about().ghost_rows)
    }

    fn tell<P: Probe>(&self, now: u64, row: u32, access: Access, extent: Extent, p: &mut P) {
        p.event(Event::new(now, self.id, self.first + row, access, extent));
    }

    /// Bits or lanes of a row are read.
    #[inline]
    pub fn tell_read<P: Probe>(&self, now: u64, row: u32, mask: u32, p: &mut P) {
        if P::ACTIVE {
            self.tell(now, row, Access::Read, R::extent(self.id.kind, mask), p);
        }
    }

    /// Rows were given to somebody; they keep what is in them.
    pub fn tell_taken<P: Probe>(&self, now: u64, rows: std::ops::Range<u32>, p: &mut P) {
        if P::ACTIVE {
            rows.for_each(|row| self.tell(now, row, Access::Allocate, Extent::Row, p));
        }
    }

    /// Rows were given back.
    pub fn tell_free<P: Probe>(&self, now: u64, rows: std::ops::Range<u32>, p: &mut P) {
        if P::ACTIVE {
            rows.for_each(|row| self.tell(now, row, Access::Release, Extent::Row, p));
        }
    }

    /// Stores what was computed in the bits or lanes of `mask`: all ghosts
    /// whose result is another say so afterwards. Rows that are not stored
    /// stay as they are.
    #[inline]
    pub fn write<P: Probe>(&mut self, now: u64, row: u32, mask: u32, value: &R, p: &mut P) {
        if row >= self.count {
            return;
        }
        let Some(to) = self.rows.as_mut().get_mut(row as usize) else { return };
        to.merge(mask, value);
        if P::GHOSTS
            && let Some(g) = p.ghosts()
        {
            let (place, word) = self.place(row);
            R::agree(g, place, word, mask);
        }
        if P::ACTIVE {
            self.stored(now, row, R::extent(self.id.kind, mask), p);
        }
    }

    /// Stores a whole row that was copied from elsewhere.
    pub fn copy_from<P: Probe>(
        &mut self,
        now: u64,
        row: u32,
        value: &R,
        origin: Origin,
        p: &mut P,
    ) {
        let Some(to) = self.rows.as_mut().get_mut(row as usize) else { return };
        *to = *value;
        if P::GHOSTS
            && let Some(g) = p.ghosts()
        {
            let bytes = R::bits(self.id.kind) / 8;
            g.copy(origin, self.place(row).0, (1u128 << bytes) - 1);
        }
        if P::ACTIVE {
            self.stored(now, row, Extent::Row, p);
        }
    }

    /// All rows are zero from now on.
    pub fn reset<P: Probe>(&mut self, now: u64, p: &mut P) {
        let count = (self.count as usize).min(self.rows.as_ref().len());
        self.rows.as_mut()[..count].fill(R::default());
        if P::GHOSTS
            && let Some(g) = p.ghosts().filter(|g| !g.is_calm())
        {
            for row in 0..self.count {
                let (place, word) = self.place(row);
                R::agree(g, place, word, !0);
            }
        }
        if P::ACTIVE {
            (0..self.count).for_each(|row| self.stored(now, row, Extent::Row, p));
        }
    }

    /// A row has a new value: stuck bits get theirs back, and it is told.
    fn stored<P: Probe>(&mut self, now: u64, row: u32, extent: Extent, p: &mut P) {
        let first = u64::from(self.first + row) * u64::from(R::bits(self.id.kind));
        let of = Stored { array: self.id, first, now, extent };
        if let Some(to) = self.rows.as_mut().get_mut(row as usize) {
            to.hold(of, p);
        }
        self.tell(now, row, Access::Write, extent, p);
    }

    /// A bit of a row; false where there is none.
    pub fn get(&self, row: u32, bit: u32) -> bool {
        let row = self.rows.as_ref().get(row as usize).filter(|_| row < self.count);
        row.is_some_and(|row| row.get(self.id.kind, bit))
    }

    /// Changes a bit of a row, as a fault does.
    pub fn set(&mut self, row: u32, bit: u32, value: bool) {
        let (kind, there) = (self.id.kind, row < self.count);
        if let Some(row) = self.rows.as_mut().get_mut(row as usize).filter(|_| there) {
            row.set(kind, bit, value);
        }
    }
}

impl<R: Row, S: AsRef<[R]> + AsMut<[R]>> crate::Bits for Array<R, S> {
    fn len(&self) -> u64 {
        u64::from(self.count) * u64::from(R::bits(self.id.kind))
    }
    fn get(&self, bit: u64) -> bool {
        let bits = u64::from(R::bits(self.id.kind));
        bit < self.len() && Array::get(self, (bit / bits) as u32, (bit % bits) as u32)
    }
    fn set(&mut self, bit: u64, value: bool) {
        let bits = u64::from(R::bits(self.id.kind));
        if bit < self.len() {
            Array::set(self, (bit / bits) as u32, (bit % bits) as u32, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bits, Force, Haunted, Quiet, Quirk, Watch};
    use std::sync::{Arc, Mutex};

    const FILE: ArrayId = ArrayId::data(Kind::Rf, 5);

    /// A ghost that differs in a bit of an array.
    fn ghost(array: ArrayId, row_bits: u64, bit: u64) -> (Haunted, u32, Place) {
        let mut p = Haunted::default();
        let id = p.ghosts.add(0, Vec::new());
        p.ghosts.next_due(0).expect("due");
        let (place, words) = Place::of_bit(array, row_bits, bit);
        p.ghosts.put(place, id, &words);
        (p, id, place)
    }

    #[test]
    fn a_write_takes_its_lanes_and_no_others() {
        let mut rf = Array::<[u32; 32]>::new(FILE, 4);
        rf.write(0, 2, 0b101, &[7; 32], &mut Quiet);
        assert_eq!(rf.rows()[2][..4], [7, 0, 7, 0]);
        rf.write(0, 2, !0, &[9; 32], &mut Quiet);
        assert_eq!(rf.rows()[2], [9; 32]);
        rf.write(0, 4, !0, &[9; 32], &mut Quiet);
        assert_eq!(rf.rows()[3], [0; 32]);
    }

    #[test]
    fn a_write_keeps_stuck_bits_and_is_told() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let list = told.clone();
        let mut p = Watch::observe(move |e| list.lock().unwrap().push(*e));
        p.held.hold(Force { array: FILE, bit: 1024 + 32 + 3, value: true });
        let mut rf = Array::<[u32; 32]>::new(FILE, 4);
        rf.write(8, 1, 0b10, &[0; 32], &mut p);
        assert_eq!(rf.rows()[1][1], 8);
        rf.tell_read(9, 1, 0b11, &mut p);
        let told = told.lock().unwrap();
        assert_eq!(
            *told,
            [
                Event::new(8, FILE, 1, Access::Write, Extent::Lanes(0b10)),
                Event::new(9, FILE, 1, Access::Read, Extent::Lanes(0b11)),
            ]
        );
    }

    #[test]
    fn a_write_into_broken_bits_is_wrong_where_it_goes() {
        let mut p = Watch::default();
        let how = "invert".parse().unwrap();
        for lane in 0..3 {
            p.begin(Quirk { array: FILE, bit: 1024 + lane * 32, how });
        }
        let mut rf = Array::<[u32; 32]>::new(FILE, 4);
        rf.write(8, 1, 0b10, &[6; 32], &mut p);
        assert_eq!(rf.rows()[1][..4], [0, 7, 0, 0]);
        rf.write(9, 1, 0b110, &[7; 32], &mut p);
        assert_eq!(rf.rows()[1][..4], [0, 6, 6, 0]);
        // Of predicates a lane is a bit.
        let id = ArrayId::data(Kind::Pred, 0);
        p.begin(Quirk { array: id, bit: 32 + 4, how });
        let mut preds = Array::<u32>::new(id, 4);
        preds.write(0, 1, 1 << 3, &!0, &mut p);
        assert_eq!(preds.rows()[1], 1 << 3);
        preds.write(0, 1, 1 << 4, &0, &mut p);
        assert_eq!(preds.rows()[1], 3 << 3);
    }

    #[test]
    fn ghosts_agree_in_what_is_written_and_only_there() {
        let (mut p, id, place) = ghost(FILE, 1024, 3 * 1024 + 5 * 32 + 1);
        let mut rf = Array::<[u32; 32]>::new(FILE, 4);
        rf.write(0, 3, !(1 << 5), &[1; 32], &mut p);
        assert_eq!(p.ghosts.of_ghost(place, id).map(|w| w[5]), Some(2));
        rf.write(0, 3, 1 << 5, &[1; 32], &mut p);
        assert!(p.ghosts.is_calm());
    }

    #[test]
    fn words_that_ghosts_know_together_are_told_apart() {
        let id = ArrayId::data(Kind::Ureg, 1);
        // Row 70 is word 6 of its place.
        let (mut p, g, place) = ghost(id, 32, 70 * 32 + 9);
        let mut part = Array::part(id, 63, 63, [0u32; 64]);
        assert_eq!(part.place(7), (place, 6));
        part.write(0, 8, !0, &5, &mut p);
        assert!(p.ghosts.of_ghost(place, g).is_some());
        part.reset(0, &mut p);
        assert!(p.ghosts.is_calm());
    }

    #[test]
    fn what_lies_behind_the_rows_is_constant() {
        let id = ArrayId::data(Kind::Pred, 0);
        let mut preds = Array::part(id, 7, 7, [0u32, 0, 0, 0, 0, 0, 0, !0]);
        preds.write(0, 7, !0, &0, &mut Quiet);
        preds.set(7, 0, false);
        preds.reset(0, &mut Quiet);
        assert_eq!(preds.rows()[7], !0);
        assert!(!preds.get(7, 0));
    }

    #[test]
    fn one_bit_for_all_lanes_is_one_bit() {
        let id = ArrayId::data(Kind::Upred, 0);
        let mut p = Watch::default();
        p.held.hold(Force { array: id, bit: 7 + 2, value: true });
        let mut upreds = Array::part(id, 7, 7, [0u32; 8]);
        upreds.write(0, 2, !0, &0, &mut p);
        assert_eq!(upreds.rows()[2], !0);
        upreds.set(3, 0, true);
        assert_eq!((upreds.rows()[3], upreds.get(3, 0)), (!0, true));
        let (mut p, _, place) = ghost(id, 1, 7 + 4);
        assert_eq!(upreds.place(4).0, place);
        upreds.write(0, 4, !0, &!0, &mut p);
        assert!(p.ghosts.is_calm());
    }

    #[test]
    fn a_copy_brings_differences_with_it() {
        let line = ArrayId::data(Kind::Cache(3), 0);
        // Bit 5 of word 6 of a line, and instructions of four words.
        let (mut p, g, _) = ghost(line, 1024, 6 * 32 + 5);
        let mut ibuf = Array::<u128>::new(ArrayId::data(Kind::Ibuf, 0), 4);
        let from = Place::of_row(line, 0);
        ibuf.copy_from(0, 1, &77, Origin::at(from, 4), &mut p);
        assert_eq!(ibuf.rows()[1], 77);
        let words = p.ghosts.of_ghost(ibuf.place(1).0, g).expect("it came along");
        assert_eq!((words[2], words.iter().filter(|w| **w != 0).count()), (1 << 5, 1));
        ibuf.copy_from(0, 1, &77, Origin::at(from, 8), &mut p);
        assert!(p.ghosts.of_ghost(ibuf.place(1).0, g).is_none());
    }

    #[test]
    fn every_bit_can_be_changed_alone() {
        let mut rf = Array::<[u32; 32]>::new(FILE, 2);
        assert_eq!(rf.len(), 2048);
        rf.flip(1024 + 33);
        assert_eq!(rf.rows()[1][1], 2);
        let mut ibuf = Array::<u128>::new(ArrayId::data(Kind::Ibuf, 0), 4);
        ibuf.flip(128 + 100);
        assert_eq!(ibuf.rows()[1], 1 << 100);
        ibuf.flip(512);
        assert!(!Bits::get(&ibuf, 512));
    }
}
