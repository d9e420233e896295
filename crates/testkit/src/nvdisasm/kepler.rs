//! The recording for sm_35: real code with its texts, and answers about words
//! that are made from it by a fixed rule, so that only answers are stored.
//!
//! Deflated, little-endian: number of real words; the words; their texts, one
//! per line; one byte per made word (see [`Expected`]); a 16-bit digest for
//! every one whose text is new.

use std::collections::BTreeMap;

use upset_sass::kepler::{Control, Word, decode, disasm};

use super::record::{Answer, Reader, RecordError, digest, inflate, normal};
use crate::Rng;

/// Real words of which every bit is flipped.
const SINGLE: usize = 2500;
/// Words made from a real one by two to eight flips.
const MULTIPLE: usize = 110_000;
/// Random words.
const RANDOM: usize = 60_000;
/// Stream of the choice; another seed makes other words.
const SEED: u64 = 35;
/// Words that are disassembled together: the address of the `n`-th is `8 * (n % BATCH)`.
pub const BATCH: usize = 1 << 14;

/// What is recorded about a made word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The text of the word it was made from.
    Same,
    /// Illegal.
    Illegal,
    /// A text with this digest.
    Digest(u16),
    /// No answer: nvdisasm takes control words among instructions for damage.
    None,
}

/// A word to ask about, and the real word it was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The word.
    pub word: Word,
    /// Index of the real word.
    pub base: Option<usize>,
}

/// nvdisasm's answers for sm_35.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeplerRecord {
    /// Words of real code, each once, without control words.
    pub words: Vec<Word>,
    /// Their texts.
    pub texts: Vec<String>,
    /// What is expected of [`probes`].
    pub expected: Vec<Expected>,
}

/// The words to ask about: every single flip of a sample that has each opcode
/// with each combination of modifiers, several flips at once, random words.
pub fn probes(words: &[Word]) -> Vec<Probe> {
    let mut rng = Rng::new(SEED);
    let mut probes = Vec::new();
    for base in sample(words, &mut rng) {
        let word = words[base].0;
        probes.extend((0..64).map(|b| Probe { word: Word(word ^ 1 << b), base: Some(base) }));
    }
    for _ in 0..if words.is_empty() { 0 } else { MULTIPLE } {
        let base = rng.below(words.len() as u32) as usize;
        let flips = 2 + rng.below(7);
        let word = (0..flips).fold(words[base].0, |w, _| w ^ 1 << rng.below(64));
        probes.push(Probe { word: Word(word), base: Some(base) });
    }
    probes.extend((0..RANDOM).map(|_| Probe { word: Word(rng.u64()), base: None }));
    probes
}

/// One word of every shape (class, opcode with modifiers), then others.
fn sample(words: &[Word], rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..words.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, rng.below(i as u32 + 1) as usize);
    }
    let mut shapes = BTreeMap::new();
    for &i in &order {
        let w = words[i];
        shapes.entry((w.bits(0, 2), w.bits(51, 13))).or_insert(i);
    }
    let mut chosen: Vec<usize> = shapes.into_values().collect();
    chosen.sort_unstable();
    let first = chosen.clone();
    chosen.extend(order.into_iter().filter(|i| first.binary_search(i).is_err()));
    chosen.truncate(SINGLE);
    chosen
}

/// A text's digest: the two halves of FNV-1a together.
fn short(text: &str) -> u16 {
    let d = digest(text);
    (d ^ d >> 16) as u16
}

impl KeplerRecord {
    /// The address at which the `n`-th word of a list stood.
    pub fn address(n: usize) -> u64 {
        (n % BATCH * Word::BYTES) as u64
    }

    /// The expectation that stands for an answer.
    pub fn expect(base: Option<&str>, answer: &Answer) -> Expected {
        match answer {
            Answer::Text(t) if Some(t.as_str()) == base => Expected::Same,
            Answer::Text(t) => Expected::Digest(short(t)),
            Answer::Illegal => Expected::Illegal,
            Answer::None => Expected::None,
        }
    }

