//! The programs' AVF is what their formula says, and intervals cover it.

use upset_metrics::Method;

use super::combined::{Stratum, Whole};
use super::programs::{self, STALL};
use super::repeat::{Sampling, Size, repeat};
use super::subject::Subject;
use super::table::Table;
use super::{direct, timeline::Held};

fn subject(program: programs::Program) -> Subject {
    Subject::new(program).expect("it runs")
}

#[test]
fn one_program_for_each_kind_of_array() {
    let arrays: Vec<&str> = programs::all().iter().map(|p| p.structure).collect();
    assert_eq!(arrays, ["rf", "smem", "l1d.data", "l2.data", "lmem", "pred", "ureg"]);
}

/// Every bit and stretch of cycles of the smallest array; of the others, bits
/// of every row.
#[test]
fn the_formula_is_what_the_simulation_gives() {
    for program in programs::all() {
        let s = subject(program);
        let bits = s.space.bits();
        let step = if bits < 1000 { 1 } else { 331 };
        let table = Table::of(&s, (0..bits).step_by(step).collect()).expect("runs");
        table.agrees(&s).expect("the formula");
        assert!(table.failing() > 0, "{}", s.program.name);
        assert_eq!(table.runs.tool_error, 0, "{}", s.program.name);
        if step == 1 {
            assert_eq!(table.failing(), s.held_area(), "{}", s.program.name);
        }
    }
}

/// A flip at the very cycle that a campaign draws is what its stretch was.
#[test]
fn all_cycles_of_a_stretch_have_one_outcome() {
    for program in programs::all() {
        let s = subject(program);
        let mut bits = Vec::new();
        for sampling in Sampling::of(&s).expect("samplings") {
            bits.extend((0..25).map(|n| sampling.draw(0, n).expect("a draw").0));
        }
        let table = Table::of(&s, bits).expect("runs");
        direct(&s, &table, 25).expect("the same");
    }
}

/// Where nothing waits for memory, the cycles follow from the schedule alone:
/// instructions issue `STALL` cycles apart, and a result arrives a few cycles
/// later after its issue than an operand is read.
#[test]
fn cycles_follow_from_the_schedule() {
    let kept = |s: &Subject, first: u64| -> Vec<u64> {
        let cycles = |h: &Held| h.cycles.end - h.cycles.start;
        s.held.iter().filter(|h| h.bits.start >= first).map(cycles).collect()
    };
    // Eight words are put and 20 instructions wait between put and take.
    let words = kept(&subject(programs::registers()), 8 * 1024);
    assert_eq!(words, [STALL * 28 - 4; 8]);
    let uniform = kept(&subject(programs::uniform()), 0);
    assert_eq!(uniform, [STALL * 28 - 1; 8]);
    // All are taken by one instruction.
    let predicates = kept(&subject(programs::predicates()), 0);
    let right: Vec<u64> = (0..6).map(|i| STALL * (26 - i) - 4).collect();
    assert_eq!(predicates, right);
}

/// Few campaigns: room for chance, none for a wrong formula.
#[test]
fn intervals_cover_the_truth() {
    let size = Size { campaigns: 300, runs: 300, relative: 0.3, margin: 0.05 };
    let mut strata = Vec::new();
    for program in [programs::predicates(), programs::uniform()] {
        let s = subject(program);
        let table = Table::whole(&s).expect("runs");
        assert_eq!(table.failing(), s.held_area());
        let sampling = &Sampling::of(&s).expect("samplings")[0];
        let done = repeat(sampling, &table, size).expect("campaigns");
        for covered in [done.wilson, done.exact, done.sequential] {
            let share = covered.share();
            assert!((0.91..=0.99).contains(&share), "{}: {share}", s.program.name);
        }
        let (covered, runs) = done.margin;
        assert!(covered.share() >= 0.91, "{}: {covered:?}", s.program.name);
        // Of 30 % and of 5 %: a half would take 402 runs.
        assert!((30.0..402.0).contains(&runs), "{}: {runs}", s.program.name);
        assert!(done.bias.abs() < 4.0, "{}: {}", s.program.name, done.bias);
        strata.push(Stratum {
            truth: s.truth(),
            bits: s.space.bits(),
            cycles: s.window().end - s.window().start,
            derating: 1.0,
            runs: size.runs,
            failures: done.failures,
        });
    }
    for whole in [Whole::Kernel, Whole::Application] {
        let covered = whole.coverage(&strata, Method::Wilson).expect("figures");
        assert!((0.91..=0.99).contains(&covered.share()), "{whole:?}: {covered:?}");
    }
}

/// A table that is wrong by a little is noticed: the test above can fail.
#[test]
fn a_biased_class_is_noticed() {
    let s = subject(programs::predicates());
    let table = Table::whole(&s).expect("runs");
    let mut wrong = subject(programs::predicates());
    // One row of seven fewer than there are.
    wrong.held.pop();
    assert!(table.agrees(&wrong).is_err());
    let sampling = &Sampling::of(&wrong).expect("samplings")[0];
    let size = Size { campaigns: 300, runs: 300, relative: 0.3, margin: 0.05 };
    let done = repeat(sampling, &table, size).expect("campaigns");
    assert!(done.wilson.share() < 0.91 && done.bias.abs() > 4.0, "{:?}", done.wilson);
}
