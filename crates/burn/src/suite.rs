//! Running tests one after the other.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use crate::bench::Outcome;
use crate::chip::Coverage;
use crate::classify::{Tally, classify};
use crate::record::{LeftOut, Readings, Record, SCHEMA, STOPPED, SmRecord, State, TestRecord};
use crate::sensors::{EccCount, Sensors};
use crate::stop::Stoppable;
use crate::topology::Tpcs;
use crate::{
    About, Bench, Board, BoardError, Effort, Injection, Kind, Level, Place, Test, TestAbout,
    all_tests, pipes, portable,
};

/// What to run.
pub struct Plan {
    /// The tests, in order.
    pub tests: Vec<&'static dyn Test>,
    /// Those that are not run although nobody said so.
    pub left_out: Vec<LeftOut>,
    /// How much.
    pub effort: Effort,
    /// Seed of random operands.
    pub seed: u64,
    /// An error to make.
    pub inject: Option<Injection>,
    /// Go on, round after round, until this many seconds have passed.
    pub duration: Option<f64>,
    /// Rounds over all tests.
    pub iterations: u32,
    /// End with the first test that finds something.
    pub stop_at_first: bool,
}

impl Plan {
    /// The tests of these names, or those of a level when none is named.
    pub fn choose(
        names: &[String],
        level: Level,
        kind: Kind,
    ) -> Result<(Vec<&'static dyn Test>, Vec<LeftOut>), String> {
        let all = all_tests();
        if !names.is_empty() {
            let find = |name: &String| {
                let found = all.iter().find(|t| t.about().name == name).copied();
                found.ok_or_else(|| {
                    let known: Vec<_> = all.iter().map(|t| t.about().name).collect();
                    format!("no test `{name}`; there are {}", known.join(" "))
                })
            };
            let tests = names.iter().map(find).collect::<Result<_, _>>()?;
            return Ok((tests, Vec::new()));
        }
        let mut left_out = Vec::new();
        let tests = all
            .into_iter()
            .filter(|t| {
                let about = t.about();
                match why_left_out(about, level, kind) {
                    Some(why) => {
                        left_out.push(LeftOut { name: about.name, why });
                        false
                    }
                    None => true,
                }
            })
            .collect();
        Ok((tests, left_out))
    }
}

fn why_left_out(about: &TestAbout, level: Level, kind: Kind) -> Option<String> {
    match (portable::is(about.name), kind == Kind::Opencl) {
        (true, false) => return Some(portable::FOR_OPENCL.to_string()),
        (false, true) => return Some(portable::NOT_PORTABLE.to_string()),
        _ => {}
    }
    if kind == Kind::Model && !about.not_on_model.is_empty() {
        return Some(about.not_on_model.to_string());
    }
    (about.from > level).then(|| format!("from level {} on", u8::from(about.from)))
}

