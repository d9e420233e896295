//! sm_35 of `cargo xtask oracle`: nvdisasm's answers, recorded and compared.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use upset_sass::container::cubin;
use upset_sass::kepler::{Control, Word};
use upset_testkit::nvdisasm::Answer;
use upset_testkit::nvdisasm::kepler::{KeplerRecord, compare, probes};
use upset_testkit::ptx::Assembler;
use upset_testkit::ptx::record::Recording;
use upset_toolkit::Toolkit;

use crate::nvdisasm::Nvdisasm;
use crate::{Outcome, root};

const SM: u32 = 35;
/// Differences shown.
const SHOWN: usize = 20;
/// Folders whose CUDA sources are compiled. What sm_35 cannot do does not
/// compile and is left out; `LEAST` guards against leaving out all.
const SOURCES: [&str; 7] = [
    "kernels",
    "kernels/micro",
    "kernels/quarantine",
    "docs/examples",
    "crates/device/tests/kernels",
    "oracles/nvdisasm/coverage",
    "programs",
];
/// What nvcc is told: one program has device lambdas, and warnings that sm_35 is
/// old help nobody.
const FLAGS: [&str; 4] = ["-w", "--extended-lambda", "-arch=sm_35", "-cubin"];
/// Sources that do compile: fewer mean that something else went wrong.
const LEAST: usize = 80;

fn file() -> PathBuf {
    root().join(format!("oracles/nvdisasm/sm_{SM}.z"))
}

/// Asks nvdisasm about real code and words made from it, and writes the answers.
pub fn record(toolkit: &Toolkit) -> Outcome<()> {
    let nvdisasm = Nvdisasm::new(toolkit.tool("nvdisasm"));
    let words = real_words(toolkit)?;
    let texts = nvdisasm
        .ask_kepler(&words)?
        .into_iter()
        .zip(&words)
        .map(|(answer, word)| match answer {
            Answer::Text(text) => Ok(text),
            _ => Err(format!("nvdisasm does not know {word:?} of sm_{SM}")),
        })
        .collect::<Outcome<Vec<_>>>()?;
    let probes = probes(&words);
    let asked: Vec<Word> = probes.iter().map(|p| p.word).collect();
    let answers = nvdisasm.ask_kepler(&asked)?;
    let expected = answers
        .iter()
        .zip(&probes)
        .map(|(a, p)| KeplerRecord::expect(p.base.map(|b| texts[b].as_str()), a))
        .collect();
    let record = KeplerRecord { words, texts, expected };
    let bytes = record.to_bytes();
    fs::write(file(), &bytes).map_err(|e| format!("{}: {e}", file().display()))?;
    let (real, made) = (record.words.len(), record.expected.len());
    println!("sm_{SM}: {real} real words, {made} made ones, {} bytes", bytes.len());
    Ok(())
}

/// Assembles PTX for sm_35 and for a trusted chip, and writes the code of the one
/// with what the other makes of it.
pub fn record_ptx(toolkit: &Toolkit) -> Outcome<()> {
    let assembler = Assembler::new(toolkit.tool("ptxas"));
    let recording = Recording::new(&assembler).map_err(|e| e.to_string())?;
    let bytes = recording.to_bytes();
    let path = root().join(format!("oracles/ptx/sm_{SM}.z"));
    fs::write(&path, &bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    let (single, random) = recording.launches();
    println!("{single} launches of single instructions, {random} programs, {} bytes", bytes.len());
    Ok(())
}

/// Compares our decoder with the recording: number of words that differ.
pub fn compare_all(toolkit: Option<&Toolkit>) -> Outcome<usize> {
    let bytes = fs::read(file()).map_err(|e| format!("cannot read {}: {e}", file().display()))?;
    let record = KeplerRecord::from_bytes(&bytes).map_err(|e| e.to_string())?;
    let s = compare(&record);
    println!(
        "sm_{SM}: {} real words, {} made ones ({} of them illegal, {} unanswered): {} differ",
        s.real,
        s.made,
        s.illegal,
        s.unanswered,
        s.differences.len()
    );
    for d in s.differences.iter().take(SHOWN) {
        let live = match (&d.theirs, toolkit) {
            (Some(text), _) => text.clone(),
            (None, Some(t)) => {
                let nvdisasm = Nvdisasm::new(t.tool("nvdisasm"));
                format!("{:?}", nvdisasm.ask_kepler_at(d.word, d.address)?)
            }
            (None, None) => "(another text)".to_owned(),
        };
        println!(
            "  {:?} at {:#x}\n    nvdisasm {live}\n    ours     {:?}",
            d.word, d.address, d.ours
        );
    }
    Ok(s.differences.len())
}

/// The distinct words of everything that compiles, without control words.
fn real_words(toolkit: &Toolkit) -> Outcome<Vec<Word>> {
    let scratch = std::env::temp_dir().join(format!("upset-oracle-{SM}-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
    let result = compile(toolkit, &scratch);
    let _ = fs::remove_dir_all(&scratch);
    result
}

fn compile(toolkit: &Toolkit, scratch: &Path) -> Outcome<Vec<Word>> {
    let mut words = BTreeSet::new();
    let mut compiled = 0;
    let output = scratch.join("code.cubin");
    for source in sources()? {
        let folder = source.parent().unwrap_or(Path::new("."));
        let mut nvcc = Command::new(toolkit.nvcc());
        nvcc.current_dir(folder).args(toolkit.host_arguments()).args(FLAGS);
        let done = nvcc.arg("-o").arg(&output).arg(&source).output();
        if !done.map_err(|e| format!("cannot run nvcc: {e}"))?.status.success() {
            continue;
        }
        compiled += 1;
        let bytes = fs::read(&output).map_err(|e| format!("{}: {e}", output.display()))?;
        let module = cubin::parse(&bytes).map_err(|e| format!("{}: {e}", source.display()))?;
        for section in &module.code {
            let chunks = section.code.bytes.as_chunks::<{ Word::BYTES }>().0;
            words.extend(
                chunks
                    .iter()
                    .map(|c| Word::from_bytes(*c))
                    .filter(|w| Control::of(*w).is_none())
                    .map(|w| w.0),
            );
        }
    }
    if compiled < LEAST {
        return Err(format!("only {compiled} sources compile for sm_{SM}, expected {LEAST}"));
    }
    Ok(words.into_iter().map(Word).collect())
}

/// All CUDA sources, in a fixed order.
fn sources() -> Outcome<Vec<PathBuf>> {
    let mut found = BTreeSet::new();
    for folder in SOURCES {
        let folder = root().join(folder);
        for path in entries(&folder)? {
            if path.is_dir() {
                found.extend(entries(&path)?);
            } else {
                found.insert(path);
            }
        }
    }
    Ok(found.into_iter().filter(|p| p.extension().is_some_and(|e| e == "cu")).collect())
}

fn entries(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let list = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    list.map(|e| e.map(|e| e.path()).map_err(|e| e.to_string())).collect()
}
