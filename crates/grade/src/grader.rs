//! One test on the model: in order, then with one fault at a time.

use std::sync::PoisonError;

use upset_burn::bench::Outcome;
use upset_burn::model::ModelBoard;
use upset_burn::{Bench, Board, BoardError, Effort, Injection, Level, Test};
use upset_chip::ChipSpec;
use upset_fault::{Experiment, Fault, Model, When};
use upset_state::how::Does;
use upset_state::{Registry, Site};
use upset_trial::{Driven, Fate, Stuck, driven};

use crate::{Grade, GradeError, Listed};

/// A launch hangs when it takes so many times the longest one of a test on a
/// chip in order. A stuck bit of a loop's counter ends it early, or goes round
/// the whole number: nothing comes to its end between.
const PATIENCE: u64 = 4;
/// Cycles that every launch may take besides: short ones wait for memory.
const SPARE: u64 = 20_000;

/// A test on the chip without a fault.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clean {
    /// Seconds that it takes, by the chip's clock.
    pub seconds: f64,
    /// Cycles.
    pub cycles: u64,
    /// The cycle after the first launch's last.
    pub first_launch: u64,
    /// Results that it compares.
    pub results: u64,
}

/// Grades a test.
pub struct Grader {
    chip: ChipSpec,
    test: &'static dyn Test,
    effort: Effort,
    seed: u64,
    limit: u64,
    /// Faults come when the first launch is over.
    late: bool,
    clean: Clean,
}

/// A run that came to its end, and how.
struct Run {
    outcome: Outcome,
    done: Result<(), BoardError>,
    hangs: bool,
    seconds: f64,
    /// First and one past the last cycle of each launch.
    launches: Vec<(u64, u64)>,
}

impl Grader {
    /// Runs the test on the chip in order, which it must pass, and with an error
    /// made on purpose: what it does when it finds something takes time as well.
    pub fn new(
        chip: &ChipSpec,
        test: &'static dyn Test,
        level: Level,
        seed: u64,
    ) -> Result<Grader, GradeError> {
        let name = test.about().name;
        if !test.about().not_on_model.is_empty() {
            let why = test.about().not_on_model.to_string();
            return Err(GradeError::CannotRun { test: name, why });
        }
        let effort = Effort { level, rounds: 1, bytes: None };
        let clean = Clean { seconds: 0.0, cycles: 0, first_launch: 0, results: 0 };
        let limit = upset_burn::model::LAUNCH_LIMIT;
        let mut grader =
            Grader { chip: chip.clone(), test, effort, seed, limit, late: false, clean };
        let run = grader.run(None, |_| {})?;
        let not_clean = |why: String| GradeError::NotClean { test: name, why };
        run.done.map_err(|e| GradeError::of(name, e))?;
        if run.outcome.findings.count() > 0 {
            return Err(not_clean(format!("{} wrong results", run.outcome.findings.count())));
        }
        if let Some(what) = run.outcome.uncovered.first() {
            return Err(not_clean(format!("it does not reach {what}")));
        }
        let mut longest = longest(&run.launches);
        grader.clean = Clean {
            seconds: run.seconds,
            cycles: run.launches.last().map_or(0, |l| l.1),
            first_launch: run.launches.first().map_or(0, |l| l.1),
            results: run.outcome.results,
        };
        if test.about().injectable {
            let error = Injection { sm: 0, sub_core: 0, lane: 0, mask: 1, period: 1 };
            let run = grader.run(Some(error), |_| {})?;
            longest = longest.max(self::longest(&run.launches));
        }
        grader.limit = PATIENCE * longest + SPARE;
        Ok(grader)
    }

    /// Faults come when the first launch is over, not with the first cycle: for
    /// a test that takes its own first result for right.
    pub fn with_late_faults(mut self) -> Grader {
        self.late = true;
        self
    }

