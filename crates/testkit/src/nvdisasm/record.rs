//! The file that holds nvdisasm's answers for one architecture.
//!
//! Deflated, little-endian: number of real words; the words; their texts, one
//! per line; number of flipped words; for each its index among the real words;
//! one byte per flip (see [`Code`]); a 32-bit digest for every flip whose text
//! is new.

use upset_sass::Word;

/// Words that are disassembled together: the address of the `n`-th is `16 * (n % BATCH)`.
pub const BATCH: usize = 1 << 16;
/// Flips of one word.
pub const FLIPS: usize = 128;
/// Decompressed recordings are refused beyond this size.
const LIMIT: usize = 64 << 20;

/// What nvdisasm says about a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Legal; its text, empty where nvdisasm prints nothing.
    Text(String),
    /// Not an instruction.
    Illegal,
    /// nvdisasm gave up (more than one pattern matches).
    None,
}

/// How a flip's answer is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Code {
    /// The same text as the word it was made from.
    Same,
    /// Illegal.
    Illegal,
    /// A digest follows in the last section.
    Digest,
    /// No answer.
    None,
}

impl Code {
    fn of(byte: u8) -> Option<Code> {
        [Code::Same, Code::Illegal, Code::Digest, Code::None].get(usize::from(byte)).copied()
    }
}

/// A recording is damaged.
#[derive(Debug, thiserror::Error)]
#[error("not a recording of nvdisasm: {0}; `cargo xtask oracle nvdisasm` makes a new one")]
pub struct RecordError(pub(crate) &'static str);

/// nvdisasm's answers for one architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Words of real code, each once.
    pub words: Vec<Word>,
    /// Their texts.
    pub texts: Vec<String>,
    /// Indices of the words whose flips are recorded.
    pub flipped: Vec<u32>,
    /// For every flip, in order of word and bit: its expectation.
    pub flips: Vec<Expected>,
}

/// What is recorded about a flip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Text of the word it was made from.
    Same,
    /// Illegal.
    Illegal,
    /// A text with this digest.
    Digest(u32),
    /// No answer.
    None,
}

/// Text without alignment.
pub fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// FNV-1a.
pub fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |h, b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

impl Record {
    /// The address at which the `n`-th word of a list stood.
    pub fn address(n: usize) -> u64 {
        (n % BATCH * Word::BYTES) as u64
    }

    /// Every flip: its place, word, base word's index and expectation.
    pub fn each_flip(&self) -> impl Iterator<Item = (usize, Word, usize, Expected)> + '_ {
        self.flips.iter().enumerate().filter_map(|(n, e)| {
            let base = *self.flipped.get(n / FLIPS)? as usize;
            let word = self.words.get(base)?;
            Some((n, Word(word.0 ^ 1 << (n % FLIPS)), base, *e))
        })
    }

    /// The expectation that stands for an answer.
    pub fn expect(base: &str, answer: &Answer) -> Expected {
        match answer {
            Answer::Text(t) if t == base => Expected::Same,
            Answer::Text(t) => Expected::Digest(digest(t)),
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
        b.extend((self.flipped.len() as u32).to_le_bytes());
        self.flipped.iter().for_each(|i| b.extend(i.to_le_bytes()));
        b.extend(self.flips.iter().map(|e| match e {
            Expected::Same => Code::Same as u8,
            Expected::Illegal => Code::Illegal as u8,
            Expected::Digest(_) => Code::Digest as u8,
            Expected::None => Code::None as u8,
        }));
        for e in &self.flips {
            if let Expected::Digest(d) = e {
                b.extend(d.to_le_bytes());
            }
        }
        miniz_oxide::deflate::compress_to_vec(&b, 10)
    }

    /// Reads a file.
    pub fn from_bytes(file: &[u8]) -> Result<Record, RecordError> {
        let bytes = inflate(file)?;
        let mut rest = Reader(&bytes);
        let count = rest.u32()? as usize;
        let words = rest.take(count.checked_mul(16).ok_or(RecordError("too many words"))?)?;
        let words: Vec<Word> =
            words.as_chunks::<16>().0.iter().map(|c| Word::from_bytes(*c)).collect();
        let texts = (0..words.len()).map(|_| rest.line()).collect::<Result<Vec<_>, _>>()?;
        let count = rest.u32()? as usize;
        let flipped = rest.take(count.checked_mul(4).ok_or(RecordError("too many flips"))?)?;
        let flipped: Vec<u32> =
            flipped.as_chunks::<4>().0.iter().map(|c| u32::from_le_bytes(*c)).collect();
        if flipped.iter().any(|i| *i as usize >= words.len()) {
            return Err(RecordError("a flip of an unknown word"));
        }
        let codes = rest.take(count.checked_mul(FLIPS).ok_or(RecordError("too many flips"))?)?;
        let flips = codes
            .iter()
            .map(|c| {
                Ok(match Code::of(*c).ok_or(RecordError("an unknown code"))? {
                    Code::Same => Expected::Same,
                    Code::Illegal => Expected::Illegal,
                    Code::Digest => Expected::Digest(rest.u32()?),
                    Code::None => Expected::None,
                })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Record { words, texts, flipped, flips })
    }
}

/// Decompresses a file.
pub(crate) fn inflate(file: &[u8]) -> Result<Vec<u8>, RecordError> {
    miniz_oxide::inflate::decompress_to_vec_with_limit(file, LIMIT)
        .map_err(|_| RecordError("it does not decompress"))
}

/// What is left of a decompressed file.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8], RecordError> {
        let (head, tail) = self.0.split_at_checked(n).ok_or(RecordError("it is cut short"))?;
        self.0 = tail;
        Ok(head)
    }
    pub(crate) fn u16(&mut self) -> Result<u16, RecordError> {
        let bytes = self.take(2)?.try_into().map_err(|_| RecordError("it is cut short"))?;
        Ok(u16::from_le_bytes(bytes))
    }
    pub(crate) fn u32(&mut self) -> Result<u32, RecordError> {
        let bytes = self.take(4)?.try_into().map_err(|_| RecordError("it is cut short"))?;
        Ok(u32::from_le_bytes(bytes))
    }
    pub(crate) fn line(&mut self) -> Result<String, RecordError> {
        let end =
            self.0.iter().position(|b| *b == b'\n').ok_or(RecordError("a text is missing"))?;
        let line = self.take(end + 1)?;
        Ok(String::from_utf8_lossy(&line[..end]).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Record {
        let words = vec![Word(0x7918), Word(1)];
        let mut flips = vec![Expected::Same; FLIPS];
        flips[3] = Expected::Digest(77);
        flips[9] = Expected::Illegal;
        flips[10] = Expected::None;
        Record { words, texts: vec!["NOP".into(), String::new()], flipped: vec![0], flips }
    }

    #[test]
    fn a_recording_survives_its_file() {
        let record = sample();
        assert_eq!(Record::from_bytes(&record.to_bytes()).unwrap(), record);
    }

    #[test]
    fn damaged_files_are_refused() {
        let file = sample().to_bytes();
        for cut in 0..file.len() {
            assert!(Record::from_bytes(&file[..cut]).is_err(), "cut at {cut}");
        }
    }
}
