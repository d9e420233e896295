//! What a code would have made of one experiment.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use upset_state::Kind;
use upset_state::kind::named;
use upset_store::Experiment;

use super::scheme::{Ecc, Scheme};
use super::site::{Bit, bits};

/// The fate of an experiment under protection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Put right wherever it is read.
    Corrected,
    /// Found when it is read: the run ends with an error.
    Detected,
    /// Never read: nothing happens.
    Unread,
    /// Detected or harmless: whether its word is read needs another simulation.
    Perhaps,
    /// Not found though a code is there: the run goes as simulated.
    Escaped,
    /// No code is there: the run goes as simulated.
    Unprotected,
    /// The fault alone does not tell; it needs another simulation.
    Unknown,
}

/// The code of a word, if it has one, and the bits of it that are hit.
type Word<'a> = (Option<&'a Ecc>, Vec<&'a Bit>);

/// What happens in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InWord {
    Corrected,
    Detected,
    Escaped,
    Unknown,
}

/// What is known of an experiment besides its fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Whether a wrong bit left its array.
    pub reached: Option<bool>,
    /// Nobody had the bit when it flipped: its line held nothing there.
    pub idle: bool,
    /// Every access of the run to a memory takes whole words of 32 bits.
    pub words: bool,
}

impl Known {
    /// What a store tells.
    pub fn of(e: &Experiment, words: bool) -> Known {
        // Of several bits only the first was looked at.
        let idle = e.hit.allocated == Some(false) && e.hit.bits == 1;
        Known { reached: e.reached, idle, words }
    }
}

/// What codes make of a fault.
pub fn verdict(fault: &str, known: Known, codes: &[Ecc]) -> Verdict {
    let Some(bits) = bits(fault) else { return Verdict::Unknown };
    let mut words: BTreeMap<(&str, Option<u64>), Word<'_>> = BTreeMap::new();
    for bit in &bits {
        let code = codes.iter().find(|e| e.covers(&bit.kind, bit.part.as_deref()));
        let word = code.map(|e| e.word(bit.position));
        words.entry((&bit.row, word)).or_insert((code, Vec::new())).1.push(bit);
    }
    if words.values().all(|(code, _)| code.is_none()) {
        return Verdict::Unprotected;
    }
    let fates: Vec<InWord> = words.values().map(|(code, bits)| fate(*code, bits)).collect();
    let all = |f: InWord| fates.iter().all(|x| *x == f);
    if all(InWord::Corrected) {
        return Verdict::Corrected;
    }
    if all(InWord::Escaped) {
        return Verdict::Escaped;
    }
    // A word is read whenever any of its bits is. That no wrong bit was read
    // tells that the word was not where every access takes the whole word, and
    // where there was nothing to read until the whole word was filled.
    let whole = |e: &Ecc, bits: &[&Bit]| {
        accessed_whole(e, bits, known.words) || known.idle && filled_whole(e, bits)
    };
    let silent = words.values().zip(&fates).all(|((code, bits), fate)| match fate {
        InWord::Corrected | InWord::Escaped => true,
        InWord::Detected | InWord::Unknown => code.is_none_or(|e| whole(e, bits)),
    });
    match known.reached {
        Some(false) if silent => Verdict::Unread,
        Some(true) if all(InWord::Detected) => Verdict::Detected,
        _ if fates.iter().all(|f| matches!(f, InWord::Corrected | InWord::Detected)) => {
            Verdict::Perhaps
        }
        _ => Verdict::Unknown,
    }
}

fn fate(code: Option<&Ecc>, bits: &[&Bit]) -> InWord {
    let Some(code) = code else { return InWord::Escaped };
    let transient = bits.iter().all(|b| b.model.is_empty());
    let at_once = bits.iter().all(|b| b.when == bits[0].when);
    let distinct: BTreeSet<u64> = bits.iter().map(|b| b.position).collect();
    let settled = transient && at_once && distinct.len() == bits.len();
    match (code.scheme, distinct.len()) {
        // Flipped, stuck or flickering: there is never more than one wrong bit.
        (Scheme::SecDed, 1) => InWord::Corrected,
        (Scheme::SecDed, 2) if settled => InWord::Detected,
        // Three and more may look like one wrong bit elsewhere, or like none.
        (Scheme::SecDed, _) => InWord::Unknown,
        // A stuck bit is wrong only while it should have the other value.
        (Scheme::Parity, _) if !settled => InWord::Unknown,
        (Scheme::Parity, n) if n % 2 == 1 => InWord::Detected,
        (Scheme::Parity, _) => InWord::Escaped,
    }
}

/// Whether every access of the array takes whole words of this code.
fn accessed_whole(code: &Ecc, bits: &[&Bit], words: bool) -> bool {
    let about = bits.first().and_then(|b| match b.part.as_deref() {
        None => named(&b.kind),
        Some("data") => Some(Kind::Cache(0).about()),
        Some(_) => None,
    });
    let Some(least) = about.and_then(|a| a.ecc_bits) else { return false };
    let access = if words { least.max(32) } else { least };
    code.interleave == 1 && u64::from(access) % code.word_bits == 0
}

