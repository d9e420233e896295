//! Asking nvdisasm about raw instruction words.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

use upset_sass::{Arch, Word};
use upset_testkit::nvdisasm::{Answer, BATCH, normal};

use crate::Outcome;

/// NVIDIA's disassembler.
pub struct Nvdisasm(PathBuf);

/// One run's output.
struct Run {
    /// Texts by word number.
    texts: Vec<Option<String>>,
    /// Words it calls illegal.
    illegal: BTreeSet<usize>,
    /// It gave up: some word has more than one meaning.
    ambiguous: bool,
}

impl Nvdisasm {
    /// The program at `path`.
    pub fn new(path: PathBuf) -> Nvdisasm {
        Nvdisasm(path)
    }

    /// Its answers, the `n`-th word standing at `16 * (n % BATCH)`.
    pub fn ask(&self, arch: Arch, words: &[Word]) -> Outcome<Vec<Answer>> {
        let mut answers = Vec::with_capacity(words.len());
        for batch in words.chunks(BATCH) {
            answers.extend(self.batch(arch, batch)?);
        }
        Ok(answers)
    }

    /// Its answer for one word at an address.
    pub fn ask_at(&self, arch: Arch, word: Word, address: u64) -> Outcome<Answer> {
        let mut words = vec![Word(0); (address / 16) as usize];
        words.push(word);
        Ok(self.batch(arch, &words)?.pop().unwrap_or(Answer::None))
    }

    /// One batch. With an illegal word nvdisasm prints no text at all but names
    /// every illegal address, so they are replaced by NOPs (all zeroes) and it is
    /// asked again. Ambiguous words end the run without naming the word: they are
    /// found by halving.
    fn batch(&self, arch: Arch, words: &[Word]) -> Outcome<Vec<Answer>> {
        let mut words = words.to_vec();
        let mut illegal = BTreeSet::new();
        let mut dropped = BTreeSet::new();
        loop {
            let run = self.run(arch, &words)?;
            if run.ambiguous {
                let bad = self.ambiguous(arch, &words)?;
                words[bad] = Word(0);
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
                run.illegal.iter().for_each(|n| words[*n] = Word(0));
                illegal.extend(run.illegal);
            }
        }
    }

    /// The first word that makes the run fail: the shortest failing beginning ends with it.
    fn ambiguous(&self, arch: Arch, words: &[Word]) -> Outcome<usize> {
        let (mut good, mut bad) = (0, words.len());
        while good + 1 < bad {
            let middle = good + (bad - good) / 2;
            if self.run(arch, &words[..middle])?.ambiguous { bad = middle } else { good = middle }
        }
        Ok(good)
    }

    fn run(&self, arch: Arch, words: &[Word]) -> Outcome<Run> {
        let path = env::temp_dir().join(format!("upset-words-{}.bin", process::id()));
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.0.to_le_bytes()).collect();
        fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        let done = self.spawn(arch, &path);
        let _ = fs::remove_file(&path);
        let (out, err) = done?;
        let run = Run {
            texts: texts(&out, words.len()),
            illegal: addresses(&err),
            ambiguous: err.contains("More than one pattern"),
        };
        if !err.trim().is_empty() && run.illegal.is_empty() && !run.ambiguous {
            return Err(format!("nvdisasm says: {err}"));
        }
        Ok(run)
    }

    fn spawn(&self, arch: Arch, path: &Path) -> Outcome<(String, String)> {
        let done = Command::new(&self.0)
            .args(["-b", &format!("SM{}", arch.number()), "-hex"])
            .arg(path)
            .output()
            .map_err(|e| format!("cannot run {}: {e}", self.0.display()))?;
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Ok((text(&done.stdout), text(&done.stderr)))
    }
}

/// `        /*0040*/     LDG.E.SYS R2, [R2] ;    /* 0x0000000002027381 */`
fn texts(out: &str, count: usize) -> Vec<Option<String>> {
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
        if let Some(slot) = texts.get_mut((address / 16) as usize) {
            *slot = Some(normal(text));
        }
    }
    texts
}

/// `nvdisasm error   : Unrecognized operation for functional unit 'uC' at address 0x00000020`,
/// and other errors of the same shape.
fn addresses(err: &str) -> BTreeSet<usize> {
    err.lines()
        .filter(|l| l.contains("error"))
        .filter_map(|l| l.rsplit_once("at address 0x"))
        .filter_map(|(_, hex)| u64::from_str_radix(hex.trim(), 16).ok())
        .map(|a| (a / 16) as usize)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_at_their_addresses() {
        let out = "\t.headerflags @\"x\"\n        /*0010*/    NOP;  /* 0x0 */\n      /* 0x0 */\n";
        assert_eq!(texts(out, 2), [None, Some("NOP".to_owned())]);
    }

    #[test]
    fn illegal_addresses_are_named_on_stderr() {
        let err = "nvdisasm error   : Unrecognized operation for functional unit 'uC' at address 0x00000020\n";
        assert_eq!(addresses(err), BTreeSet::from([2]));
    }
}
