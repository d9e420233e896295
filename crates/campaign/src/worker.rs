//! The worker: a single-threaded process that carries out runs, either in one
//! walk of the fault-free run (`walk`, `programs::walk`) or each from cycle 0.

use std::io::{self, BufRead, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use upset_apps::{AppError, AppRun};
use upset_chip::ChipSpec;
use upset_device::Device;
use upset_fork::{Forked, exit_now, fork};
use upset_metrics::{Class, Sdc};
use upset_state::Watch;
use upset_trial::{Element, End, Notes, Outcome, judge, shape};

use crate::choices::Comparison;
use crate::golden::{Array, Bench, arrays};
use crate::spec::Spec;
use crate::wire::{GoldenOutputs, Job, Setup, ToCoordinator, ToWorker};
use crate::{CampaignError, programs};

/// Runs a worker to its end. The process must have been started for this: it
/// talks to the coordinator over standard input and output.
pub fn main(parent: u32) -> u8 {
    if !upset_fork::die_with_parent(parent) {
        return 0;
    }
    upset_fork::no_core_files();
    let mut line = Line;
    match work(&mut line) {
        Ok(()) => 0,
        Err(e) => {
            line.say(&ToCoordinator::Failed { message: e.to_string() });
            4
        }
    }
}

fn work(line: &mut Line) -> Result<(), CampaignError> {
    let broken = |e: &dyn std::fmt::Display| CampaignError::Workers(format!("bad set-up: {e}"));
    let setup: Setup = line.hear().map_err(|e| broken(&e))?;
    let mut packed = vec![0; setup.golden_bytes as usize];
    io::stdin().lock().read_exact(&mut packed).map_err(|e| broken(&e))?;
    let golden = GoldenOutputs::unpack(&packed).ok_or_else(|| broken(&"outputs"))?;
    let mut packed = vec![0; setup.notes_bytes as usize];
    io::stdin().lock().read_exact(&mut packed).map_err(|e| broken(&e))?;
    let notes = Notes::unpack(&packed).unwrap_or_default();
    let jobs: Option<Vec<Job>> = match setup.walk {
        0 => None,
        _ => Some(line.hear().map_err(|e| broken(&e))?),
    };
    let spec = Spec::parse(&setup.spec)?;
    let chip = spec.chips.get(setup.chip).ok_or_else(|| broken(&"no such chip"))?;
    if !spec.program.is_empty() {
        let bench = programs::for_worker(&setup, &spec, chip)?;
        return match jobs {
            Some(jobs) => programs::walk(line, &bench, &setup, &golden, jobs, &notes),
            None => programs::one_by_one(line, &bench, &setup, &golden),
        };
    }
    let chip = ChipSpec::load(chip, &spec.set)?;
    let app = spec.apps.get(setup.app).ok_or_else(|| broken(&"no such application"))?;
    let bench = Bench::open(app, spec.scale, spec.input_seed, chip)?;
    let judge = Judge { setup: &setup, spec: &spec, golden: &golden, bench: &bench };
    // A panic is told as the outcome of its run, not on the terminal.
    let message = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&message);
    std::panic::set_hook(Box::new(move |info| {
        *heard.lock().unwrap_or_else(PoisonError::into_inner) = info.to_string();
    }));
    let panicked = || {
        let text = message.lock().unwrap_or_else(PoisonError::into_inner).replace('\n', " ");
        End::Tool(format!("panic: {text}"))
    };
    match jobs {
        Some(jobs) => crate::walk::walk(jobs, setup.walk, &judge, notes, &panicked),
        None => one_by_one(line, &judge, &panicked),
    }
}

/// Every run from cycle 0, in a process of its own.
fn one_by_one(
    line: &mut Line,
    judge: &Judge<'_>,
    panicked: &dyn Fn() -> End,
) -> Result<(), CampaignError> {
    while let Some(job) = line.next()? {
        let (outcome, killed) = in_child(judge.setup.processor_seconds, || {
            let ran = catch_unwind(AssertUnwindSafe(|| {
                let mut device = judge.device()?;
                for (cycle, change) in &job.changes {
                    device.plan(*cycle, *change);
                }
                let ran = judge.run(&mut device);
                Ok::<_, CampaignError>(judge.outcome(&mut device, Ok(ran)))
            }));
            match ran {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(e)) => Outcome::tool_error(e.to_string()),
                Err(_) => match panicked() {
                    End::Tool(text) => Outcome::tool_error(text),
                    _ => Outcome::tool_error("panic"),
                },
            }
        });
        let outcome = Box::new(outcome);
        line.say(&ToCoordinator::Done { id: job.id, outcome, killed, left: false });
    }
    Ok(())
}