    /// The test's name.
    pub fn name(&self) -> &'static str {
        self.test.about().name
    }

    /// The test without a fault.
    pub fn clean(&self) -> &Clean {
        &self.clean
    }

    /// All arrays of the chip.
    pub fn registry(chip: &ChipSpec) -> Result<Registry, BoardError> {
        Ok(ModelBoard::new(chip)?.registry())
    }

    /// Of each fault whether it can act in the test: a wire that is never driven
    /// with another value than the one it sticks at changes nothing, so the run
    /// with the fault is the run without it. What is not known can.
    pub fn can_act(&self, faults: &[Listed]) -> Result<Vec<bool>, GradeError> {
        let mut bits = Vec::new();
        let of: Vec<usize> = faults
            .iter()
            .map(|fault| {
                bits.extend(self.timed(&fault.experiment).faults.iter().flat_map(met_by));
                bits.len()
            })
            .collect();
        let (watch, seen) = driven::watch(Driven::new(bits));
        self.run(None, |board| board.device_mut().watch(watch))?;
        let fates = seen.lock().unwrap_or_else(PoisonError::into_inner).fates();
        let mut start = 0;
        let acts = of.iter().map(|&end| {
            let acts = fates[start..end].iter().any(|f| !matches!(f, Fate::Untouched));
            start = end;
            acts
        });
        Ok(acts.collect())
    }

    /// What the test makes of a fault that can act.
    pub fn grade(&self, fault: &Listed) -> Result<Grade, GradeError> {
        let experiment = self.timed(&fault.experiment);
        let run = self.run(None, |board| {
            for (cycle, change) in experiment.changes() {
                board.plan(cycle, change);
            }
        })?;
        if run.outcome.findings.count() > 0 {
            let near = fault.truth.nearness(&run.outcome);
            let seconds = run.outcome.noticed.unwrap_or(run.seconds);
            return Ok(Grade::Detected { near, seconds });
        }
        Ok(match run.done {
            Err(_) if run.hangs => Grade::Hang,
            Err(BoardError::Failed(what)) => Grade::Trap { what },
            // A fault can lead to an instruction that the model has not: a chip
            // would run it, or trap.
            Err(BoardError::CannotRun(what)) => Grade::Trap { what },
            Ok(()) => match run.outcome.uncovered.first() {
                Some(what) => Grade::NoVerdict { what: what.clone() },
                None => Grade::Masked,
            },
        })
    }

    /// The experiment at the time of this grader's faults.
    fn timed(&self, experiment: &Experiment) -> Experiment {
        let mut timed = experiment.clone();
        if self.late {
            for fault in &mut timed.faults {
                fault.when = When::From(self.clean.first_launch);
            }
        }
        timed
    }

    fn run(
        &self,
        inject: Option<Injection>,
        prepare: impl FnOnce(&mut ModelBoard),
    ) -> Result<Run, GradeError> {
        let name = self.test.about().name;
        let mut board = ModelBoard::new(&self.chip).map_err(|e| GradeError::of(name, e))?;
        board.limit_launches(self.limit);
        prepare(&mut board);
        let mut bench = Bench::new(&mut board, name, self.effort, self.seed);
        bench.inject = inject;
        let done = self.test.run(&mut bench);
        let outcome = bench.finish();
        let (seconds, hangs) = (board.seconds(), board.hangs());
        let launches =
            board.device_mut().launches().iter().map(|span| (span.start, span.end)).collect();
        Ok(Run { outcome, done, hangs, seconds, launches })
    }
}

fn longest(launches: &[(u64, u64)]) -> u64 {
    launches.iter().map(|(start, end)| end - start).max().unwrap_or(0)
}

/// Values that a wire must be driven with for a fault to act there.
fn met_by(fault: &Fault) -> Vec<Stuck> {
    let from = fault.when.first();
    let values: &[bool] = match fault.model {
        Model::Stuck(value) => {
            if value {
                &[true]
            } else {
                &[false]
            }
        }
        Model::Quirk(how) => match how.does {
            Does::Stick(true) => &[true],
            Does::Stick(false) => &[false],
            // Wrong whatever drives it: driven with either value.
            Does::Invert | Does::Syndrome(_) => &[false, true],
        },
        Model::Flip | Model::Burst { .. } => &[false, true],
    };
    let site = |bit: u64| Site { array: fault.array, bit };
    let of = |&bit: &u64| values.iter().map(move |&value| Stuck { site: site(bit), from, value });
    fault.bits.iter().flat_map(of).collect()
}
