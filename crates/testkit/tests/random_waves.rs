//! Random programs of waves on every engine: the same memory in the end.
//!
//! `docs/random-programs.md` says what they are made of and how to look into
//! one that fails.

use upset_testkit::generate::ENGINES;
use upset_testkit::seeds::{self, setting};
use upset_testkit::tree::shrink;
use upset_testkit::waves::{self, WaveMismatch, WaveProgram};

/// Seeds of the default run.
const DEFAULT: u64 = 300;
/// Seeds of the full run.
const FULL: u64 = 10_000;

/// Makes a failing program small and says everything about it.
fn explain(failure: &WaveMismatch) -> String {
    let small = shrink(&failure.program, |p| waves::check(p).is_err());
    let last = waves::check(&small).expect_err("a shrunk program still fails");
    format!("{last}\nbefore it was made small: {}", failure.what)
}

fn all(seeds: std::ops::Range<u64>) {
    let failures = seeds::failures(seeds, |seed| waves::check(&WaveProgram::new(seed)).err());
    let list: Vec<String> =
        failures.iter().map(|(seed, f)| format!("seed {seed}: {}", f.what)).collect();
    if let Some((_, failure)) = failures.first() {
        let text = explain(failure);
        panic!("{text}\n{} programs failed:\n{}", list.len(), list.join("\n"));
    }
}

#[test]
fn random_waves_agree() {
    all(0..DEFAULT);
}

/// `RANDOM_FIRST` and `RANDOM_PROGRAMS` choose other seeds.
#[test]
#[ignore = "minutes; see docs/random-programs.md"]
fn ten_thousand_random_waves_agree() {
    let first = setting("RANDOM_FIRST").unwrap_or(0);
    all(first..first + setting("RANDOM_PROGRAMS").unwrap_or(FULL));
}

/// `RANDOM_SEED`: one program, its listing, and whether engines agree on it.
#[test]
#[ignore = "for looking at one program"]
fn one_random_wave_program() {
    let p = WaveProgram::new(setting("RANDOM_SEED").unwrap_or(0));
    println!("{} statements, {:?}\n{}", p.statements(), p.shape, p.image().listing());
    if let Err(failure) = waves::check(&p) {
        panic!("{}", explain(&failure));
    }
}

#[test]
fn an_engine_agrees_with_itself() {
    for seed in 0..40 {
        let p = WaveProgram::new(seed);
        for engine in ENGINES {
            if let Err(failure) = waves::compare(&p, *engine, *engine) {
                panic!("{failure}");
            }
        }
    }
}
