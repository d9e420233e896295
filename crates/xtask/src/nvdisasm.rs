//! Asking nvdisasm about raw instruction words.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

use upset_sass::{Arch, Word, kepler};
use upset_testkit::nvdisasm::{Answer, BATCH, kepler as recorded, normal};

use crate::Outcome;

/// NVIDIA's disassembler.
pub struct Nvdisasm(PathBuf);

/// Raw words of one encoding, at most 128 bits each. All zeroes are legal in
/// both encodings and stand in for words that are not.
#[derive(Clone, Copy)]
struct Shape {
    /// nvdisasm's name of the architecture.
    sm: u32,
    /// Bytes per word.
    bytes: usize,
}

const KEPLER: Shape = Shape { sm: 35, bytes: kepler::Word::BYTES };

impl Shape {
    fn of(arch: Arch) -> Shape {
        Shape { sm: arch.number(), bytes: Word::BYTES }
    }
}

/// One run's output.
struct Run {
    /// Texts by word number.
    texts: Vec<Option<String>>,
    /// Words it calls illegal.
    illegal: BTreeSet<usize>,
    /// It gave up: some word has more than one meaning, or is a control word
    /// among instructions.
    gave_up: bool,
}

impl Nvdisasm {
    /// The program at `path`.
    pub fn new(path: PathBuf) -> Nvdisasm {
        Nvdisasm(path)
    }

    /// Its answers, the `n`-th word standing at `16 * (n % BATCH)`.
    pub fn ask(&self, arch: Arch, words: &[Word]) -> Outcome<Vec<Answer>> {
        let words: Vec<u128> = words.iter().map(|w| w.0).collect();
        self.all(Shape::of(arch), &words, BATCH)
    }

    /// Its answers for sm_35, the `n`-th word standing at `8 * (n % BATCH)`. It
    /// ends at control words that do not begin a group: they are not asked.
    pub fn ask_kepler(&self, words: &[kepler::Word]) -> Outcome<Vec<Answer>> {
        let control = |w: &kepler::Word| kepler::Control::of(*w).is_some();
        let asked: Vec<u128> =
            words.iter().map(|w| if control(w) { 0 } else { w.0.into() }).collect();
        let mut answers = self.all(KEPLER, &asked, recorded::BATCH)?;
        for (answer, _) in answers.iter_mut().zip(words).filter(|(_, w)| control(w)) {
            *answer = Answer::None;
        }
        Ok(answers)
    }

    fn all(&self, shape: Shape, words: &[u128], batch: usize) -> Outcome<Vec<Answer>> {
        let mut answers = Vec::with_capacity(words.len());
        for batch in words.chunks(batch) {
            answers.extend(self.batch(shape, batch)?);
        }
        Ok(answers)
    }

    /// Its answer for one word at an address.
    pub fn ask_at(&self, arch: Arch, word: Word, address: u64) -> Outcome<Answer> {
        self.at(Shape::of(arch), word.0, address)
    }

    /// The same for sm_35.
    pub fn ask_kepler_at(&self, word: kepler::Word, address: u64) -> Outcome<Answer> {
        self.at(KEPLER, word.0.into(), address)
    }

    fn at(&self, shape: Shape, word: u128, address: u64) -> Outcome<Answer> {
        let mut words = vec![0; address as usize / shape.bytes];
        words.push(word);
        Ok(self.batch(shape, &words)?.pop().unwrap_or(Answer::None))
    }

    /// One batch. With an illegal word nvdisasm prints no text at all but names
    /// every illegal address, so they are replaced by zeroes and it is asked
    /// again. Ambiguous words end the run without naming the word: they are found
    /// by halving.
    fn batch(&self, shape: Shape, words: &[u128]) -> Outcome<Vec<Answer>> {
        let mut words = words.to_vec();
        let mut illegal = BTreeSet::new();
        let mut dropped = BTreeSet::new();
        loop {
            let run = self.run(shape, &words)?;
            if run.gave_up {
                let bad = self.refused(shape, &words)?;
                words[bad] = 0;
                dropped.insert(bad);
            } else if run.illegal.is_empty() {
                return Ok(run
                    .texts
                    .into_iter()
                    .enumerate()
                    .map(|(n, text)| match text {
                        _ if illegal.contains(&n) => Answer::Illegal,
                        _ if dropped.contains(&n) => Answer::None,
                        text => Answer::Text(text.unwrap_or_default()),
                    })
                    .collect());
            } else {
                run.illegal.iter().for_each(|n| words[*n] = 0);
                illegal.extend(run.illegal);
            }
        }
    }

