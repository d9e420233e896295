//! `upset inject`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;

use upset_apps::{AppRun, Values};
use upset_campaign::Spec;
use upset_campaign::golden::{Bench, Golden, limit_of};
use upset_campaign::judge::{end_of, wrong};
use upset_chip::ChipSpec;
use upset_device::Mode;
use upset_fault::Experiment;
use upset_trial::follow::{self, Follow};
use upset_trial::{End, Outcome, Reference, Story, judge};

use super::experiment::{experiment, is_told};
use super::inject_args::{InjectArgs, specification};
use super::inject_program;
use crate::destination::Destination;
use crate::failure::{self, Failure, print};
use crate::host::Host;
use crate::inject::{Explained, FirstWrong};

/// Runs the command.
pub fn run(args: InjectArgs, host: &Host) -> Result<(), Failure> {
    if !(args.limit >= 1.0 && args.limit.is_finite()) {
        let why = format!("--limit {}: it must be at least 1", args.limit);
        return Err(Failure::new(failure::BAD_INPUT, why));
    }
    // Files are opened first: a wrong path is told before the work, not after it.
    let json = args.json.as_deref().map(Destination::open).transpose()?;
    let to_stdout = json.as_ref().is_some_and(Destination::is_stdout);
    let quiet = args.quiet || to_stdout || host.library().is_some();
    let explained = match &args.subject.app {
        Some(app) => {
            let chip = ChipSpec::load(&args.chip.chip, &args.chip.set)?;
            let bench = Bench::open(app, args.scale, args.seed, chip)?;
            let spec = specification(&args)?;
            let golden = bench.golden(None)?;
            let experiment = experiment(&args.fault, &golden, &bench.name())?;
            explain(&bench, &golden, &experiment, &spec, (args.limit, args.slow), host)?
        }
        None => inject_program::explain(&args, host)?,
    };
    host.answer(|| explained.text(), || explained.json());
    if !quiet {
        print(&explained.text())?;
    }
    if let Some(to) = json {
        to.fill(|out| writeln!(out, "{:#}", explained.json()))?;
    }
    Ok(())
}

/// Carries an experiment out.
fn explain(
    bench: &Bench,
    golden: &Golden,
    experiment: &Experiment,
    spec: &Spec,
    (limit, slow): (f64, bool),
    host: &Host,
) -> Result<Explained, Failure> {
    let changes = experiment.changes();
    let limit = limit_of(golden.cycles, limit);
    let mut device = bench.device()?;
    if slow {
        device.go_slowly();
    }
    let (watch, followed) = follow::watch(Follow::new(&golden.registry, &changes));
    device.watch(watch);
    device.record_hits();
    if host.library().is_some() {
        device.on_progress(host.spinner(bench.app().id(), Mode::Timing).1);
    }
    upset_trial::arm(&mut device, experiment, limit);
    let ran =
        catch_unwind(AssertUnwindSafe(|| bench.app().run(&mut device, bench.scale, bench.seed)));
    let (end, run) = match ran {
        Ok(Ok(run)) => (End::Done, Some(run)),
        Ok(Err(e)) => (end_of(&e), None),
        Err(_) => (End::Tool("panic".into()), None),
    };
    host.not_stopped()?;
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
        words: bench.chip.words(),
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
