//! `upset watch learn`.

use upset_device::Mode;
use upset_watch::statistics::conformal;
use upset_watch::{LearnError, Lessons, Method, Teacher, can_learn};

use super::args::{LearnArgs, MethodArg};
use super::source::Source;
use crate::destination::Destination;
use crate::failure::{self, Failure, print};
use crate::in_order::{in_order, processors};
use crate::progress;
use crate::watch_text;

/// Inputs to learn from, unless another number is asked for.
const INPUTS: u64 = 100;

/// Runs the command.
pub fn run(args: &LearnArgs) -> Result<(), Failure> {
    let method = match args.method {
        MethodArg::Full => Method::Full,
        MethodArg::Paper => Method::Paper,
    };
    let (inputs, calibration) = match method {
        Method::Full => (INPUTS, conformal::needed(args.alpha.clamp(1e-6, 1.0))),
        Method::Paper => (upset_watch::paper::INPUTS as u64, 0),
    };
    let mut lessons = Lessons {
        inputs: args.inputs.unwrap_or(inputs),
        calibration: args.calibration.unwrap_or(calibration),
        seed: args.seed,
        alpha: args.alpha,
        samples: args.samples,
        every: Vec::new(),
        chip: args.chip.chip.clone(),
        set: args.chip.set.clone(),
    };
    // What cannot be promised is told before the work, not after it.
    can_learn(method, &lessons)?;
    let out = Destination::open(&args.out)?;
    let mode = if args.functional { Mode::Functional } else { Mode::Timing };
    let source = Source::open(&args.subject, (&args.chip.chip, &args.chip.set), mode, args.scale)?;
    let subject = source.subject()?;
    let code = source.steerings()?;
    let first = source.readings(args.seed, &[])?;
    lessons.every = source.every(&first, args.samples);
    let every = lessons.every.clone();
    let mut teacher = Teacher::new(method, lessons, code.clone())?;
    let wanted = teacher.wanted();
    let bar = progress::runs(wanted, args.quiet);
    let jobs = args.jobs.unwrap_or_else(processors);
    let done = in_order(
        wanted,
        jobs,
        |i| source.readings(args.seed.wrapping_add(i), &every),
        |_, run| {
            bar.inc(1);
            Ok(teacher.take(&run)?)
        },
    );
    bar.finish_and_clear();
    done?;
    let profile = teacher.profile(subject)?;
    out.fill(|to| writeln!(to, "{}", profile.to_text()))?;
    match args.quiet {
        true => Ok(()),
        false => print(&watch_text::profile(&profile, &code)),
    }
}

impl From<LearnError> for Failure {
    fn from(e: LearnError) -> Failure {
        let code = if e.is_ours() { failure::OURS } else { failure::BAD_INPUT };
        Failure::new(code, e.to_string())
    }
}
