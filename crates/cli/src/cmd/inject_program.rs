//! `upset inject -- PROGRAM`: the fault is in the program's own process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use upset_apps::{ElementType, Values};
use upset_campaign::golden::limit_of;
use upset_campaign::programs::ProgramBench;
use upset_trial::Element;

use super::experiment::{experiment, is_told};
use super::inject_args::{InjectArgs, specification};
use crate::failure::{self, Failure};
use crate::host::Host;
use crate::inject::{Explained, FirstWrong};

/// Set when the user presses Ctrl-C: the program ends, and its files go.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Carries an experiment out.
pub fn explain(args: &InjectArgs, host: &Host) -> Result<Explained, Failure> {
    let spec = specification(args)?;
    let stop = match host.library() {
        Some(library) => &library.stop,
        None => interruptible()?,
    };
    let mut bench = ProgramBench::open(&spec, &args.chip.chip)?;
    let mut notes = Vec::new();
    let golden = bench.golden(&mut notes, stop)?;
    if !args.quiet && host.library().is_none() {
        notes.iter().for_each(|note| failure::say(&format!("note: {note}\n")));
    }
    let experiment = experiment(&args.fault, &golden, &bench.name())?;
    let limit = limit_of(golden.cycles, args.limit);
    let (ran, outcome) = bench.inject(&golden, &experiment, limit, stop)?;
    let story = ran.answer.and_then(|a| a.story).unwrap_or_default();
    let differs = outcome.sdc.is_some();
    Ok(Explained {
        subject: bench.app(),
        scale: None,
        seed: None,
        chip: bench.chip.chip.name.clone(),
        words: bench.chip.words(),
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

/// A flag that Ctrl-C sets, as often as it is pressed: the program's files are to
/// go in any case.
fn interruptible() -> Result<&'static Arc<AtomicBool>, Failure> {
    let stop = Arc::clone(&STOP);
    ctrlc::set_handler(move || stop.store(true, Ordering::Relaxed))
        .map_err(|e| Failure::new(failure::OURS, format!("cannot wait for Ctrl-C: {e}")))?;
    Ok(&STOP)
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
