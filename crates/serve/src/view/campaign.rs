//! A campaign's numbers, from the report on its stores.

use upset_metrics::{Class, Counts};
use upset_report::{Options, Report, replay_command};
use upset_store::{Experiment, Results, Stratum};
use xxhash_rust::xxh3::xxh3_64;

use super::snapshot::{Campaign, Failed, Panel, Row, State};

/// Names the campaign that a store is of.
pub fn id(results: &Results) -> String {
    let header = &results.header;
    let asked = format!("{}\0{}\0{}", header.tool, header.seed, header.spec);
    format!("{:012x}", xxh3_64(asked.as_bytes()) & 0xffff_ffff_ffff)
}

/// What the stores of one campaign tell together, but for who is at work.
pub fn numbers(id: &str, stores: &[Results]) -> Campaign {
    let report = Report::new(stores, &Options::default());
    let panels: Vec<Panel> = report.panels.iter().map(panel).collect();
    let rows = || panels.iter().flat_map(|p| &p.rows);
    let mut counts = Counts::default();
    rows().for_each(|row| counts += row.counts);
    let missing = rows().map(|r| r.missing).sum();
    Campaign {
        id: id.into(),
        title: title(&panels),
        state: if missing == 0 { State::Complete } else { State::Stopped },
        seed: stores.first().map_or(0, |s| s.header.seed),
        done: counts.runs(),
        missing,
        failures: counts.failures(),
        counts,
        confidence: report.confidence,
        per_second: None,
        left: None,
        panels,
        recent: Vec::new(),
        stores: Vec::new(),
        missing_shards: super::shards::missing(stores.iter()),
    }
}

fn panel(panel: &upset_report::Panel) -> Panel {
    Panel {
        title: panel.subject(),
        faults: panel.variant.label(),
        app: panel.app.clone(),
        scale: panel.scale.clone(),
        chip: panel.chip.clone(),
        rows: panel.rows.iter().map(row).collect(),
    }
}

fn row(row: &upset_report::Row) -> Row {
    Row {
        kernel: row.kernel_name.clone(),
        window: row.window.clone(),
        structure: row.structure.clone(),
        bits: row.bits,
        model: row.model.clone(),
        done: row.runs,
        missing: row.missing,
        counts: row.counts,
        avf: row.avf,
        avf_low: row.avf_low.unwrap_or(0.0),
        avf_high: row.avf_high.unwrap_or(1.0),
    }
}

/// `hs and va on rtx2060`, `12 applications on 2 chips`.
fn title(panels: &[Panel]) -> String {
    let names = |of: fn(&Panel) -> &String, what: &str| {
        let mut names: Vec<&str> = Vec::new();
        for name in panels.iter().map(of) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        match names.as_slice() {
            [] => "nothing yet".to_string(),
            [one] => one.to_string(),
            [first @ .., last] if names.len() <= 4 => format!("{} and {last}", first.join(", ")),
            _ => format!("{} {what}", names.len()),
        }
    };
    match panels.is_empty() {
        true => "a campaign that has not begun".into(),
        false => {
            format!("{} on {}", names(|p| &p.app, "applications"), names(|p| &p.chip, "chips"))
        }
    }
}

/// A failure, as the page tells it.
pub fn failed(results: &Results, e: &Experiment, seen_ms: Option<u64>) -> Option<Failed> {
    let stratum = results.strata.iter().find(|s| s.id == e.stratum)?;
    let subject = results.subjects.iter().find(|s| s.id == stratum.subject)?;
    let cause = match &e.sdc {
        Some(sdc) if sdc.wrong == 1 => "1 element is wrong".to_string(),
        Some(sdc) => format!("{} elements are wrong", sdc.wrong),
        None => e.cause.clone(),
    };
    Some(Failed {
        class: e.class.name(),
        fault: e.fault.clone(),
        place: format!("{} on {}, {}", subject.app, subject.chip, place(stratum)),
        cause,
        replay: replay_command(results, subject, &e.fault),
        seen_ms,
    })
}

fn place(stratum: &Stratum) -> String {
    let kernel = stratum.kernel.as_deref().unwrap_or("whole run");
    format!("{kernel}, {}", stratum.structure)
}

/// Drops of an experiment what no page shows: most of a large store.
pub fn slim(e: &mut Experiment) {
    e.output_digest = String::new();
    e.noticed = None;
    e.how = String::new();
    if !e.class.is_failure() {
        e.hit = upset_store::Hit::default();
        e.cause_kind = String::new();
        if e.class != Class::ToolError {
            e.fault = String::new();
            e.cause = String::new();
        }
    }
}