/// Whether what comes into an empty place of the array comes in whole words of
/// this code: sectors of at least 32 bytes from the level below, stores of words.
fn filled_whole(code: &Ecc, bits: &[&Bit]) -> bool {
    let is_line = bits.iter().all(|b| b.part.as_deref() == Some("data"));
    is_line && code.interleave == 1 && 32 % code.word_bits == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = "rf:sm0.sub0.row1.lane0.bit3@9";
    const TWO: &str = "rf:sm0.sub0.row1.lane0.bit3,4@9";
    const THREE: &str = "rf:sm0.sub0.row1.lane0.bit3-5@9";
    const LINE: &str = "l2:slice0.set0.way0.data.bit8-10@9";

    fn under(code: &str, fault: &str, reached: Option<bool>) -> Verdict {
        verdict(fault, Known { reached, ..Known::default() }, &[code.parse().unwrap()])
    }

    #[test]
    fn sec_ded() {
        use Verdict::*;
        for (fault, reached, expected) in [
            (ONE, Some(true), Corrected),
            (ONE, None, Corrected),
            (TWO, Some(true), Detected),
            (TWO, Some(false), Unread),
            (TWO, None, Perhaps),
            (THREE, Some(true), Unknown),
            (THREE, Some(false), Unread),
            // The same bit of two lanes: one in each word.
            ("rf:sm0.sub0.row1.lane0,1.bit3@9", Some(true), Corrected),
            // Two in one word and one in another: which one was read?
            (
                "rf:sm0.sub0.row1.lane0.bit3,4@9 + rf:sm0.sub0.row1.lane1.bit3@9",
                Some(true),
                Perhaps,
            ),
            ("stuck1 rf:sm0.sub0.row1.lane0.bit3@9..", Some(true), Corrected),
            ("stuck1 rf:sm0.sub0.row1.lane0.bit3,4@9..", Some(true), Unknown),
            // At different times the first may be gone before the second comes.
            ("rf:sm0.sub0.row1.lane0.bit3@9 + rf:sm0.sub0.row1.lane0.bit4@20", Some(true), Unknown),
            ("nonsense", Some(true), Unknown),
        ] {
            assert_eq!(under("rf=secded:32", fault, reached), expected, "{fault} {reached:?}");
        }
    }

    #[test]
    fn parity() {
        use Verdict::*;
        for (fault, reached, expected) in [
            (ONE, Some(true), Detected),
            (ONE, Some(false), Unread),
            (TWO, Some(true), Escaped),
            (TWO, None, Escaped),
            (THREE, Some(true), Detected),
            ("stuck0 rf:sm0.sub0.row1.lane0.bit3@9..", Some(true), Unknown),
        ] {
            assert_eq!(under("rf=parity:32", fault, reached), expected, "{fault} {reached:?}");
        }
    }

    #[test]
    fn interleaving_spreads_neighbours_over_words() {
        use Verdict::*;
        assert_eq!(under("l2=secded:256", LINE, Some(true)), Unknown);
        assert_eq!(under("l2=secded:256/4", LINE, Some(true)), Corrected);
        // Degree 2: bits 8 and 10 share a word, 9 has another. Which one was read?
        assert_eq!(under("l2=secded:256/2", LINE, Some(true)), Perhaps);
        assert_eq!(under("l2=parity:256/4", LINE, Some(true)), Detected);
    }

    #[test]
    fn reading_a_neighbour_reads_the_word() {
        use Verdict::*;
        let byte = "smem:sm0.byte5.bit1@3";
        assert_eq!(under("smem=parity:32", byte, Some(false)), Perhaps);
        assert_eq!(under("smem=parity:8", byte, Some(false)), Unread);
        assert_eq!(under("smem=parity:32", byte, Some(true)), Detected);
    }

    #[test]
    fn a_word_of_a_line_that_held_nothing_is_filled_whole() {
        use Verdict::*;
        let bit = "l2:slice0.set0.way0.data.bit9@9";
        let idle = |code: &str, fault: &str, reached: Option<bool>| {
            verdict(fault, Known { reached, idle: true, words: false }, &[code.parse().unwrap()])
        };
        assert_eq!(idle("l2=parity:32", bit, Some(false)), Unread);
        assert_eq!(under("l2=parity:32", bit, Some(false)), Perhaps);
        assert_eq!(idle("l2=parity:32", bit, None), Perhaps);
        assert_eq!(idle("l2=parity:32", bit, Some(true)), Detected);
        // Stores are narrower than these words, and other words lie between.
        assert_eq!(idle("l2=parity:64", bit, Some(false)), Perhaps);
        assert_eq!(idle("l2=parity:32/2", bit, Some(false)), Perhaps);
        // A tag is read with its set, whatever it holds.
        let tag = "l2:slice0.set0.way0.tag.bit9@9";
        assert_eq!(idle("l2=parity:32", tag, Some(false)), Perhaps);
        let byte = "smem:sm0.byte5.bit1@3";
        assert_eq!(idle("smem=parity:32", byte, Some(false)), Perhaps);
    }

    #[test]
    fn a_word_that_is_accessed_whole_was_not_read_where_its_bit_was_not() {
        use Verdict::*;
        let words = |code: &str, fault: &str| {
            let known = Known { reached: Some(false), idle: false, words: true };
            verdict(fault, known, &[code.parse().unwrap()])
        };
        let (line, tag) = ("l2:slice0.set0.way0.data.bit9@9", "l2:slice0.set0.way0.tag.bit9@9");
        assert_eq!(words("l2=parity:32", line), Unread);
        assert_eq!(words("smem=parity:32", "smem:sm0.byte5.bit1@3"), Unread);
        assert_eq!(words("l2=parity:64", line), Perhaps);
        assert_eq!(words("l2=parity:32", tag), Perhaps);
    }

    #[test]
    fn other_structures_stay_as_they_are() {
        use Verdict::*;
        assert_eq!(under("l2=secded:256", ONE, Some(true)), Unprotected);
        assert_eq!(verdict(ONE, Known::default(), &[]), Unprotected);
        let both = "rf:sm0.sub0.row1.lane0.bit3@9 + smem:sm0.byte5.bit1@9";
        assert_eq!(under("rf=secded:32", both, Some(true)), Unknown);
        assert_eq!(under("rf=secded:32", both, Some(false)), Unread);
    }
}
