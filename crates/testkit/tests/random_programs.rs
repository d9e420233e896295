//! Random programs on every engine: the same memory in the end.
//!
//! `docs/random-programs.md` says what they are made of and how to look into
//! one that fails.

use upset_sass::Arch;
use upset_testkit::generate::{self, Mismatch, Program, TIMING, shrink};
use upset_testkit::seeds::{self, setting};

/// Seeds of the default run, over all architectures.
const DEFAULT: u64 = 200;
/// Seeds of the full run.
const FULL: u64 = 10_000;

/// The program of a seed: architectures take turns.
fn program(seed: u64) -> Program {
    Program::new(seed, Arch::ALL[(seed % 4) as usize])
}

/// Makes a failing program small and says everything about it.
fn explain(failure: &Mismatch) -> String {
    let small = shrink(&failure.program, |p| generate::check(p).is_err());
    let last = generate::check(&small).expect_err("a shrunk program still fails");
    format!("{last}\nbefore it was made small: {}", failure.what)
}

fn all(seeds: std::ops::Range<u64>) {
    let failures = seeds::failures(seeds, |seed| generate::check(&program(seed)).err());
    let list: Vec<String> =
        failures.iter().map(|(seed, f)| format!("seed {seed}: {}", f.what)).collect();
    if let Some((_, failure)) = failures.first() {
        let text = explain(failure);
        panic!("{text}\n{} programs failed:\n{}", list.len(), list.join("\n"));
    }
}

#[test]
fn random_programs_agree() {
    all(0..DEFAULT);
}

/// `RANDOM_FIRST` and `RANDOM_PROGRAMS` choose other seeds.
#[test]
#[ignore = "minutes; see docs/random-programs.md"]
fn ten_thousand_random_programs_agree() {
    let first = setting("RANDOM_FIRST").unwrap_or(0);
    all(first..first + setting("RANDOM_PROGRAMS").unwrap_or(FULL));
}

/// `RANDOM_SEED`: one program, its listing, and whether engines agree on it.
#[test]
#[ignore = "for looking at one program"]
fn one_random_program() {
    let p = program(setting("RANDOM_SEED").unwrap_or(0));
    println!("{} statements, {:?}\n{}", p.statements(), p.shape, p.image().listing());
    if let Err(failure) = generate::check(&p) {
        panic!("{}", explain(&failure));
    }
}

#[test]
fn an_engine_agrees_with_itself() {
    for seed in 0..40 {
        let p = program(seed);
        for engine in generate::ENGINES {
            if let Err(failure) = generate::compare(&p, *engine, *engine) {
                panic!("{failure}");
            }
        }
    }
}

/// Debug builds count reads of registers whose result is still on its way:
/// stall counts cover the latencies of every chip.
#[test]
fn no_result_is_read_too_early() {
    for seed in 0..40 {
        let p = program(seed);
        let chip = generate::chip(&p).expect("a chip");
        let mut device = (TIMING.device)(&chip).expect("a device");
        generate::run(&p, &mut device).expect("it runs");
        let counted = device.stats().timing().expect("timing mode").cores.sm.hazards;
        assert_eq!(counted, 0, "seed {seed}");
    }
}
