//! A warp's storage as the semantics see it.

use upset_isa::control::barriers::Convergence;
use upset_isa::trap::TrapKind;
use upset_isa::warp::{Destinations, Operands};
use upset_isa::{Codes, Lanes, Mask, RZ, URZ, WARP};
use upset_state::Probe;

use crate::code::CONSTS;
use crate::regfile::{RegisterFile, Rows};
use crate::warp::{Home, Warp};

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
/// It is copied with every instruction: offsets of banks fit into so few bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Constants {
    words: [(i32, u32); CONSTS],
    banks: [u8; CONSTS],
    count: u8,
}

impl Constants {
    /// None.
    pub const NONE: Constants = Constants { words: [(0, 0); CONSTS], banks: [0; CONSTS], count: 0 };

    /// Adds a word.
    #[inline]
    pub fn push(&mut self, bank: u8, offset: i32, word: u32) {
        let at = usize::from(self.count);
        if let (Some(slot), Some(of)) = (self.words.get_mut(at), self.banks.get_mut(at)) {
            (*slot, *of) = ((offset, word), bank);
            self.count += 1;
        }
    }

    #[inline]
    fn each(&self) -> impl Iterator<Item = (u8, i64, u32)> {
        let words = self.words.iter().zip(&self.banks).take(self.count.into());
        words.map(|(&(offset, word), &bank)| (bank, offset.into(), word))
    }

    /// Bank, offset and value of each.
    pub fn words(&self) -> Vec<(u8, i64, u32)> {
        self.each().collect()
    }

    /// Words held.
    pub fn count(&self) -> usize {
        self.count.into()
    }

    /// Changes bits of a word, by its number.
    pub fn change(&mut self, number: u8, xor: u32) {
        if let Some(word) = self.words[..self.count.into()].get_mut(usize::from(number)) {
            word.1 ^= xor;
        }
    }

    /// The number of a word.
    pub fn number(&self, bank: u8, offset: i64) -> Option<u8> {
        self.each().position(|(b, o, _)| b == bank && o == offset).map(|n| n as u8)
    }

    /// A word fetched before.
    #[inline(never)]
    pub fn word(&self, bank: u8, offset: i64) -> Result<u32, TrapKind> {
        self.each()
            .find(|(b, o, _)| *b == bank && *o == offset)
            .map(|(_, _, word)| word)
            .ok_or(TrapKind::InvalidConstant { bank, offset })
    }
}

/// Operands of one warp.
pub struct View<'a> {
    /// Its register rows.
    pub rows: &'a [Lanes],
    /// Predicates.
    pub preds: &'a [Mask; 8],
    /// Condition codes, of chips that have them.
    pub codes: Option<&'a Codes>,
    /// Uniform predicates.
    pub upreds: &'a [Mask; 8],
    /// Uniform registers.
    pub uregs: &'a [u32; 64],
    /// Constants fetched for this instruction.
    pub constants: &'a Constants,
}

impl<'a> View<'a> {
    /// What a warp sees.
    #[inline]
    pub(crate) fn of(
        files: &'a [RegisterFile],
        warp: &'a Warp,
        constants: &'a Constants,
    ) -> View<'a> {
        let Warp { preds, codes, upreds, uregs, home, first_row, rows, .. } = warp;
        let rows = rows_of(files, *home, *first_row, *rows);
        let (preds, upreds, uregs) = (preds.rows(), upreds.rows(), uregs.rows());
        View { rows, preds, codes: codes.as_ref(), upreds, uregs, constants }
    }

    /// What the warp sees, and what its threads do next, which an instruction may change.
    #[inline]
    pub(crate) fn and_flow(
        files: &'a [RegisterFile],
        warp: &'a mut Warp,
        constants: &'a Constants,
    ) -> (View<'a>, &'a mut Convergence) {
        let Warp { flow, preds, codes, upreds, uregs, home, first_row, rows, .. } = warp;
        let rows = rows_of(files, *home, *first_row, *rows);
        let (preds, upreds, uregs) = (preds.rows(), upreds.rows(), uregs.rows());
        (View { rows, preds, codes: codes.as_ref(), upreds, uregs, constants }, flow)
    }
}

/// Register rows of a warp.
#[inline]
fn rows_of(files: &[RegisterFile], home: Home, first: u32, rows: u32) -> &[Lanes] {
    let first = first as usize;
    let file = &files[usize::from(home.file)];
    file.rows.rows().as_ref().get(first..first + rows as usize).unwrap_or_default()
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
    fn codes(&self) -> Option<&Codes> {
        self.codes
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
    /// The register file that its rows are in.
    pub file: &'a mut Rows,
    /// Its slot.
    pub warp: &'a mut Warp,
    /// When.
    pub now: u64,
    /// Who is told.
    pub probe: &'a mut P,
}

impl<P: Probe> Destinations for Target<'_, P> {
    #[inline]
    fn write_row(&mut self, r: u8, mask: Mask, value: &Lanes) {
        if u32::from(r) < self.warp.rows {
            let row = self.warp.first_row + u32::from(r);
            self.file.write(self.now, row, mask, value, self.probe);
        }
    }

    fn write_ureg(&mut self, r: u8, value: u32) {
        self.warp.uregs.write(self.now, r.into(), !0, &value, self.probe);
    }

    #[inline]
    fn write_pred(&mut self, p: u8, mask: Mask, value: Mask) {
        self.warp.preds.write(self.now, p.into(), mask, &value, self.probe);
    }

    fn write_code(&mut self, flag: usize, mask: Mask, value: Mask) {
        if let Some(codes) = &mut self.warp.codes {
            upset_isa::warp::write_pred(&mut codes[flag], mask, value);
            self.warp.agree_on_code(flag, mask, self.probe);
        }
    }

    fn write_upred(&mut self, p: u8, value: Mask) {
        self.warp.upreds.write(self.now, p.into(), !0, &value, self.probe);
    }
}