    /// As a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut b = Vec::new();
        b.extend((self.words.len() as u32).to_le_bytes());
        self.words.iter().for_each(|w| b.extend(w.0.to_le_bytes()));
        for t in &self.texts {
            b.extend(t.as_bytes());
            b.push(b'\n');
        }
        b.extend(self.expected.iter().map(|e| match e {
            Expected::Same => 0,
            Expected::Illegal => 1,
            Expected::Digest(_) => 2,
            Expected::None => 3,
        }));
        for e in &self.expected {
            if let Expected::Digest(d) = e {
                b.extend(d.to_le_bytes());
            }
        }
        miniz_oxide::deflate::compress_to_vec(&b, 10)
    }

    /// Reads a file.
    pub fn from_bytes(file: &[u8]) -> Result<KeplerRecord, RecordError> {
        let bytes = inflate(file)?;
        let mut rest = Reader(&bytes);
        let count = rest.u32()? as usize;
        let words = rest.take(count.checked_mul(8).ok_or(RecordError("too many words"))?)?;
        let words: Vec<Word> =
            words.as_chunks::<8>().0.iter().map(|c| Word::from_bytes(*c)).collect();
        let texts = (0..words.len()).map(|_| rest.line()).collect::<Result<Vec<_>, _>>()?;
        let codes = rest.take(probes(&words).len())?;
        let expected = codes
            .iter()
            .map(|code| {
                Ok(match code {
                    0 => Expected::Same,
                    1 => Expected::Illegal,
                    2 => Expected::Digest(rest.u16()?),
                    3 => Expected::None,
                    _ => return Err(RecordError("an unknown code")),
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(KeplerRecord { words, texts, expected })
    }
}

/// What our decoder says about a word.
pub fn ours(word: Word, address: u64) -> Answer {
    match decode(word) {
        Ok(decoded) => Answer::Text(normal(&disasm::text(&decoded, address))),
        Err(_) => Answer::Illegal,
    }
}

/// A word on which we differ.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The word.
    pub word: Word,
    /// Where it stood.
    pub address: u64,
    /// Was it real code?
    pub real: bool,
    /// What we say.
    pub ours: Answer,
    /// nvdisasm's text where it is recorded in full.
    pub theirs: Option<String>,
}

/// Counts and differences.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Real words compared.
    pub real: usize,
    /// Made words compared.
    pub made: usize,
    /// Of these, illegal ones.
    pub illegal: usize,
    /// Made words without an answer: all of them are control words.
    pub unanswered: usize,
    /// Words on which we differ.
    pub differences: Vec<Difference>,
}

/// Compares everything in a recording.
pub fn compare(record: &KeplerRecord) -> Summary {
    let mut s = Summary { real: record.words.len(), ..Summary::default() };
    for (n, (word, text)) in record.words.iter().zip(&record.texts).enumerate() {
        let address = KeplerRecord::address(n);
        let ours = ours(*word, address);
        if !matches!(&ours, Answer::Text(t) if t == text) {
            let theirs = Some(text.clone());
            s.differences.push(Difference { word: *word, address, real: true, ours, theirs });
        }
    }
    for (n, (probe, expected)) in probes(&record.words).iter().zip(&record.expected).enumerate() {
        let base = probe.base.and_then(|b| record.texts.get(b)).map(String::as_str);
        let address = KeplerRecord::address(n);
        let ours = ours(probe.word, address);
        let same = match (&ours, expected) {
            (_, Expected::None) => {
                s.unanswered += usize::from(Control::of(probe.word).is_some());
                continue;
            }
            (Answer::Text(t), Expected::Same) => Some(t.as_str()) == base,
            (Answer::Text(t), Expected::Digest(d)) => short(t) == *d,
            (Answer::Illegal, Expected::Illegal) => true,
            _ => false,
        };
        s.made += 1;
        s.illegal += usize::from(*expected == Expected::Illegal);
        if !same {
            let theirs = match expected {
                Expected::Same => base.map(str::to_owned),
                Expected::Illegal => Some("illegal".to_owned()),
                _ => None,
            };
            s.differences.push(Difference { word: probe.word, address, real: false, ours, theirs });
        }
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_record() -> KeplerRecord {
        let words = vec![Word(0x8580_0000_001c_3c02)];
        let mut expected = vec![Expected::Same; probes(&words).len()];
        expected[3] = Expected::Digest(77);
        expected[9] = Expected::Illegal;
        expected[10] = Expected::None;
        KeplerRecord { words, texts: vec!["NOP".into()], expected }
    }

    #[test]
    fn a_recording_survives_its_file() {
        let record = sample_record();
        assert_eq!(KeplerRecord::from_bytes(&record.to_bytes()).unwrap(), record);
    }

    #[test]
    fn damaged_files_are_refused() {
        let file = sample_record().to_bytes();
        for cut in 0..file.len() {
            assert!(KeplerRecord::from_bytes(&file[..cut]).is_err(), "cut at {cut}");
        }
    }
}