/// What is going on, for those who watch.
pub enum Event<'a> {
    /// A test begins: its number from 0, how many there are, the round.
    Begins(&'a TestAbout, usize, usize, u32),
    /// A test ended for now.
    Ended(&'a TestRecord),
}

/// How one run of a test ended.
enum Ended {
    /// By itself, whatever it found.
    Done,
    /// The device failed.
    DeviceFailed,
    /// Somebody stopped it.
    Stopped,
}

/// One test over all its rounds.
struct Sum {
    about: &'static TestAbout,
    runs: u32,
    seconds: f64,
    outcome: Outcome,
    trouble: Option<BoardError>,
}

/// Seconds between readings of the sensors after the first round: one takes
/// milliseconds on real boards, and records are read by people, too.
const READ_EVERY: f64 = 1.0;
/// Readings that are kept; of more, every second one.
const READINGS: usize = 512;

/// Runs the plan.
pub fn run(
    board: &mut dyn Board,
    plan: &Plan,
    program: &str,
    hear: &mut dyn FnMut(Event<'_>),
) -> Record {
    run_until(board, plan, program, &AtomicBool::new(false), hear)
}

/// Runs the plan until `stop` is set. Then the record tells what ran until then;
/// its exit code is [`STOPPED`] unless something was found.
pub fn run_until(
    board: &mut dyn Board,
    plan: &Plan,
    program: &str,
    stop: &AtomicBool,
    hear: &mut dyn FnMut(Event<'_>),
) -> Record {
    let board = &mut Stoppable::new(board, stop);
    let before = board.sensors();
    let start = board.seconds();
    let mut during = Vec::new();
    let mut read_at = start;
    let mut sums: Vec<Sum> = plan.tests.iter().map(|t| Sum::new(t.about())).collect();
    let mut dead: Option<String> = None;
    let mut round = 0;
    let mut stopped = false;
    'rounds: loop {
        for (i, test) in plan.tests.iter().enumerate() {
            let about = test.about();
            if let Some(why) = &dead {
                sums[i].could_not(why.clone());
                continue;
            }
            if board.stopped() {
                stopped = true;
                break 'rounds;
            }
            hear(Event::Begins(about, i, plan.tests.len(), round));
            let refused = board.about().kind == Kind::Model && !about.not_on_model.is_empty();
            if refused {
                sums[i].could_not(about.not_on_model.to_string());
            } else {
                // Other operands in each round.
                let seed = plan.seed.wrapping_add(u64::from(round));
                match sums[i].run(*test, board, plan, seed) {
                    Ended::Done => {}
                    Ended::Stopped => {
                        stopped = true;
                        break 'rounds;
                    }
                    Ended::DeviceFailed => match board.renew() {
                        Ok(()) => sums[i].note("what came after ran in a new context".into()),
                        Err(e) => {
                            dead = Some(format!("the device failed in test {}: {e}", about.name));
                        }
                    },
                }
            }
            if round == 0 || board.seconds() - read_at >= READ_EVERY {
                read_at = board.seconds();
                during.push(board.sensors());
                thin(&mut during);
            }
            let record = sums[i].record(&None);
            hear(Event::Ended(&record));
            if plan.stop_at_first && record.state == State::Failed {
                break 'rounds;
            }
        }
        round += 1;
        let go_on = match plan.duration {
            Some(seconds) => board.seconds() - start < seconds,
            None => round < plan.iterations,
        };
        if !go_on || dead.is_some() {
            break;
        }
    }
    if stopped {
        sums.iter_mut().filter(|s| s.runs == 0).for_each(|s| s.could_not("stopped before".into()));
    }
    let after = board.sensors();
    let moved = moved(&before, &after);
    let tpcs = known_tpcs(board, &sums);
    let tests: Vec<TestRecord> = sums.iter().map(|s| s.record(&tpcs)).collect();
    let tally = sums.iter().fold(Tally::default(), |mut all, s| {
        all.join(&s.outcome.tally);
        all
    });
    let about = board.about().clone();
    let verdict = classify(&tally, &tpcs).map(|v| pipes::told(v, board.fp32_pipes(), &tests));
    Record {
        schema: SCHEMA,
        program: program.to_string(),
        level: plan.effort.level,
        seed: plan.seed,
        injected: plan.inject,
        asked: plan.tests.iter().map(|t| t.about().name).collect(),
        left_out: plan.left_out.clone(),
        verdict,
        map: map(&about, &sums, &tally),
        board: about,
        exit_code: match Record::code(&tests, &moved) {
            1 => 1,
            _ if stopped => STOPPED,
            code => code,
        },
        tests,
        sensors: Readings { before, during, after, moved },
    }
}

impl Sum {
    fn new(about: &'static TestAbout) -> Sum {
        Sum { about, runs: 0, seconds: 0.0, outcome: Outcome::default(), trouble: None }
    }

    fn could_not(&mut self, why: String) {
        self.trouble.get_or_insert(BoardError::CannotRun(why));
    }

    fn note(&mut self, what: String) {
        if !self.outcome.notes.contains(&what) {
            self.outcome.notes.push(what);
        }
    }

    /// Runs it once.
    fn run(&mut self, test: &dyn Test, board: &mut Stoppable<'_>, plan: &Plan, seed: u64) -> Ended {
        let start = board.seconds();
        let mut bench = Bench::new(board, self.about.name, plan.effort, seed);
        bench.inject = plan.inject;
        let done = test.run(&mut bench);
        if let Err(BoardError::Failed(why)) = &done {
            bench.find("device failed", Place::default(), (0, 0, 0), why.clone());
        }
        let outcome = bench.finish();
        let stopped = matches!(done, Err(BoardError::CannotRun(_))) && board.stopped();
        self.seconds += board.seconds() - start;
        if stopped {
            // Rounds before count; of this one only what it found.
            if self.runs == 0 {
                self.could_not("stopped before its end".into());
            }
            if self.runs == 0 || outcome.findings.count() > 0 {
                self.outcome.join(outcome);
            }
            return Ended::Stopped;
        }
        self.outcome.join(outcome);
        self.runs += 1;
        let failed = matches!(done, Err(BoardError::Failed(_)));
        if let Err(e) = done {
            self.trouble.get_or_insert(e);
        }
        if failed { Ended::DeviceFailed } else { Ended::Done }
    }

    fn record(&self, tpcs: &Tpcs) -> TestRecord {
        let errors = self.outcome.findings.count();
        let (state, why) = match (&self.trouble, errors) {
            (Some(BoardError::Failed(why)), _) => (State::Failed, why.clone()),
            (_, 1..) => (State::Failed, format!("{errors} wrong results")),
            (Some(BoardError::CannotRun(why)), 0) => (State::CouldNotRun, why.clone()),
            (None, 0) if self.runs == 0 => (State::CouldNotRun, "its turn never came".into()),
            (None, 0) if !self.outcome.uncovered.is_empty() => {
                (State::NotCovered, self.outcome.uncovered.join("; "))
            }
            (None, 0) => (State::Passed, String::new()),
        };
        TestRecord {
            name: self.about.name,
            group: self.about.group,
            unit: self.about.unit,
            oracle: self.about.oracle,
            state,
            why,
            runs: self.runs,
            seconds: self.seconds,
            results: self.outcome.results,
            references: self.outcome.references,
            lanes: self.outcome.coverage.count(),
            sms: self.outcome.coverage.sms().into_iter().collect(),
            errors,
            findings: self.outcome.findings.kept().cloned().collect(),
            verdict: classify(&self.outcome.tally, tpcs),
            notes: self.outcome.notes.clone(),
        }
    }
}

/// Which SMs share a TPC, asked only where it matters: several SMs were wrong.
fn known_tpcs(board: &mut dyn Board, sums: &[Sum]) -> Tpcs {
    let concerned: BTreeSet<u32> = sums.iter().flat_map(|s| s.outcome.tally.concerned()).collect();
    if concerned.len() > 1 { board.tpcs() } else { None }
}

/// Keeps readings few: every second one where there are too many.
fn thin(readings: &mut Vec<Sensors>) {
    if readings.len() > READINGS {
        let mut keep = false;
        readings.retain(|_| {
            keep = !keep;
            keep
        });
    }
}

/// The chip as a map: what was reached by every test that counts lanes, and
/// where results were wrong.
fn map(about: &About, sums: &[Sum], tally: &Tally) -> Vec<SmRecord> {
    let subs = about.sub_cores.max(1);
    let counting: Vec<&Coverage> =
        sums.iter().map(|s| &s.outcome.coverage).filter(|c| c.count() > 0).collect();
    let errors = tally.by_sub_core();
    let lanes = |sm| {
        let of = |c: &&Coverage| (0..subs).map(|s| c.lanes(sm, s).count_ones()).sum::<u32>();
        counting.iter().map(of).min().unwrap_or(0)
    };
    (0..about.sms)
        .map(|sm| SmRecord {
            sm,
            lanes: lanes(sm),
            errors: (0..subs).map(|sub| errors.get(&(sm, sub)).copied().unwrap_or(0)).collect(),
        })
        .collect()
}

/// Counts of the board's own that say that something is wrong.
fn moved(before: &Sensors, after: &Sensors) -> Vec<String> {
    let mut moved = Vec::new();
    let same = |a: &EccCount, b: &EccCount| {
        a.place == b.place && a.corrected == b.corrected && a.volatile == b.volatile
    };
    for new in after.ecc.iter().filter(|c| c.volatile) {
        let old = before.ecc.iter().find(|c| same(c, new)).map_or(0, |c| c.count);
        if new.count > old {
            let kind = if new.corrected { "corrected" } else { "uncorrected" };
            moved.push(format!("{} {kind} ECC errors of {}", new.count - old, new.place));
        }
    }
    let (old, new) = (before.remapped.unwrap_or_default(), after.remapped.unwrap_or_default());
    if after.remapped.is_some() && before.remapped.is_some() && new != old {
        moved.push("rows of memory were remapped".to_string());
    }
    moved.extend(after.xids.iter().skip(before.xids.len()).map(|x| format!("Xid {x}")));
    moved
}
