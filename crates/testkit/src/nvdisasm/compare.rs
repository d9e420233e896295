//! Comparing our decoder with the recorded answers.

use std::collections::BTreeMap;

use upset_sass::{Arch, Word, decode, disasm};

use super::record::{Answer, Expected, Record, digest, normal};

/// What our decoder says about a word; no text for what nvdisasm 11.8 has none for.
pub fn ours(word: Word, arch: Arch, address: u64) -> Answer {
    match decode::decode(word, arch) {
        Ok(decoded) if decoded.row.silent => Answer::Text(String::new()),
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
    /// Was it real code (else a flip)?
    pub real: bool,
    /// What we say.
    pub ours: Answer,
    /// nvdisasm's text where it is recorded in full.
    pub theirs: Option<String>,
}

/// Counts and differences of one architecture.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Real words compared.
    pub real: usize,
    /// Flipped words compared.
    pub flips: usize,
    /// Flipped words without an answer.
    pub unanswered: usize,
    /// Words on which we differ.
    pub differences: Vec<Difference>,
    /// Compared and differing words by the mnemonic of the real word.
    pub by_name: BTreeMap<String, (usize, usize)>,
}

/// The mnemonic of an instruction's text.
fn name(text: &str) -> String {
    let text = text.strip_prefix('@').and_then(|t| t.split_once(' ')).map_or(text, |(_, t)| t);
    text.split([' ', '.']).next().unwrap_or("").to_owned()
}

/// Compares everything in a recording.
pub fn compare(record: &Record, arch: Arch) -> Summary {
    let mut s = Summary { real: record.words.len(), ..Summary::default() };
    for (n, (word, text)) in record.words.iter().zip(&record.texts).enumerate() {
        let address = Record::address(n);
        let ours = ours(*word, arch, address);
        let same = matches!(&ours, Answer::Text(t) if t == text);
        s.count(text, same);
        if !same {
            let theirs = Some(text.clone());
            s.differences.push(Difference { word: *word, address, real: true, ours, theirs });
        }
    }
    for (n, word, base, expected) in record.each_flip() {
        let text = record.texts.get(base).map_or("", String::as_str);
        let address = Record::address(n);
        let ours = ours(word, arch, address);
        let same = match (&ours, expected) {
            (_, Expected::None) => {
                s.unanswered += 1;
                continue;
            }
            (Answer::Text(t), Expected::Same) => t == text,
            (Answer::Text(t), Expected::Digest(d)) => digest(t) == d,
            (Answer::Illegal, Expected::Illegal) => true,
            _ => false,
        };
        s.flips += 1;
        s.count(text, same);
        if !same {
            let theirs = match expected {
                Expected::Same => Some(text.to_owned()),
                Expected::Illegal => Some("illegal".to_owned()),
                _ => None,
            };
            s.differences.push(Difference { word, address, real: false, ours, theirs });
        }
    }
    s
}

impl Summary {
    fn count(&mut self, text: &str, same: bool) {
        let entry = self.by_name.entry(name(text)).or_default();
        entry.0 += 1;
        entry.1 += usize::from(!same);
    }
}
