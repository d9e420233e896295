//! `upset watch check`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use upset_campaign::Spec;
use upset_campaign::golden::{Bench, Golden, limit_of};
use upset_campaign::judge::{end_of, wrong};
use upset_device::Mode;
use upset_device::pmu::{Counter, Reading};
use upset_metrics::Class;
use upset_trial::{End, Reference, judge};
use upset_watch::Profile;
use upset_watch::regions::{CYCLES, LAUNCHES, SHAPE};

use super::args::CheckArgs;
use super::show::read;
use super::source::{Source, count};
use crate::cmd::experiment::experiment;
use crate::destination::Destination;
use crate::failure::{self, Failure, print};
use crate::in_order::{in_order, processors};
use crate::watch_text::{self, Checked, Input};

/// Runs the command.
pub fn run(args: &CheckArgs) -> Result<(), Failure> {
    let profile = read(&args.profile)?;
    let json = args.json.as_deref().map(Destination::open).transpose()?;
    let quiet = args.quiet || json.as_ref().is_some_and(Destination::is_stdout);
    let source = open(args, &profile)?;
    source.subject()?.is(&profile.subject)?;
    let counted: Vec<&str> =
        Counter::ALL.iter().map(|c| c.name()).chain([CYCLES, LAUNCHES, SHAPE]).collect();
    profile.has_counters(&profile.subject.chip, &counted)?;
    let lessons = &profile.lessons;
    let fresh = lessons.seed.wrapping_add(lessons.inputs).wrapping_add(lessons.calibration);
    let first = args.seed.unwrap_or(fresh);
    let mut inputs = Vec::new();
    let jobs = args.jobs.unwrap_or_else(processors);
    in_order(
        args.inputs,
        jobs,
        |i| {
            let number = first.wrapping_add(i);
            let (run, class) = match &args.fault {
                None => (source.readings(number, &lessons.every)?, None),
                Some(fault) => {
                    let (run, class) = broken(&source, &profile, number, fault, args.limit)?;
                    (run, Some(class))
                }
            };
            Ok::<_, Failure>(Input { number, class, verdict: profile.judge(&run) })
        },
        |_, input| {
            inputs.push(input);
            Ok(())
        },
    )?;
    let checked = Checked::new(&profile, args.fault.as_deref(), inputs);
    if !quiet {
        print(&watch_text::checked(&checked))?;
    }
    if let Some(to) = json {
        to.fill(|out| writeln!(out, "{:#}", watch_text::json(&checked)))?;
    }
    match checked.alarms() {
        0 => Ok(()),
        _ => Err(Failure::new(failure::NO, "")),
    }
}

/// What is checked: as the profile says, unless it is said otherwise.
fn open(args: &CheckArgs, profile: &Profile) -> Result<Source, Failure> {
    let lessons = &profile.lessons;
    let (chip, set) = match &args.chip {
        Some(chip) => (chip.as_str(), args.set.as_slice()),
        None => (lessons.chip.as_str(), lessons.set.as_slice()),
    };
    let functional = args.functional || profile.subject.mode == Mode::Functional.name();
    let mode = if functional { Mode::Functional } else { Mode::Timing };
    if args.fault.is_some() && functional {
        let text = "faults need timing, and the profile was learned with --functional: learn one \
                    without it";
        return Err(Failure::new(failure::BAD_INPUT, text));
    }
    let learned = profile.subject.scale.as_deref().and_then(|s| s.parse().ok());
    let scale = args.scale.or(learned).unwrap_or(upset_apps::Scale::Small);
    Source::open(&args.subject, (chip, set), mode, scale)
}

/// What is counted in a run with a fault, and what became of it.
fn broken(
    source: &Source,
    profile: &Profile,
    input: u64,
    fault: &str,
    limit: f64,
) -> Result<(Vec<Reading>, Class), Failure> {
    let Some((app, scale)) = source.app() else { return Ok((Vec::new(), Class::ToolError)) };
    let bench = Bench::open(app.id(), scale, Some(input), source.chip.clone())?;
    let golden = bench.golden(None)?;
    let experiment = experiment(fault, &golden, &bench.name())?;
    let mut device = bench.device()?;
    count(&mut device, &profile.lessons.every)?;
    if !experiment.is_transient() {
        device.watch(upset_state::Watch::default());
    }
    upset_trial::arm(&mut device, &experiment, limit_of(golden.cycles, limit));
    let ran =
        catch_unwind(AssertUnwindSafe(|| bench.app().run(&mut device, bench.scale, bench.seed)));
    let (end, run) = match ran {
        Ok(Ok(run)) => (End::Done, Some(run)),
        Ok(Err(e)) => (end_of(&e), None),
        Err(_) => (End::Tool("panic".into()), None),
    };
    let class = class(&bench, &golden, &device, end, run.as_ref());
    Ok((device.readings().to_vec(), class))
}

fn class(
    bench: &Bench,
    golden: &Golden,
    device: &upset_device::Device,
    end: End,
    run: Option<&upset_apps::AppRun>,
) -> Class {
    let reference =
        Reference { cycles: golden.cycles, output_digest: golden.output_digest.clone() };
    let digest = device.outputs().digest();
    let outcome = judge(&reference, end, device.cycles().unwrap_or(0), digest.clone(), || {
        if digest == golden.output_digest {
            return None;
        }
        let (right, found) = (&golden.copies, device.outputs().kept());
        wrong(&Spec::default(), bench, &golden.results, right, run?, found)
    });
    outcome.class
}
