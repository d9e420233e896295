//! Grades of tests on a small chip.

mod grades;
mod lists;

use upset_burn::{Level, Test, all_tests};
use upset_chip::ChipSpec;
use upset_grade::{Ask, Grader, Listed, Pick, list};

/// The RTX 2060 with two SMs.
pub fn chip() -> ChipSpec {
    ChipSpec::load("rtx2060", &["sm.count=2".to_string()]).expect("a chip")
}

/// A grader of level 1.
pub fn grader(test: &str) -> Grader {
    let named: &'static dyn Test =
        all_tests().into_iter().find(|t| t.about().name == test).expect("a test");
    Grader::new(&chip(), named, Level::One, 0).expect("a grader")
}

/// What is asked for of SM 1.
pub fn ask(structure: &str, model: &str, pick: Pick) -> Ask {
    Ask {
        structure: structure.parse().expect("a structure"),
        model: model.parse().expect("a model"),
        sm: Some(1),
        pick,
    }
}

/// Faults of SM 1.
pub fn faults(structure: &str, model: &str, pick: Pick) -> Vec<Listed> {
    let registry = Grader::registry(&chip()).expect("arrays");
    list::list(&ask(structure, model, pick), &registry).expect("faults")
}

/// Some faults, the same each time.
pub fn some(structure: &str, model: &str, runs: u64) -> Vec<Listed> {
    faults(structure, model, Pick::Drawn { runs, seed: 3 })
}