    /// The first word that makes the run fail: the shortest failing beginning ends with it.
    fn refused(&self, shape: Shape, words: &[u128]) -> Outcome<usize> {
        let (mut good, mut bad) = (0, words.len());
        while good + 1 < bad {
            let middle = good + (bad - good) / 2;
            if self.run(shape, &words[..middle])?.gave_up { bad = middle } else { good = middle }
        }
        Ok(good)
    }

    fn run(&self, shape: Shape, words: &[u128]) -> Outcome<Run> {
        let path = env::temp_dir().join(format!("upset-words-{}.bin", process::id()));
        let word = |w: &u128| w.to_le_bytes().into_iter().take(shape.bytes);
        let bytes: Vec<u8> = words.iter().flat_map(word).collect();
        fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        let done = self.spawn(shape, &path);
        let _ = fs::remove_file(&path);
        let (out, err) = done?;
        let run = Run {
            texts: texts(&out, words.len(), shape.bytes),
            illegal: addresses(&err, shape.bytes),
            gave_up: err.contains("More than one pattern") || err.contains("Unaligned instruction"),
        };
        if !err.trim().is_empty() && run.illegal.is_empty() && !run.gave_up {
            return Err(format!("nvdisasm says: {err}"));
        }
        Ok(run)
    }

    fn spawn(&self, shape: Shape, path: &Path) -> Outcome<(String, String)> {
        let done = Command::new(&self.0)
            .args(["-b", &format!("SM{}", shape.sm), "-hex"])
            .arg(path)
            .output()
            .map_err(|e| format!("cannot run {}: {e}", self.0.display()))?;
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Ok((text(&done.stdout), text(&done.stderr)))
    }
}

/// `        /*0040*/     LDG.E.SYS R2, [R2] ;    /* 0x0000000002027381 */`
fn texts(out: &str, count: usize, bytes: usize) -> Vec<Option<String>> {
    let mut texts = vec![None; count];
    for line in out.lines() {
        let Some((address, rest)) =
            line.trim_start().strip_prefix("/*").and_then(|l| l.split_once("*/"))
        else {
            continue;
        };
        let (Ok(address), Some((text, _))) =
            (u64::from_str_radix(address, 16), rest.rsplit_once(';'))
        else {
            continue;
        };
        if let Some(slot) = texts.get_mut(address as usize / bytes) {
            *slot = Some(normal(text));
        }
    }
    texts
}

/// `nvdisasm error   : Unrecognized operation for functional unit 'uC' at address 0x00000020`,
/// and other errors of the same shape.
fn addresses(err: &str, bytes: usize) -> BTreeSet<usize> {
    err.lines()
        .filter(|l| l.contains("error"))
        .filter_map(|l| l.rsplit_once("at address 0x"))
        .filter_map(|(_, hex)| u64::from_str_radix(hex.trim(), 16).ok())
        .map(|a| a as usize / bytes)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_at_their_addresses() {
        let out = "\t.headerflags @\"x\"\n        /*0010*/    NOP;  /* 0x0 */\n      /* 0x0 */\n";
        assert_eq!(texts(out, 2, 16), [None, Some("NOP".to_owned())]);
    }

    #[test]
    fn illegal_addresses_are_named_on_stderr() {
        let err = "nvdisasm error   : Unrecognized operation for functional unit 'uC' at address 0x00000020\n";
        assert_eq!(addresses(err, 16), BTreeSet::from([2]));
    }
}
