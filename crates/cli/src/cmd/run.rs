//! `upset run`.

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use upset_apps::App;
use upset_campaign::folder;
use upset_chip::ChipSpec;
use upset_device::{Device, Mode, trace_file};

use super::program;
use super::run_args::RunArgs;
use crate::counters_file;
use crate::destination::Destination;
use crate::failure::{self, Failure, print};
use crate::host::Host;
use crate::report::{Report, Subject};

/// Runs the command.
pub fn run(args: RunArgs, host: &Host) -> Result<(), Failure> {
    match &args.subject.app {
        Some(app) => run_app(app, &args, host),
        None => program::run(&args, host),
    }
}

fn run_app(name: &str, args: &RunArgs, host: &Host) -> Result<(), Failure> {
    let chip = ChipSpec::load(&args.chip.chip, &args.chip.set)?;
    let opened;
    let app: &dyn App = if Path::new(name).join("app.toml").is_file() {
        opened = folder::open(Path::new(name), &chip)?;
        &opened
    } else {
        upset_apps::find(name)?
    };
    let mode = if args.functional { Mode::Functional } else { Mode::Timing };
    let mut device = Device::in_mode(&chip, mode)?;
    if args.slow {
        device.go_slowly();
    }
    if threads(args.threads) > 1 {
        device.use_threads();
    }
    // Files are opened first: a wrong path is told before the work, not after it.
    let trace = args.trace.as_deref().map(Destination::open).transpose()?;
    let json = args.json.as_deref().map(Destination::open).transpose()?;
    let counters = match args.counting.file()? {
        Some((path, format)) => Some((Destination::open(path)?, format)),
        None => None,
    };
    let to_stdout = only_one_to_stdout(&[
        ("--json", json.as_ref()),
        ("--trace", trace.as_ref()),
        ("--counters", counters.as_ref().map(|(to, _)| to)),
    ])?;
    let quiet = args.quiet || to_stdout || host.library().is_some();
    if trace.is_some() {
        device.start_trace();
    }
    if counters.is_some() {
        device.start_counting(args.counting.sampling())?;
    }
    let (bar, callback) = host.spinner(app.id(), mode);
    device.on_progress(callback);

    let seed = args.seed.unwrap_or(app.default_seed());
    let start = Instant::now();
    let outcome = app.run(&mut device, args.scale, seed);
    let wall = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    // Also when the run failed: they show what happened until then.
    if let Some((to, format)) = counters {
        counters_file::check(device.readings())?;
        let about = json!({
            "app": app.id(), "scale": args.scale.name(), "seed": seed, "chip": chip.chip.name,
            "mode": mode.name(),
        });
        to.fill(|out| counters_file::write(out, format, about, device.readings()))?;
    }
    if let (Some(to), Some(spans)) = (trace, device.trace()) {
        let about = json!({
            "app": app.id(), "scale": args.scale.name(), "chip": chip.chip.name,
            "core_mhz": chip.clock.core_mhz, "unit": "1 microsecond is 1 cycle",
        });
        to.fill(|out| trace_file::write(out, spans, device.readings(), chip.words(), &about))?;
    }
    let run = outcome?;

    let verdict = app.check(&run);
    let output_digest = device.outputs().digest();
    let digest = device.digest();
    let report = Report {
        subject: Subject::App { name: app.id(), scale: args.scale.name(), verdict: &verdict },
        chip: &chip,
        mode,
        stats: device.stats(),
        wall,
        output_digest: Some(&output_digest),
        digest: Some(&digest),
    };
    host.answer(|| report.text(), || report.json());
    if !quiet {
        print(&report.text())?;
    }
    if let Some(to) = json {
        to.fill(|out| writeln!(out, "{:#}", report.json()))?;
    }
    if verdict.passed {
        Ok(())
    } else {
        let what = verdict.first_mismatch.map_or(String::new(), |m| format!(": {m}"));
        Err(Failure::new(failure::NO, format!("{} differs from its reference{what}", app.id())))
    }
}

/// Has so many threads, this one among them (0: as many as there are processors), and
/// says how many there are: fewer than asked for where no more can be had, since nothing
/// but time depends on it.
fn threads(asked: usize) -> usize {
    if asked == 1 {
        return 1;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(asked).use_current_thread();
    match pool.build_global() {
        Err(e) if std::error::Error::source(&e).is_some() => 1,
        // A process has one pool: who asks again gets what is there.
        Ok(()) | Err(_) => rayon::current_num_threads(),
    }
}

/// Whether one of the options writes to standard output; two cannot.
fn only_one_to_stdout(options: &[(&str, Option<&Destination<'_>>)]) -> Result<bool, Failure> {
    let stdout = options.iter().filter(|(_, to)| to.is_some_and(Destination::is_stdout));
    let names: Vec<&str> = stdout.map(|(name, _)| *name).collect();
    match names.as_slice() {
        [first, second, ..] => Err(Failure::new(
            failure::BAD_INPUT,
            format!(
                "{first} and {second} cannot both go to standard output; give one of them a file"
            ),
        )),
        names => Ok(!names.is_empty()),
    }
}
