//! Ghosts' constants and fetched instructions: what is read on the side.

use upset_state::ghosts::WORDS;
use upset_state::{Place, Probe};

use crate::view::Constants;

/// Ghosts' words of a constant that came with the operands: ghost, `i`, difference.
pub(crate) fn of_constant<P: Probe>(
    constants: &Constants,
    bank: u8,
    offset: i64,
    i: usize,
    p: &mut P,
) -> Vec<(u32, usize, u32)> {
    let (Some(g), Some(number)) = (p.ghosts(), constants.number(bank, offset)) else {
        return Vec::new();
    };
    g.constants.iter().filter(|c| c.1 == number).map(|&(ghost, _, xor)| (ghost, i, xor)).collect()
}

/// The same of a word that was read on the side.
pub(crate) fn of_noted<P: Probe>(addr: u64, i: usize, p: &mut P) -> Vec<(u32, usize, u32)> {
    let Some(g) = p.ghosts() else { return Vec::new() };
    g.noted.iter().filter(|n| n.1 == addr).map(|&(ghost, _, xor)| (ghost, i, xor)).collect()
}

/// An instruction will name other constants.
pub(crate) fn forget_constants<P: Probe>(p: &mut P) {
    if let Some(g) = p.ghosts() {
        g.constants.clear();
    }
}

/// The word at `addr` is constant `number` of an instruction.
pub(crate) fn keep_constant<P: Probe>(addr: u64, number: usize, p: &mut P) {
    if let Some(g) = p.ghosts() {
        let noted = std::mem::take(&mut g.noted);
        let of_word = noted.iter().filter(|n| n.1 == addr);
        g.constants.extend(of_word.map(|&(ghost, _, xor)| (ghost, number as u8, xor)));
    }
}

/// A word of a line is read on the side.
pub(crate) fn note_word<P: Probe>(place: Place, word: usize, addr: u64, p: &mut P) {
    let Some(g) = p.ghosts() else { return };
    let mut noted = Vec::new();
    for d in g.at(place).iter().filter(|d| d.words[word % WORDS] != 0) {
        noted.push((d.ghost, addr, d.words[word % WORDS]));
    }
    g.noted.append(&mut noted);
}

/// An instruction came into a buffer: from a row, or from below (noted).
pub(crate) fn fetched<P: Probe>(from: Option<Place>, to: Place, word: u32, line: u64, p: &mut P) {
    let Some(g) = p.ghosts().filter(|g| !g.is_calm()) else { return };
    match from {
        Some(from) => g.copy(from, word, to, 0xffff),
        None => {
            g.drop_row(to);
            let start = line + u64::from(word) * 4;
            for (ghost, addr, xor) in g.noted.clone() {
                if (start..start + 16).contains(&addr) {
                    let mut words = [0; WORDS];
                    words[((addr - start) / 4) as usize] = xor;
                    let mut mask = [0; WORDS];
                    mask[((addr - start) / 4) as usize] = !0;
                    g.merge(to, ghost, &mask, &words);
                }
            }
        }
    }
}
