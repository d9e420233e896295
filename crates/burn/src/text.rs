//! A record in words.

use std::fmt::Write as _;

use crate::record::{Record, STOPPED, State, TestRecord};
use crate::{Finding, Kind, TestAbout, all_tests};

/// Findings shown of each test.
const SHOWN: usize = 4;

/// The record as people read it.
pub fn render(record: &Record) -> String {
    let mut text = String::new();
    let b = &record.board;
    let _ = writeln!(
        text,
        "board    {}, {}, {} SMs of {} sub-cores{}",
        b.name,
        b.arch,
        b.sms,
        b.sub_cores,
        b.uuid.as_ref().map(|u| format!(", {u}")).unwrap_or_default()
    );
    let _ = writeln!(text, "level    {}, seed {}", u8::from(record.level), record.seed);
    if let Some(i) = record.injected {
        let _ = writeln!(
            text,
            "error    made on purpose: SM {}, sub-core {}, lane {}, bits {:#010x}, every {}",
            i.sm, i.sub_core, i.lane, i.mask, i.period
        );
    }
    let _ = writeln!(text);
    let _ = writeln!(
        text,
        "{:<10} {:<13} {:>14} {:>8} {:>12} {:>9}",
        "test", "state", "results", "lanes", "seconds", "errors"
    );
    for test in &record.tests {
        let _ = writeln!(
            text,
            "{:<10} {:<13} {:>14} {:>8} {:>12.6} {:>9}",
            test.name,
            state(test.state),
            test.results,
            test.lanes,
            test.seconds,
            test.errors
        );
    }
    for test in record.tests.iter().filter(|t| t.state != State::Passed) {
        told(&mut text, test);
    }
    for name in &record.left_out {
        let _ = writeln!(text, "left out {}: {}", name.name, name.why);
    }
    for moved in &record.sensors.moved {
        let _ = writeln!(text, "sensors  {moved}");
    }
    let _ = writeln!(text);
    let _ = writeln!(text, "{}", summary(record));
    text
}

/// The last line: what is to be thought of the board.
fn summary(record: &Record) -> String {
    let of = record.tests.len();
    let passed = record.count(State::Passed);
    let not_run = record.count(State::CouldNotRun) + record.count(State::NotCovered);
    match record.exit_code {
        0 => format!("all {of} tests passed"),
        1 => {
            let place = match &record.verdict {
                Some(v) if !v.evidence.is_empty() => format!(": {}", v.evidence),
                _ => String::new(),
            };
            let mut text = format!("defect{place}");
            if not_run > 0 {
                let _ = write!(text, "; {not_run} of {of} tests could not run");
            }
            text
        }
        STOPPED => {
            format!("stopped: {passed} of {of} tests passed, {not_run} did not come to their end")
        }
        _ => format!("no verdict: {passed} of {of} tests passed, {not_run} could not run"),
    }
}

fn state(state: State) -> &'static str {
    match state {
        State::Passed => "passed",
        State::Failed => "FAILED",
        State::NotCovered => "not covered",
        State::CouldNotRun => "could not run",
    }
}

fn told(text: &mut String, test: &TestRecord) {
    let _ = writeln!(text);
    let _ = writeln!(text, "{}: {}", test.name, test.why);
    if let Some(v) = &test.verdict {
        let class = serde_json::to_value(v.class).unwrap_or_default();
        let class = class.as_str().unwrap_or_default().to_string();
        let _ = writeln!(text, "  {class}: {}; bits {:#x}", v.evidence, v.bits);
    }
    for finding in test.findings.iter().take(SHOWN) {
        let _ = writeln!(text, "  {}", one(finding));
    }
    let more = test.errors.saturating_sub(SHOWN as u64);
    if more > 0 {
        let _ = writeln!(text, "  … and {more} more");
    }
}

fn one(f: &Finding) -> String {
    if f.width == 0 {
        return f.note.clone();
    }
    let digits = (f.width as usize).div_ceil(4);
    format!(
        "{} at {}: {:0digits$x} should be {:0digits$x} ({})",
        f.operation, f.place, f.found, f.expected, f.note
    )
}

/// The table of tests, for `--list`.
pub fn list() -> String {
    let mut text = format!("{:<14} {:<9} {:<6} {:<7} unit\n", "test", "group", "oracle", "level");
    for about in all_tests().iter().map(|t| t.about()) {
        let _ = writeln!(
            text,
            "{:<14} {:<9} {:<6} {:<7} {}{}",
            about.name,
            name(about.group),
            name(about.oracle),
            u8::from(about.from),
            about.unit,
            off_model(about)
        );
    }
    text
}

fn off_model(about: &TestAbout) -> String {
    match about.not_on_model {
        "" => String::new(),
        why => format!(" (not on the {}: {why})", name(Kind::Model)),
    }
}

fn name(of: impl serde::Serialize) -> String {
    let value = serde_json::to_value(of).unwrap_or_default();
    value.as_str().unwrap_or_default().to_string()
}