/// Does something in a forked child and hears what came of it.
fn in_child(processor_seconds: u64, run: impl FnOnce() -> Outcome) -> (Outcome, bool) {
    match start_child(processor_seconds) {
        Ok(Started::Child(mut pipe)) => {
            let told = serde_json::to_vec(&run()).map(|text| pipe.write_all(&text));
            exit_now(if matches!(told, Ok(Ok(()))) { 0 } else { 1 })
        }
        Ok(Started::Parent(outcome, killed)) => (outcome, killed),
        Err(e) => (Outcome::tool_error(format!("cannot fork: {e}")), false),
    }
}

enum Started {
    /// This is the child; it tells its outcome here.
    Child(io::PipeWriter),
    /// This is the parent; the child has ended.
    Parent(Outcome, bool),
}

/// Forks; in the parent, waits for the child's outcome.
fn start_child(processor_seconds: u64) -> io::Result<Started> {
    let (mut reader, writer) = io::pipe()?;
    let me = std::process::id();
    match fork()? {
        Forked::Child => {
            drop(reader);
            if !upset_fork::die_with_parent(me) {
                exit_now(1);
            }
            upset_fork::limit_processor_seconds(processor_seconds);
            Ok(Started::Child(writer))
        }
        Forked::Parent(child) => {
            drop(writer);
            let mut text = Vec::new();
            let read = reader.read_to_end(&mut text);
            let status = child.wait()?;
            let outcome = read.ok().and_then(|_| serde_json::from_slice::<Outcome>(&text).ok());
            Ok(match outcome {
                Some(outcome) => Started::Parent(outcome, false),
                None if status.was_too_long() => Started::Parent(
                    Outcome::tool_error(format!(
                        "the host used more than {processor_seconds} s of processor time"
                    )),
                    false,
                ),
                None => Started::Parent(
                    Outcome::tool_error(format!("the run's process ended with {status:?}")),
                    status.was_killed(),
                ),
            })
        }
    }
}

/// Judges runs of one application.
pub(crate) struct Judge<'a> {
    pub(crate) setup: &'a Setup,
    spec: &'a Spec,
    golden: &'a GoldenOutputs,
    bench: &'a Bench,
}

impl Judge<'_> {
    pub(crate) fn device(&self) -> Result<Device, CampaignError> {
        let mut device = self.bench.device()?;
        device.limit_cycles(self.setup.limit);
        if self.setup.holds {
            device.watch(Watch::default());
        }
        Ok(device)
    }

    pub(crate) fn run(&self, device: &mut Device) -> Result<AppRun, AppError> {
        self.bench.app().run(device, self.bench.scale, self.bench.seed)
    }

    pub(crate) fn outcome(
        &self,
        device: &mut Device,
        ran: Result<Result<AppRun, AppError>, End>,
    ) -> Outcome {
        let reference = self.setup.reference();
        let (end, run) = match ran {
            Ok(Ok(run)) => (End::Done, Some(run)),
            Ok(Err(e)) => (end_of(&e), None),
            Err(end) => (end, None),
        };
        let cycles = device.cycles().unwrap_or(0);
        let digest = device.outputs().digest();
        judge(&reference, end, cycles, digest.clone(), || {
            if digest == self.setup.output_digest {
                return None;
            }
            let (right, found) = (&self.golden.copies, device.outputs().kept());
            wrong(self.spec, self.bench, &self.golden.results, right, run.as_ref()?, found)
        })
    }
}

/// What an application's error means for its run.
pub fn end_of(error: &AppError) -> End {
    match error {
        AppError::Device(e) => End::of(e),
        AppError::Host(_) => End::Crash(error.to_string()),
        // The fault-free run had its code and files: that they are gone is no
        // fault's doing.
        _ => End::Tool(error.to_string()),
    }
}

