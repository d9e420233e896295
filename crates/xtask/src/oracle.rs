//! `cargo xtask oracle`: nvdisasm's answers, recorded and compared with ours.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use upset_sass::container::cubin;
use upset_sass::{Arch, Word};
use upset_testkit::Rng;
use upset_testkit::nvdisasm::{Accepted, Answer, Record, Summary, compare};
use upset_toolkit::{CompileTarget, Toolkit};

use crate::nvdisasm::Nvdisasm;
use crate::{Outcome, oracle_kepler, root};

const USAGE: &str =
    "usage: cargo xtask oracle nvdisasm | nvdisasm-35 | ptx-35 | compare [--cuda PREFIX]";
/// Real words of each architecture whose 128 flips are recorded.
const FLIPPED: usize = 1200;
/// Stream of the sample; another seed takes another sample.
const SEED: u64 = 2;
/// Differences shown per architecture.
const SHOWN: usize = 20;

/// Runs the command.
pub fn command(words: &[String]) -> Outcome<()> {
    let (verb, rest) = words.split_first().ok_or(USAGE)?;
    let prefix = match rest {
        [] => None,
        [flag, prefix] if flag == "--cuda" => Some(PathBuf::from(prefix)),
        _ => return Err(USAGE.into()),
    };
    match verb.as_str() {
        "nvdisasm" => record(&Toolkit::of_repository(prefix.as_deref(), &root())?),
        "nvdisasm-35" => {
            oracle_kepler::record(&Toolkit::of_repository(prefix.as_deref(), &root())?)
        }
        "ptx-35" => oracle_kepler::record_ptx(&Toolkit::of_repository(prefix.as_deref(), &root())?),
        "compare" => compare_all(Toolkit::of_repository(prefix.as_deref(), &root()).ok().as_ref()),
        _ => Err(USAGE.into()),
    }
}

fn folder() -> PathBuf {
    root().join("oracles/nvdisasm")
}

fn file(arch: Arch) -> PathBuf {
    folder().join(format!("{arch}.z"))
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))
}

/// Asks nvdisasm about real code and its flips, and writes the answers.
fn record(toolkit: &Toolkit) -> Outcome<()> {
    let nvdisasm = Nvdisasm::new(toolkit.tool("nvdisasm"));
    for arch in Arch::ALL {
        let words = real_words(toolkit, arch)?;
        let texts = texts_of(&nvdisasm, arch, &words)?;
        let flipped = choose(&words);
        let flips: Vec<Word> = flipped
            .iter()
            .flat_map(|i| (0..128).map(|bit| Word(words[*i as usize].0 ^ 1 << bit)))
            .collect();
        let answers = nvdisasm.ask(arch, &flips)?;
        let flips = answers
            .iter()
            .enumerate()
            .map(|(n, a)| Record::expect(&texts[flipped[n / 128] as usize], a))
            .collect();
        let record = Record { words, texts, flipped, flips };
        let bytes = record.to_bytes();
        fs::write(file(arch), &bytes).map_err(|e| format!("{}: {e}", file(arch).display()))?;
        println!(
            "{arch}: {} real words, {} flips, {} bytes",
            record.words.len(),
            record.flips.len(),
            bytes.len()
        );
    }
    Ok(())
}

/// The texts of real code: every word must have one, even if it is empty.
fn texts_of(nvdisasm: &Nvdisasm, arch: Arch, words: &[Word]) -> Outcome<Vec<String>> {
    nvdisasm
        .ask(arch, words)?
        .into_iter()
        .zip(words)
        .map(|(answer, word)| match answer {
            Answer::Text(text) => Ok(text),
            _ => Err(format!("nvdisasm does not know {word:?} of {arch}, which its compiler made")),
        })
        .collect()
}

