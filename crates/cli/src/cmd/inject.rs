//! `upset inject`.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::PoisonError;

use clap::Args;
use upset_apps::{AppRun, Values};
use upset_campaign::Spec;
use upset_campaign::golden::{Bench, Golden, limit_of};
use upset_campaign::worker::{end_of, wrong};
use upset_chip::ChipSpec;
use upset_fault::Experiment;
use upset_trial::follow::{self, Follow};
use upset_trial::{End, Outcome, Reference, Story, judge};

use super::inject_program::Comparison;
use crate::args::ChipChoice;
use crate::failure::{self, Failure, print};
use crate::inject::{Explained, FirstWrong};
use crate::target::Target;

/// `upset inject`.
#[derive(Debug, Args)]
#[command(override_usage = "upset inject [OPTIONS] --chip <NAME|FILE> --fault <NAME> <APP>
       upset inject [OPTIONS] --chip <NAME|FILE> --fault <NAME> -- <PROGRAM> [ARGS]...")]
pub struct InjectArgs {
    /// A built-in application (see `upset apps`) or a folder with an app.toml
    #[arg(required_unless_present = "program", conflicts_with = "program")]
    pub app: Option<String>,
    /// A CUDA program, linked with `-cudart shared`, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
    /// The chip.
    #[command(flatten)]
    pub chip: ChipChoice,
    /// What to break and when, e.g. 'rf:sm3.sub1.row117.lane5.bit12@10234' (docs/faults.md)
    #[arg(long, value_name = "NAME")]
    pub fault: String,
    /// Size of the input
    #[arg(long, default_value = "small", value_name = "small|paper", conflicts_with = "program")]
    pub scale: upset_apps::Scale,
    /// Seed of the generated input (default: the application's)
    #[arg(long, conflicts_with = "program")]
    pub seed: Option<u64>,
    /// Give the run up after this many times the fault-free cycles
    #[arg(long, default_value_t = 2.0, value_name = "FACTOR")]
    pub limit: f64,
    /// How results are compared.
    #[command(flatten)]
    pub comparison: Comparison,
    /// Write the result as one JSON object (- = standard output)
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Print nothing
    #[arg(long, short)]
    pub quiet: bool,
}

/// Runs the command.
pub fn run(args: InjectArgs) -> Result<(), Failure> {
    if !(args.limit >= 1.0 && args.limit.is_finite()) {
        let why = format!("--limit {}: it must be at least 1", args.limit);
        return Err(Failure::new(failure::BAD_INPUT, why));
    }
    // Files are opened first: a wrong path is told before the work, not after it.
    let json = args.json.as_deref().map(Target::open).transpose()?;
    let quiet = args.quiet || json.as_ref().is_some_and(Target::is_stdout);
    let explained = match &args.app {
        Some(app) => {
            let chip = ChipSpec::load(&args.chip.chip, &args.chip.set)?;
            let bench = Bench::open(app, args.scale, args.seed, chip)?;
            let spec = super::inject_program::specification(&args)?;
            let golden = bench.golden(None)?;
            let experiment = experiment(&args.fault, &golden, &bench.name())?;
            explain(&bench, &golden, &experiment, &spec, args.limit)?
        }
        None => super::inject_program::explain(&args)?,
    };
    if !quiet {
        print(&explained.text())?;
    }
    if let Some(to) = json {
        to.fill(|out| writeln!(out, "{:#}", explained.json()))?;
    }
    Ok(())
}

/// The experiment of a name.
pub fn experiment(fault: &str, golden: &Golden, subject: &str) -> Result<Experiment, Failure> {
    let bad = |text: String| Failure::new(failure::BAD_INPUT, text);
    let experiment = Experiment::parse(fault, &golden.registry).map_err(|e| bad(e.to_string()))?;
    match experiment.first_cycle() > golden.cycles {
        true => Err(bad(format!(
            "the fault is never injected: it is at cycle {}, and {subject} ends after {} cycles",
            experiment.first_cycle(),
            golden.cycles
        ))),
        false => Ok(experiment),
    }
}

/// Carries an experiment out.
fn explain(
    bench: &Bench,
    golden: &Golden,
    experiment: &Experiment,
    spec: &Spec,
    limit: f64,
) -> Result<Explained, Failure> {
    let changes = experiment.changes();
    let limit = limit_of(golden.cycles, limit);
    let mut device = bench.device()?;
    let (watch, followed) = follow::watch(Follow::new(&golden.registry, &changes));
    device.watch(watch);
    device.record_hits();
    upset_trial::arm(&mut device, experiment, limit);
    let ran =
        catch_unwind(AssertUnwindSafe(|| bench.app().run(&mut device, bench.scale, bench.seed)));
    let (end, run) = match ran {
        Ok(Ok(run)) => (End::Done, Some(run)),
        Ok(Err(e)) => (end_of(&e), None),
        Err(_) => (End::Tool("panic".into()), None),
    };
    let reference =
        Reference { cycles: golden.cycles, output_digest: golden.output_digest.clone() };
    let digest = device.outputs().digest();
    let cycles = device.cycles().unwrap_or(0);
    let outcome: Outcome = judge(&reference, end, cycles, digest.clone(), || {
        if digest == golden.output_digest {
            return None;
        }
        let (right, found) = (&golden.copies, device.outputs().kept());
        wrong(spec, bench, &golden.results, right, run.as_ref()?, found)
    });
    let follow = followed.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(Explained {
        subject: bench.app().id().to_string(),
        scale: Some(bench.scale.name().to_string()),
        seed: Some(bench.seed),
        chip: bench.chip.chip.name.clone(),
        fault: experiment.name(&golden.registry),
        golden_cycles: golden.cycles,
        limit,
        observed: is_told(experiment),
        first_wrong: outcome
            .sdc
            .as_ref()
            .and(run.as_ref())
            .and_then(|run| first_wrong(golden, run)),
        outcome,
        story: Story::of(&mut device, &follow, &golden.registry),
    })
}

/// Whether accesses to all bits are told, or at least those to their lines.
pub fn is_told(experiment: &Experiment) -> bool {
    experiment.sites().all(|s| s.array.kind.about().observed)
}

/// The first element of a result that differs.
fn first_wrong(golden: &Golden, run: &AppRun) -> Option<FirstWrong> {
    golden.results.iter().zip(&run.outputs).find_map(|(right, found)| {
        let right = Values::from_bytes(found.values.element_type(), &right.bytes);
        let bits = |values: &Values, i| values.get(i).map(f64::to_bits);
        let index = (0..right.len().max(found.values.len()))
            .find(|&i| bits(&right, i) != bits(&found.values, i))?;
        Some(FirstWrong {
            output: found.name.clone(),
            index: index as u64,
            found: found.values.get(index),
            right: right.get(index).unwrap_or(f64::NAN),
            single: matches!(found.values, Values::F32(_)),
        })
    })
}
