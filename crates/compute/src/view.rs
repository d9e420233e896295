//! A warp's storage as the semantics see it.

use upset_isa::convergence::Convergence;
use upset_isa::trap::TrapKind;
use upset_isa::warp::{Destinations, Operands, write_pred, write_row};
use upset_isa::{Lanes, Mask, RZ, URZ, WARP};
use upset_state::{Access, ArrayId, Event, Extent, Kind, Place, Probe};

use crate::cells::{UNIFORM_ROWS, pred_row};
use crate::code::CONSTS;
use crate::subcore::SubCore;
use crate::warp::Warp;

static ZERO: Lanes = [0; WARP];

/// Added to the number of a uniform register, the "bank" of the constants that
/// it describes: a constant is known by its name, whatever the register holds
/// when it is used.
const DESCRIBED: u8 = 0x80;

/// The bank under which bindless constants through a uniform pair are kept.
pub(crate) fn described(ureg: u8) -> u8 {
    DESCRIBED | ureg
}

/// Constant words an instruction names, read from the constant cache at issue.
#[derive(Clone, Copy, Debug, Default)]
pub struct Constants {
    words: [(u8, i64, u32); CONSTS],
    count: usize,
}

impl Constants {
    /// Adds a word.
    pub fn push(&mut self, bank: u8, offset: i64, word: u32) {
        if let Some(slot) = self.words.get_mut(self.count) {
            *slot = (bank, offset, word);
            self.count += 1;
        }
    }
}

impl Constants {
    /// Bank, offset and value of each.
    pub fn words(&self) -> &[(u8, i64, u32)] {
        &self.words[..self.count]
    }

    /// Words held.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Changes bits of a word, by its number.
    pub fn change(&mut self, number: u8, xor: u32) {
        if let Some(word) = self.words[..self.count].get_mut(usize::from(number)) {
            word.2 ^= xor;
        }
    }

    /// The number of a word.
    pub fn number(&self, bank: u8, offset: i64) -> Option<u8> {
        let at = self.words[..self.count].iter().position(|(b, o, _)| *b == bank && *o == offset);
        at.map(|n| n as u8)
    }

    /// A word fetched before.
    pub fn word(&self, bank: u8, offset: i64) -> Result<u32, TrapKind> {
        self.words[..self.count]
            .iter()
            .find(|(b, o, _)| *b == bank && *o == offset)
            .map(|&(_, _, word)| word)
            .ok_or(TrapKind::InvalidConstant { bank, offset })
    }
}

/// Operands of one warp.
pub struct View<'a> {
    /// Its register rows.
    pub rows: &'a [Lanes],
    /// Predicates.
    pub preds: &'a [Mask; 8],
    /// Uniform predicates.
    pub upreds: &'a [Mask; 8],
    /// Uniform registers.
    pub uregs: &'a [u32; 64],
    /// Constants fetched for this instruction.
    pub constants: Constants,
}

impl<'a> View<'a> {
    /// What the warp in a slot sees.
    #[inline]
    pub(crate) fn of(
        subs: &'a [SubCore],
        warp: &'a Warp,
        slot: u32,
        constants: Constants,
    ) -> View<'a> {
        let Warp { preds, upreds, uregs, first_row, rows, .. } = warp;
        let rows = rows_of(subs, slot, *first_row, *rows);
        View { rows, preds, upreds, uregs, constants }
    }

    /// The same beside what its threads do next, which an instruction may change.
    #[inline]
    pub(crate) fn and_flow(
        subs: &'a [SubCore],
        warp: &'a mut Warp,
        slot: u32,
        constants: Constants,
    ) -> (View<'a>, &'a mut Convergence) {
        let Warp { flow, preds, upreds, uregs, first_row, rows, .. } = warp;
        let rows = rows_of(subs, slot, *first_row, *rows);
        (View { rows, preds, upreds, uregs, constants }, flow)
    }
}

/// Register rows of the warp in a slot.
#[inline]
fn rows_of(subs: &[SubCore], slot: u32, first: u32, rows: u32) -> &[Lanes] {
    let first = first as usize;
    let sub = &subs[slot as usize % subs.len()];
    sub.rf.get(first..first + rows as usize).unwrap_or_default()
}

impl Operands for View<'_> {
    #[inline]
    fn row(&self, r: u8) -> &Lanes {
        if r == RZ {
            return &ZERO;
        }
        self.rows.get(usize::from(r)).unwrap_or(&ZERO)
    }
    #[inline]
    fn preds(&self) -> &[Mask; 8] {
        self.preds
    }
    #[inline]
    fn upreds(&self) -> &[Mask; 8] {
        self.upreds
    }
    #[inline]
    fn ureg(&self, r: u8) -> u32 {
        if r >= URZ { 0 } else { self.uregs[usize::from(r)] }
    }
    #[inline]
    fn constant(&self, bank: u8, offset: i64) -> Result<u32, TrapKind> {
        self.constants.word(bank, offset)
    }
    #[inline]
    fn bindless(&self, ureg: u8, offset: i64) -> Result<u32, TrapKind> {
        self.constants.word(described(ureg), offset)
    }
}

