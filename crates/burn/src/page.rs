//! A record as one self-contained page: the chip as a map, tests, findings.

use std::fmt::Write as _;

use crate::record::{Record, SmRecord, State};

const STYLE: &str = include_str!("page.css");

/// The page.
pub fn render(record: &Record) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>upset burn: {name}</title>\n<style>\n{STYLE}</style></head>\n<body><main>\n\
         <h1>{name}</h1>\n",
        name = escape(&record.board.name),
    );
    let (class, word) = match record.exit_code {
        0 => ("good", "All tests passed"),
        1 => ("bad", "Defect found"),
        _ => ("unknown", "Something could not run"),
    };
    let evidence = record.verdict.as_ref().map_or("", |v| v.evidence.as_str());
    let _ =
        writeln!(html, "<p class=\"verdict {class}\">{word} <span>{}</span></p>", escape(evidence));
    identity(&mut html, record);
    map(&mut html, record);
    tests(&mut html, record);
    findings(&mut html, record);
    let _ = writeln!(html, "<footer>{}</footer></main></body></html>", escape(&record.program));
    html
}

fn identity(html: &mut String, record: &Record) {
    let b = &record.board;
    let rows = [
        ("architecture", b.arch.clone()),
        ("SMs", format!("{} of {} sub-cores", b.sms, b.sub_cores)),
        ("UUID", b.uuid.clone().unwrap_or_default()),
        ("VBIOS", b.vbios.clone().unwrap_or_default()),
        ("driver", b.driver.clone().unwrap_or_default()),
        ("level", u8::from(record.level).to_string()),
        ("seed", record.seed.to_string()),
    ];
    html.push_str("<table class=\"facts\">");
    for (name, value) in rows.iter().filter(|(_, v)| !v.is_empty()) {
        let _ = write!(html, "<tr><th>{name}</th><td>{}</td></tr>", escape(value));
    }
    html.push_str("</table>\n");
}

/// Every SM a square of its sub-cores.
fn map(html: &mut String, record: &Record) {
    html.push_str("<h2>Map of the chip</h2>\n<div class=\"map\">");
    for sm in &record.map {
        let whole = record.board.sub_cores * record.board.warp;
        let state = |errors: u64| match errors {
            0 if sm.lanes >= whole => "good",
            0 => "unknown",
            _ => "bad",
        };
        let _ = write!(
            html,
            "<div class=\"sm {}\" title=\"{}\"><b>{}</b>",
            state(sm.errors.iter().sum()),
            title(sm, whole),
            sm.sm
        );
        for errors in &sm.errors {
            let _ = write!(html, "<i class=\"{}\"></i>", state(*errors));
        }
        html.push_str("</div>");
    }
    html.push_str(
        "</div>\n<p class=\"key\"><span class=\"good\"></span>right on every lane \
         <span class=\"bad\"></span>wrong results <span class=\"unknown\"></span>not reached \
         with every lane</p>\n",
    );
}

fn title(sm: &SmRecord, whole: u32) -> String {
    let errors: Vec<String> = sm.errors.iter().map(u64::to_string).collect();
    format!("SM {}: {} of {whole} lanes; errors by sub-core: {}", sm.sm, sm.lanes, errors.join(" "))
}

fn tests(html: &mut String, record: &Record) {
    html.push_str(
        "<h2>Tests</h2>\n<table><thead><tr><th>test</th><th>unit</th><th>state</th>\
         <th>results</th><th>errors</th><th>why</th></tr></thead><tbody>\n",
    );
    for t in &record.tests {
        let (class, word) = match t.state {
            State::Passed => ("good", "passed"),
            State::Failed => ("bad", "failed"),
            State::NotCovered => ("unknown", "not covered"),
            State::CouldNotRun => ("unknown", "could not run"),
        };
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td class=\"{class}\">{word}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            t.name,
            escape(t.unit),
            t.results,
            t.errors,
            escape(&t.why)
        );
    }
    html.push_str("</tbody></table>\n");
}

fn findings(html: &mut String, record: &Record) {
    let all: Vec<_> = record.tests.iter().flat_map(|t| &t.findings).collect();
    if all.is_empty() {
        return;
    }
    html.push_str(
        "<h2>Findings</h2>\n<table><thead><tr><th>test</th><th>operation</th><th>place</th>\
         <th>expected</th><th>found</th><th>wrong bits</th><th>note</th></tr></thead><tbody>\n",
    );
    for f in all {
        let digits = (f.width as usize).div_ceil(4);
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:0digits$x}</td><td>{:0digits$x}</td>\
             <td>{:#x}</td><td>{}</td></tr>",
            f.test,
            escape(&f.operation),
            escape(&f.place.to_string()),
            f.expected,
            f.found,
            f.wrong_bits(),
            escape(&f.note)
        );
    }
    html.push_str("</tbody></table>\n");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
