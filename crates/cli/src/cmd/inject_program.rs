//! `upset inject -- PROGRAM`: the fault is in the program's own process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use clap::Args;
use upset_apps::{ElementType, Values};
use upset_campaign::golden::limit_of;
use upset_campaign::programs::ProgramBench;
use upset_campaign::{Spec, choices};
use upset_trial::Element;

use super::inject::{InjectArgs, experiment, is_told};
use crate::failure::{self, Failure};
use crate::inject::{Explained, FirstWrong};

/// How results are compared, as in `upset campaign`.
#[derive(Debug, Args)]
pub struct Comparison {
    /// What decides on silent corruption: outputs (default), results, verdict; programs: outputs, stdout, files, message, command
    #[arg(long, value_name = "WHAT")]
    compare: Option<choices::Comparison>,
    /// Relative error of floats that still counts as right
    #[arg(long, value_name = "X")]
    tolerance: Option<f64>,
    /// Programs: type of the elements of outputs: f32, f64, i32, u32 (default), u8
    #[arg(long, value_name = "TYPE")]
    elements: Option<Element>,
    /// Programs: output files, for --compare files
    #[arg(long, value_name = "FILE,…", value_delimiter = ',')]
    files: Vec<String>,
    /// Programs: what is printed when the result is right, for --compare message
    #[arg(long, value_name = "TEXT")]
    success: Option<String>,
    /// Programs: what is printed when it is found wrong, for --compare message
    #[arg(long, value_name = "TEXT")]
    failure: Option<String>,
    /// Programs: a command that exits with 0 when the result is right, for --compare command
    #[arg(long, value_name = "COMMAND", value_delimiter = ' ')]
    command: Vec<String>,
    /// Programs: see the real clock and random bytes, not those that are the same in every run
    #[arg(long)]
    real_clock: bool,
}

/// Set when the user presses Ctrl-C: the program ends, and its files go.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Carries an experiment out.
pub fn explain(args: &InjectArgs) -> Result<Explained, Failure> {
    let spec = specification(args)?;
    let stop = Arc::clone(&STOP);
    ctrlc::set_handler(move || stop.store(true, Ordering::Relaxed))
        .map_err(|e| Failure::new(failure::OURS, format!("cannot wait for Ctrl-C: {e}")))?;
    let mut bench = ProgramBench::open(&spec, &args.chip.chip)?;
    let mut notes = Vec::new();
    let golden = bench.golden(&mut notes, &STOP)?;
    if !args.quiet {
        notes.iter().for_each(|note| failure::say(&format!("note: {note}\n")));
    }
    let experiment = experiment(&args.fault, &golden, &bench.name())?;
    let limit = limit_of(golden.cycles, args.limit);
    let (ran, outcome) = bench.inject(&golden, &experiment, limit, &STOP)?;
    let story = ran.answer.and_then(|a| a.story).unwrap_or_default();
    let differs = outcome.sdc.is_some();
    Ok(Explained {
        subject: bench.app(),
        scale: None,
        seed: None,
        chip: bench.chip.chip.name.clone(),
        fault: experiment.name(&golden.registry),
        golden_cycles: golden.cycles,
        limit,
        observed: is_told(&experiment),
        first_wrong: differs
            .then(|| first_wrong(&golden.copies, &ran.copies, element(spec.elements)))
            .flatten(),
        story,
        outcome,
    })
}

/// What the flags ask for.
pub fn specification(args: &InjectArgs) -> Result<Spec, Failure> {
    let text = |a: &std::ffi::OsString| {
        a.to_str().map(String::from).ok_or_else(|| {
            Failure::new(failure::BAD_INPUT, format!("the argument {a:?} is not UTF-8"))
        })
    };
    let (c, default) = (&args.comparison, Spec::default());
    let for_programs = c.elements.is_some()
        || c.success.is_some()
        || c.failure.is_some()
        || !(c.files.is_empty() && c.command.is_empty());
    if args.app.is_some() && for_programs {
        let text = "--elements, --files, --success, --failure and --command are for programs";
        return Err(Failure::new(failure::BAD_INPUT, text));
    }
    let spec = Spec {
        apps: args.app.iter().cloned().collect(),
        program: args.program.iter().map(text).collect::<Result<_, _>>()?,
        chips: vec![args.chip.chip.clone()],
        set: args.chip.set.clone(),
        compare: c.compare.unwrap_or(default.compare),
        tolerance: c.tolerance.unwrap_or(default.tolerance),
        elements: c.elements.unwrap_or(default.elements),
        files: c.files.clone(),
        success: c.success.clone().unwrap_or_default(),
        failure: c.failure.clone().unwrap_or_default(),
        command: c.command.clone(),
        real_clock: c.real_clock,
        ..Spec::default()
    };
    spec.check()?;
    Ok(spec)
}

fn element(element: Element) -> ElementType {
    match element {
        Element::F32 => ElementType::F32,
        Element::F64 => ElementType::F64,
        Element::I32 => ElementType::I32,
        Element::U32 => ElementType::U32,
        Element::U8 => ElementType::U8,
    }
}

/// The first element copied to the host that differs.
fn first_wrong(right: &[Vec<u8>], found: &[Vec<u8>], element: ElementType) -> Option<FirstWrong> {
    let none = Vec::new();
    right.iter().enumerate().find_map(|(copy, right)| {
        let values = |bytes: &[u8]| Values::from_bytes(element, bytes);
        let (right, found) = (values(right), values(found.get(copy).unwrap_or(&none)));
        let bits = |values: &Values, i| values.get(i).map(f64::to_bits);
        let index = (0..right.len()).find(|&i| bits(&right, i) != bits(&found, i))?;
        Some(FirstWrong {
            output: format!("copy{copy}"),
            index: index as u64,
            found: found.get(index),
            right: right.get(index).unwrap_or(f64::NAN),
            single: matches!(right, Values::F32(_)),
        })
    })
}
