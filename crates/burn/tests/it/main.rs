//! Tests of the tests, on the model.

mod classes;
mod references;
mod schema;
mod storage;
mod stuck;
mod tensor;
mod tester;
mod tests_page;

use upset_burn::model::ModelBoard;
use upset_burn::record::Record;
use upset_burn::suite::{self, Plan};
use upset_burn::{Board, Effort, Injection, Kind, Level};
use upset_chip::ChipSpec;
use upset_fault::Experiment;

/// The RTX 2060 with fewer SMs, so that a run takes a second.
pub fn small(sms: u32) -> ModelBoard {
    small_of("rtx2060", sms)
}

/// Another chip with fewer SMs.
pub fn small_of(chip: &str, sms: u32) -> ModelBoard {
    let chip = ChipSpec::load(chip, &[format!("sm.count={sms}")]).expect("a chip");
    ModelBoard::new(&chip).expect("a board")
}

/// Breaks a chip from its first cycle on.
pub fn break_it(board: &mut ModelBoard, fault: &str) {
    let experiment = Experiment::parse(fault, &board.registry()).expect("a fault");
    for (cycle, change) in experiment.changes() {
        board.plan(cycle, change);
    }
}

/// Runs tests of level 1.
pub fn burn(board: &mut dyn Board, names: &[&str], inject: Option<Injection>) -> Record {
    let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
    let (tests, left_out) = Plan::choose(&names, Level::One, Kind::Model).expect("tests");
    let plan = Plan {
        tests,
        left_out,
        effort: Effort { level: Level::One, rounds: 1, bytes: None },
        seed: 0,
        inject,
        duration: None,
        iterations: 1,
        stop_at_first: false,
    };
    suite::run(board, &plan, "test", &mut |_| {})
}
