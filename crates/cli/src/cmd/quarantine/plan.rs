//! `upset quarantine plan`.

use std::fmt::Write;

use upset_quarantine::plan::{Choice, Plan, Way};
use upset_quarantine::record::Record;

use super::args::PlanArgs;
use crate::destination::Destination;
use crate::failure::{self, Failure, print};

/// Runs the command.
pub fn run(args: &PlanArgs) -> Result<(), Failure> {
    let path = &args.record;
    let text = std::fs::read_to_string(path).map_err(|e| Failure::read(path, &e))?;
    let named = |why: String| format!("{} is {why}", path.display());
    let record =
        Record::parse(&text).map_err(|e| Failure::new(failure::BAD_INPUT, named(e.to_string())))?;
    // "Nothing to leave out" and "nothing helps" are answers.
    let plan = Plan::of(&record).map_err(|e| Failure::new(failure::NO, e.to_string()))?;
    let out = args.out.as_deref().map(|out| Destination::open_beside(out, &[path])).transpose()?;
    if let Some(out) = out {
        let json = serde_json::to_string_pretty(&plan)
            .map_err(|e| Failure::new(failure::OURS, e.to_string()))?;
        let is_stdout = out.is_stdout();
        out.fill(|file| writeln!(file, "{json}"))?;
        if is_stdout {
            return Ok(());
        }
    }
    print(&words(&plan))
}

fn words(plan: &Plan) -> String {
    let board = &plan.board;
    let mut text = board.name.clone();
    if let Some(uuid) = &board.uuid {
        let _ = write!(text, ", {uuid}");
    }
    let _ = writeln!(text, ": {}", plan.verdict.evidence);
    if plan.injected {
        text.push_str("The record's errors were made on purpose.\n");
    }
    let _ = writeln!(text, "\n{:<14}  {:<14}  {:>8}  how", "way", "leaves out", "lost");
    for choice in &plan.ways {
        let (way, how) = told(choice.way);
        let lost = format!("{:.3} %", 100.0 * choice.lost);
        let _ = writeln!(text, "{way:<14}  {:<14}  {lost:>8}  {how}", left_out(choice));
    }
    text
}

fn left_out(choice: &Choice) -> String {
    let (what, numbers) = match choice.lanes.is_empty() {
        true => ("SM", &choice.sms),
        false => ("lane", &choice.lanes),
    };
    let numbers: Vec<_> = numbers.iter().map(u32::to_string).collect();
    format!("{what} {}", numbers.join(" "))
}

fn told(way: Way) -> (&'static str, &'static str) {
    match way {
        Way::GreenContext => ("green context", "upset quarantine run --plan PLAN -- PROGRAM"),
        Way::Ticket => ("ticket", "compile kernels under tickets: upset quarantine wrap"),
        Way::Lanes => ("lanes", "kernels that pass upset quarantine lane-check"),
    }
}