/// Where one warp's results go.
pub struct Target<'a, P> {
    /// Its register rows.
    pub rows: &'a mut [Lanes],
    /// Number of the first of them in the sub-core's file.
    pub first_row: u32,
    /// Its predicates.
    pub preds: &'a mut [Mask; 8],
    /// Its uniform predicates.
    pub upreds: &'a mut [Mask; 8],
    /// Its uniform registers.
    pub uregs: &'a mut [u32; 64],
    /// The register file.
    pub file: u32,
    /// The SM.
    pub sm: u32,
    /// Warp slot.
    pub slot: u32,
    /// When.
    pub cycle: u64,
    /// Who is told.
    pub probe: &'a mut P,
}

impl<P: Probe> Target<'_, P> {
    /// All ghosts have the same in these words now.
    fn agree(&mut self, place: Place, words: u32) {
        if let Some(g) = self.probe.ghosts() {
            g.clear_lanes(place, words);
        }
    }

    fn tell(&mut self, kind: Kind, instance: u32, row: u32, extent: Extent) {
        let array = ArrayId::data(kind, instance);
        self.probe.event(Event::new(self.cycle, array, row, Access::Write, extent));
    }
}

impl<P: Probe> Destinations for Target<'_, P> {
    #[inline]
    fn write_row(&mut self, r: u8, mask: Mask, value: &Lanes) {
        let Some(row) = self.rows.get_mut(usize::from(r)) else { return };
        write_row(row, mask, value);
        if P::GHOSTS
            && let Some(g) = self.probe.ghosts()
        {
            g.clear_lanes(Place::rf(self.file, self.first_row + u32::from(r)), mask);
        }
        if P::ACTIVE {
            let at = self.first_row + u32::from(r);
            let array = ArrayId::data(Kind::Rf, self.file);
            self.probe.hold_words(array, u64::from(at) * 1024, &mut row[..]);
            self.tell(Kind::Rf, self.file, at, Extent::Lanes(mask));
        }
    }

    fn write_ureg(&mut self, r: u8, value: u32) {
        self.uregs[usize::from(r)] = value;
        if P::GHOSTS {
            let place = Place::ureg(self.sm, self.slot, u32::from(r));
            self.agree(place, 1 << (r % 32));
        }
        if P::ACTIVE {
            let at = self.slot * UNIFORM_ROWS + u32::from(r);
            let array = ArrayId::data(Kind::Ureg, self.sm);
            let word = std::slice::from_mut(&mut self.uregs[usize::from(r)]);
            self.probe.hold_words(array, u64::from(at) * 32, word);
            self.tell(Kind::Ureg, self.sm, at, Extent::Row);
        }
    }

    #[inline]
    fn write_pred(&mut self, p: u8, mask: Mask, value: Mask) {
        write_pred(&mut self.preds[usize::from(p)], mask, value);
        if P::GHOSTS
            && let Some(g) = self.probe.ghosts()
        {
            let mut bits = [0; 32];
            bits[0] = mask;
            g.clear(Place::pred(self.sm, pred_row(self.slot, u32::from(p))), &bits);
        }
        if P::ACTIVE {
            let at = pred_row(self.slot, u32::from(p));
            let array = ArrayId::data(Kind::Pred, self.sm);
            let word = std::slice::from_mut(&mut self.preds[usize::from(p)]);
            self.probe.hold_words(array, u64::from(at) * 32, word);
            self.tell(Kind::Pred, self.sm, at, Extent::Lanes(mask));
        }
    }

    fn write_upred(&mut self, p: u8, value: Mask) {
        self.upreds[usize::from(p)] = value;
        if P::GHOSTS {
            self.agree(Place::upred(self.sm, pred_row(self.slot, u32::from(p))), 1);
        }
        if P::ACTIVE {
            // One bit in the array, a mask here.
            let at = pred_row(self.slot, u32::from(p));
            let array = ArrayId::data(Kind::Upred, self.sm);
            let mut bit = [value & 1];
            self.probe.hold_words(array, u64::from(at), &mut bit);
            self.upreds[usize::from(p)] = if bit[0] & 1 == 1 { Mask::MAX } else { 0 };
            self.tell(Kind::Upred, self.sm, at, Extent::Row);
        }
    }
}