/// What is wrong with the outputs of an application's run, as a specification
/// asks. The copies to the host differ from those of the fault-free run.
pub fn wrong(
    spec: &Spec,
    bench: &Bench,
    right_results: &[Array],
    right_copies: &[Vec<u8>],
    run: &AppRun,
    copies: &[Vec<u8>],
) -> Option<Sdc> {
    let results = arrays(run);
    let of_results = |tolerance| compare(right_results, &results, tolerance);
    match spec.compare {
        // Copies that differ though no result does were on the way: words.
        Comparison::Outputs if spec.tolerance == 0.0 => of_results(0.0).or_else(|| {
            let words = |list: &[Vec<u8>]| -> Vec<Array> {
                list.iter().map(|c| Array { element: Element::U32, bytes: c.clone() }).collect()
            };
            compare(&words(right_copies), &words(copies), 0.0)
        }),
        Comparison::Verdict => match bench.app().check(run).passed {
            true => None,
            false => of_results(0.0).or_else(|| Some(Sdc::default())),
        },
        Comparison::Outputs => {
            let right = typed_copies(right_results, right_copies, right_copies);
            let found = typed_copies(right_results, right_copies, copies);
            compare(&right, &found, spec.tolerance)
        }
        Comparison::Results => of_results(spec.tolerance),
        // Those of programs: refused for applications.
        Comparison::Stdout | Comparison::Files | Comparison::Message | Comparison::Command => None,
    }
}

/// Copies to the host with the types of the results that they are. One that is
/// none (a flag, a part of a result) is words, and no word is nearly right.
fn typed_copies(results: &[Array], right: &[Vec<u8>], copies: &[Vec<u8>]) -> Vec<Array> {
    let element = |copy: Option<&Vec<u8>>| {
        let result = results.iter().find(|r| copy.is_some_and(|c| *c == r.bytes));
        result.map_or(Element::U32, |r| r.element)
    };
    let typed = |(i, copy): (usize, &Vec<u8>)| Array {
        element: element(right.get(i)),
        bytes: copy.clone(),
    };
    copies.iter().enumerate().map(typed).collect()
}

/// Compares arrays one by one.
pub(crate) fn compare(right: &[Array], found: &[Array], tolerance: f64) -> Option<Sdc> {
    let pairs = right.iter().zip(found);
    let pairs = pairs.map(|(r, f)| (r.element, r.bytes.as_slice(), f.bytes.as_slice()));
    let sdc = shape(pairs, tolerance);
    match right.len() == found.len() {
        true => sdc,
        false => Some(Sdc { length_differs: true, ..sdc.unwrap_or_default() }),
    }
}

/// The line to the coordinator: standard input and output.
pub(crate) struct Line;

impl Line {
    /// Says something.
    pub fn say(&mut self, what: &ToCoordinator) {
        let Ok(mut text) = serde_json::to_string(what) else { return };
        text.push('\n');
        let mut out = io::stdout().lock();
        if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
            // Nobody listens any more.
            std::process::exit(0);
        }
    }

    fn hear<T: serde::de::DeserializeOwned>(&mut self) -> io::Result<T> {
        let mut text = String::new();
        if io::stdin().lock().read_line(&mut text)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        serde_json::from_str(&text).map_err(io::Error::other)
    }

    /// The next job; `None` when there is none.
    pub fn next(&mut self) -> Result<Option<Job>, CampaignError> {
        self.say(&ToCoordinator::Next);
        match self.hear() {
            Ok(ToWorker::Job(job)) => Ok(Some(job)),
            Ok(ToWorker::Stop) => Ok(None),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => std::process::exit(0),
            Err(e) => Err(CampaignError::Workers(format!("unreadable job: {e}"))),
        }
    }
}

/// Whether an outcome is worth another try.
pub(crate) fn is_retried(outcome: &Outcome) -> bool {
    outcome.class == Class::ToolError
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies of a run: a flag that a loop reads, then the result.
    fn copies(flag: u32, result: f32) -> Vec<Vec<u8>> {
        vec![flag.to_le_bytes().to_vec(), result.to_le_bytes().to_vec()]
    }

    #[test]
    fn a_tolerance_is_for_results_among_the_copies_and_not_for_the_others() {
        let right = copies(1000, 2.0);
        let results = [Array { element: Element::F32, bytes: right[1].clone() }];
        let wrong = |found: &[Vec<u8>], tolerance| {
            let typed = |list| typed_copies(&results, &right, list);
            compare(&typed(&right), &typed(found), tolerance)
        };
        assert_eq!(wrong(&copies(1000, 2.01), 0.1), None);
        assert_eq!(wrong(&copies(1000, 2.5), 0.1).map(|s| s.wrong), Some(1));
        // The flag is off by a thousandth and makes the host do something else.
        assert_eq!(wrong(&copies(1001, 2.0), 0.1).map(|s| s.wrong), Some(1));
        let more = [copies(1000, 2.0), vec![vec![0; 4]]].concat();
        assert!(wrong(&more, 0.1).is_some_and(|s| s.length_differs));
    }
}
