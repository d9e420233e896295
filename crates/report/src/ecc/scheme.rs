//! A code for a structure.

use std::fmt;
use std::str::FromStr;

/// What a code can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Detects an odd number of wrong bits in a word.
    Parity,
    /// Corrects one wrong bit in a word, detects two.
    SecDed,
}

/// Protection of one structure: `l2=secded:256/4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ecc {
    /// `rf`, `l2`, or a part: `l2.tag`.
    pub structure: String,
    /// The code.
    pub scheme: Scheme,
    /// Data bits of a word.
    pub word_bits: u64,
    /// Words that take turns in a row: neighbouring bits belong to different ones.
    pub interleave: u64,
}

/// Why a protection was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "protection `{text}`: {problem}; write STRUCTURE=parity|secded:BITS[/INTERLEAVE], e.g. l2=secded:256/4"
)]
pub struct EccError {
    text: String,
    problem: &'static str,
}

impl Ecc {
    /// The word that bit number `position` of a row belongs to.
    pub fn word(&self, position: u64) -> u64 {
        let (word, k) = (self.word_bits, self.interleave);
        position / (word * k) * k + position % k
    }

    /// Whether it protects this kind of array and part.
    pub fn covers(&self, kind: &str, part: Option<&str>) -> bool {
        match self.structure.split_once('.') {
            None => self.structure == kind,
            Some((k, p)) => k == kind && Some(p) == part,
        }
    }
}

impl fmt::Display for Ecc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Parity => "parity",
            Scheme::SecDed => "secded",
        };
        write!(f, "{}={scheme}:{}", self.structure, self.word_bits)?;
        if self.interleave > 1 {
            write!(f, "/{}", self.interleave)?;
        }
        Ok(())
    }
}

impl FromStr for Ecc {
    type Err = EccError;

    fn from_str(text: &str) -> Result<Ecc, EccError> {
        let wrong = |problem| EccError { text: text.to_string(), problem };
        let (structure, code) = text.split_once('=').ok_or(wrong("there is no ="))?;
        let (scheme, words) = code.split_once(':').ok_or(wrong("the size of a word is missing"))?;
        let scheme = match scheme {
            "parity" => Scheme::Parity,
            "secded" => Scheme::SecDed,
            _ => return Err(wrong("the code is neither parity nor secded")),
        };
        let (word, interleave) = words.split_once('/').unwrap_or((words, "1"));
        // A row has at most some thousands of bits; the limit keeps the product in range.
        let number = |s: &str| s.parse::<u64>().ok().filter(|n| (1..=65536).contains(n));
        let word_bits = number(word).ok_or(wrong("a word has 1 to 65536 bits"))?;
        let interleave = number(interleave).ok_or(wrong("interleaving is 1 to 65536"))?;
        let named = !structure.is_empty()
            && structure.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
        if !named {
            return Err(wrong("the structure's name is wrong"));
        }
        Ok(Ecc { structure: structure.to_string(), scheme, word_bits, interleave })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_prints() {
        for text in ["rf=secded:32", "l2=secded:256/4", "smem=parity:32", "l1d.tag=parity:57"] {
            assert_eq!(text.parse::<Ecc>().unwrap().to_string(), text);
        }
        for bad in [
            "rf",
            "rf=secded",
            "rf=hamming:32",
            "rf=parity:0",
            "rf=parity:8/0",
            "=parity:8",
            "r f=parity:8",
        ] {
            let said = bad.parse::<Ecc>().unwrap_err().to_string();
            assert!(said.contains("e.g. l2=secded:256/4"), "{said}");
        }
    }

    #[test]
    fn interleaving() {
        let ecc: Ecc = "l2=secded:8/4".parse().unwrap();
        // Four words take turns over 32 bits, then the next four.
        let words: Vec<u64> = [0, 1, 2, 3, 4, 5, 31, 32, 33, 64].map(|b| ecc.word(b)).to_vec();
        assert_eq!(words, [0, 1, 2, 3, 0, 1, 3, 4, 5, 8]);
        let plain: Ecc = "rf=secded:32".parse().unwrap();
        assert_eq!([0, 31, 32, 63].map(|b| plain.word(b)), [0, 0, 1, 1]);
        // Every word has its number of bits.
        for w in 0..8 {
            assert_eq!((0..64).filter(|b| ecc.word(*b) == w).count(), 8);
        }
    }

    #[test]
    fn parts() {
        let all: Ecc = "l2=parity:8".parse().unwrap();
        let tag: Ecc = "l2.tag=parity:8".parse().unwrap();
        assert!(all.covers("l2", Some("data")) && all.covers("l2", Some("tag")));
        assert!(tag.covers("l2", Some("tag")) && !tag.covers("l2", Some("data")));
        assert!(!all.covers("l1d", Some("data")));
    }
}