/// The distinct words of our kernels and of the coverage sources.
fn real_words(toolkit: &Toolkit, arch: Arch) -> Outcome<Vec<Word>> {
    let mut words = BTreeSet::new();
    for path in files(&root().join("kernels"), &format!(".{arch}.cubin"))? {
        collect(&read(&path)?, &path, &mut words)?;
    }
    let scratch = std::env::temp_dir().join(format!("upset-oracle-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
    let result = compile_coverage(toolkit, arch, &scratch, &mut words);
    let _ = fs::remove_dir_all(&scratch);
    result?;
    Ok(words.into_iter().map(Word).collect())
}

fn compile_coverage(
    toolkit: &Toolkit,
    arch: Arch,
    scratch: &Path,
    words: &mut BTreeSet<u128>,
) -> Outcome<()> {
    for source in files(&folder().join("coverage"), ".cu")? {
        // `name.75.cu` needs sm_75 or newer.
        let least =
            source.file_stem().and_then(|s| Path::new(s).extension()?.to_str()?.parse().ok());
        if least.is_some_and(|sm: u32| sm > arch.number()) {
            continue;
        }
        let output = scratch.join("code.cubin");
        let (source, out) = (source.display().to_string(), output.display().to_string());
        toolkit.compile(&folder(), &source, CompileTarget::Cubin(arch.number()), &out)?;
        collect(&read(&output)?, &output, words)?;
    }
    Ok(())
}

fn collect(bytes: &[u8], path: &Path, words: &mut BTreeSet<u128>) -> Outcome<()> {
    let module = cubin::parse(bytes).map_err(|e| format!("{}: {e}", path.display()))?;
    for section in &module.code {
        let chunks = section.code.bytes.as_chunks::<{ Word::BYTES }>().0;
        words.extend(chunks.iter().map(|c| u128::from_le_bytes(*c)));
    }
    Ok(())
}

/// Files below `folder` whose name ends with `end`, in a fixed order.
fn files(folder: &Path, end: &str) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries =
        fs::read_dir(folder).map_err(|e| format!("cannot list {}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| format!("{}: {e}", folder.display()))?.path();
        if path.is_dir() {
            found.extend(files(&path, end)?);
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The words to flip: one of every shape (opcode, form, modifiers), then others
/// until the sample is full.
fn choose(words: &[Word]) -> Vec<u32> {
    let mut rng = Rng::new(SEED);
    let mut order: Vec<u32> = (0..words.len() as u32).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, rng.below(i as u32 + 1) as usize);
    }
    let mut shapes = BTreeMap::new();
    for i in &order {
        let w = words[*i as usize];
        shapes.entry((w.bits(0, 12), w.bits(72, 20))).or_insert(*i);
    }
    let first: BTreeSet<u32> = shapes.into_values().collect();
    let mut chosen: Vec<u32> = order.iter().copied().filter(|i| first.contains(i)).collect();
    chosen.extend(order.iter().copied().filter(|i| !first.contains(i)));
    chosen.truncate(FLIPPED);
    chosen
}

/// Compares our decoder with the recordings.
fn compare_all(toolkit: Option<&Toolkit>) -> Outcome<()> {
    let accepted = folder().join("accepted.toml");
    let accepted = String::from_utf8_lossy(&read(&accepted)?).into_owned();
    let accepted = Accepted::parse(&accepted).map_err(|e| e.to_string())?;
    let mut wrong = 0;
    let mut used = vec![0usize; accepted.len()];
    for arch in Arch::ALL {
        let record = Record::from_bytes(&read(&file(arch))?).map_err(|e| e.to_string())?;
        let mut summary = compare(&record, arch);
        let all = summary.differences.len();
        summary.differences.retain(|d| {
            let by = accepted.iter().position(|a| !d.real && a.covers(arch, d.word));
            by.inspect(|n| used[*n] += 1).is_none()
        });
        wrong += summary.differences.len();
        report(arch, &summary, all, toolkit)?;
    }
    wrong += oracle_kepler::compare_all(toolkit)?;
    for (entry, count) in accepted.iter().zip(&used) {
        println!("accepted {count}: {}", entry.reason);
    }
    match wrong {
        0 => Ok(()),
        n => Err(format!("{n} words differ from nvdisasm and are not accepted")),
    }
}

fn report(arch: Arch, s: &Summary, all: usize, toolkit: Option<&Toolkit>) -> Outcome<()> {
    let accepted = all - s.differences.len();
    println!(
        "{arch}: {} real words, {} flips ({} unanswered): {} differ, {accepted} of them accepted",
        s.real, s.flips, s.unanswered, all
    );
    for (name, (count, differ)) in &s.by_name {
        if *differ > 0 {
            println!("    {name}: {differ} of {count} differ");
        }
    }
    let shown = &s.differences[..s.differences.len().min(SHOWN)];
    for d in shown {
        let live = match (&d.theirs, toolkit) {
            (Some(text), _) => text.clone(),
            (None, Some(t)) => {
                let nvdisasm = Nvdisasm::new(t.tool("nvdisasm"));
                format!("{:?}", nvdisasm.ask_at(arch, d.word, d.address)?)
            }
            (None, None) => "(another text)".to_owned(),
        };
        println!(
            "  {:?} at {:#x}\n    nvdisasm {live}\n    ours     {:?}",
            d.word, d.address, d.ours
        );
    }
    Ok(())
}
