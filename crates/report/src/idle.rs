//! Chips that a run leaves idle: then almost every flip is masked, and the
//! reader should know that this is not the application's doing.

use std::collections::BTreeMap;

use upset_chip::Words;
use upset_store::Subject;

use crate::cell::Cell;

/// Fewer experiments say nothing.
const FEWEST: u64 = 50;
/// Failures per experiment below which there is hardly anything to see.
const HARDLY: f64 = 0.01;

/// What is known of a subject.
#[derive(Default)]
struct Seen {
    runs: u64,
    failures: u64,
    masked: u64,
    untouched: u64,
    unfinished: bool,
}

/// One note, if a subject has next to no failures because the run leaves most
/// of the chip alone; about the first of several.
pub fn note(cells: &[Cell<'_>]) -> Option<String> {
    let mut all: BTreeMap<(&str, &str, &str), (&Subject, Seen)> = BTreeMap::new();
    // Active sampling takes what is in use already.
    for cell in cells.iter().filter(|c| c.stratum.sampling == "physical") {
        let s = cell.subject;
        let key = (s.app.as_str(), s.scale.as_str(), s.chip.as_str());
        let (_, seen) = all.entry(key).or_insert_with(|| (s, Seen::default()));
        seen.unfinished |= !cell.complete();
        for e in cell.experiments() {
            seen.runs += 1;
            seen.failures += u64::from(e.class.is_failure());
            seen.masked += u64::from(e.class == upset_metrics::Class::Masked);
            seen.untouched += u64::from(e.how == "untouched");
        }
    }
    let idle: Vec<_> = all.values().filter(|(s, seen)| is_idle(s, seen)).collect();
    let (subject, seen) = idle.first()?;
    let others = match idle.len() - 1 {
        0 => String::new(),
        1 => " (so does one other subject here)".into(),
        n => format!(" (so do {n} other subjects here)"),
    };
    Some(format!(
        "{}: {} of {} experiments are masked, {} of them in bits that the run never touches; it has \
         work for {} of {} {}s{others}. There is more to see {}.",
        name(subject),
        seen.masked,
        seen.runs,
        seen.untouched,
        used(subject),
        subject.profile.sms,
        Words::of_toml(&subject.chip_toml).processor,
        advice(subject)
    ))
}

fn used(subject: &Subject) -> u32 {
    subject.profile.kernels.iter().map(|k| k.sms_used).max().unwrap_or(0)
}

fn is_idle(subject: &Subject, seen: &Seen) -> bool {
    let hardly = (seen.failures as f64) < HARDLY * seen.runs as f64;
    let unused = used(subject) < subject.profile.sms || 2 * seen.untouched > seen.runs;
    // What is masked is known first: of an unfinished campaign this says nothing.
    !seen.unfinished && seen.runs >= FEWEST && hardly && unused
}

fn name(subject: &Subject) -> String {
    match subject.scale.as_str() {
        "" => format!("{} on {}", subject.app, subject.chip),
        scale => format!("{} ({scale}) on {}", subject.app, subject.chip),
    }
}

/// What would show more.
fn advice(subject: &Subject) -> String {
    let words = Words::of_toml(&subject.chip_toml);
    let mut ways = Vec::new();
    match subject.scale.as_str() {
        "small" => ways.push("with the full input (--scale paper)".to_string()),
        "" => ways.push("with a larger input".to_string()),
        _ => {}
    }
    let used = used(subject);
    if used > 0 && used < subject.profile.sms {
        ways.push(format!("on a chip of that size (--set {}={used})", words.count_key));
    }
    ways.push("in what is in use (--sms used, --sampling active)".into());
    match ways.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
