//! Lists of faults.

use std::collections::BTreeSet;

use upset_fault::Experiment;
use upset_grade::{Grader, Pick, list};

use crate::{ask, chip, faults, some};

/// 4 sub-cores x 16 lanes x 32 bits, each stuck at 0 and at 1.
#[test]
fn all_means_every_bit_and_both_values() {
    let all = faults("fma", "stuck", Pick::All);
    assert_eq!(all.len(), 4 * 16 * 32 * 2);
    let names: BTreeSet<&str> = all.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names.len(), all.len());
    assert!(names.contains("stuck0 fma:sm1.sub3.lane15.bit31@0.."));
    assert!(all.iter().all(|f| f.truth.sm == Some(1) && f.truth.lanes.len() == 2));
    assert_eq!(faults("fma", "stuck1", Pick::All).len(), 2048);
    assert_eq!(faults("alu", "stuck", Pick::All).len(), 4 * 16 * 34 * 2);
    assert_eq!(faults("fp64", "stuck", Pick::All).len(), 2 * 64 * 2);
}

/// A syndrome is of a whole result: with one bit it would be an inversion.
#[test]
fn a_syndrome_is_of_a_whole_entry() {
    for (structure, bits) in [("fma", 32), ("alu", 34), ("fp64", 64)] {
        for fault in some(structure, "syndrome:units", 4) {
            assert_eq!(fault.experiment.sites().count(), bits, "{}", fault.name);
        }
    }
    let all = faults("mufu", "syndrome:units", Pick::All);
    assert_eq!(all.len(), 4 * 4);
    let names: BTreeSet<&str> = all.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names.len(), 16);
}

/// What a list says is what `upset burn --fault` takes.
#[test]
fn names_replay_the_fault() {
    let registry = Grader::registry(&chip()).expect("arrays");
    for (structure, model) in
        [("fma", "stuck"), ("alu", "syndrome:units"), ("rf", "stuck"), ("mufu", "invert:rate=0.5")]
    {
        for fault in some(structure, model, 5) {
            let read = Experiment::parse(&fault.name, &registry).expect("a fault");
            assert_eq!(read, fault.experiment);
            assert!(fault.name.ends_with("@0.."), "{}", fault.name);
        }
    }
}

#[test]
fn draws_follow_from_the_seed_alone() {
    let names = |seed| -> Vec<String> {
        let drawn = faults("fma", "stuck", Pick::Drawn { runs: 20, seed });
        drawn.into_iter().map(|f| f.name).collect()
    };
    assert_eq!(names(1), names(1));
    assert_ne!(names(1), names(2));
}

#[test]
fn what_cannot_be_graded_is_refused() {
    let registry = Grader::registry(&chip()).expect("arrays");
    for (structure, model, why) in [
        ("fma", "flip", "faults that are graded last"),
        ("fma", "stuck1:500", "faults that are graded last"),
        ("mask", "stuck:rate=0.5", "is control state"),
        ("fmaa", "stuck", "no structure `fmaa`"),
    ] {
        let asked = ask(structure, model, Pick::All);
        let problem = list::list(&asked, &registry).expect_err("an error").to_string();
        assert!(problem.contains(why), "{structure} {model}: {problem}");
    }
}
