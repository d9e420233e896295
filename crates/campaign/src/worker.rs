//! The worker: a single-threaded process that carries out runs, either in one
//! walk of the fault-free run (`walk`, `programs::walk`) or each from cycle 0.

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use upset_chip::ChipSpec;
use upset_fork::{Forked, exit_now, fork};
use upset_metrics::Class;
use upset_trial::{End, Notes, Outcome};

use crate::golden::Bench;
use crate::judge::Judge;
use crate::line::Line;
use crate::spec::Spec;
use crate::wire::{GoldenOutputs, Job, Setup, ToCoordinator};
use crate::{CampaignError, programs, watched};

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
        false => None,
        true => Some(line.hear().map_err(|e| broken(&e))?),
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
    let profile = watched::profile(&spec.watch, &bench)?;
    let profile = profile.as_ref();
    let judge = Judge { setup: &setup, spec: &spec, golden: &golden, bench: &bench, profile };
    // What a run that is ended early would still have counted is not known.
    let notes = if profile.is_some() { Notes::default() } else { notes };
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
        Some(jobs) => crate::walk::walk(jobs, &judge, notes, &panicked),
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
        Ok(Started::Parent(outcome, killed)) => (*outcome, killed),
        Err(e) => (Outcome::tool_error(format!("cannot fork: {e}")), false),
    }
}

enum Started {
    /// This is the child; it tells its outcome here.
    Child(io::PipeWriter),
    /// This is the parent; the child has ended.
    Parent(Box<Outcome>, bool),
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
            let (outcome, killed) = match outcome {
                Some(outcome) => (outcome, false),
                None if status.was_too_long() => {
                    let limit = format!("{processor_seconds} s of processor time");
                    (Outcome::tool_error(format!("the host used more than {limit}")), false)
                }
                None => {
                    let text = format!("the run's process ended with {status:?}");
                    (Outcome::tool_error(text), status.was_killed())
                }
            };
            Ok(Started::Parent(Box::new(outcome), killed))
        }
    }
}

/// Whether an outcome is worth another try.
pub(crate) fn is_retried(outcome: &Outcome) -> bool {
    outcome.class == Class::ToolError
}
