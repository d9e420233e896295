//! The page of one campaign.

use std::fmt::Write;

use upset_metrics::Estimate;
use upset_report::esc;
use upset_report::number::{grouped, percent_range, percent_with, trimmed};

use super::bars::{legend, limits, outcomes};
use super::frame::Page;
use super::text::{left, share};
use crate::view::{Campaign, Failed, Panel, Row, State, StoreState};

/// Stores and shards that are listed one by one.
const STORES: usize = 200;

/// The page. `several`: whether there are other campaigns.
pub fn page(c: &Campaign, several: bool, last_word: &str) -> Page {
    let title = format!("{} {}", share(c.done, c.done + c.missing), c.title);
    let parts = vec![
        ("head", head(c, several)),
        ("progress", progress(c)),
        ("panels", panels(c)),
        ("failures", failures(c)),
        ("stores", stores(c)),
    ];
    Page::new(title, parts, last_word)
}

fn head(c: &Campaign, several: bool) -> String {
    let state = c.state.word();
    let more = if several { ", one of several campaigns" } else { "" };
    format!(
        "<p class=\"brand\">Upset, live{more}</p>\n<h1>{}</h1>\n\
         <p><span class=\"state s-{state}\">{state}</span> {}</p>\n",
        esc(&c.title),
        match c.state {
            State::Running => "The numbers below change as runs end.".to_string(),
            State::Complete => "Nothing is left to run.".to_string(),
            State::Stopped => stopped(c),
        }
    )
}

/// How to go on.
fn stopped(c: &Campaign) -> String {
    match c.stores.as_slice() {
        [one] => format!(
            "Nobody is at it. <code>upset campaign --resume --out {}</code> goes on.",
            esc(&one.file)
        ),
        _ => "Nobody is at it: some of its shards are missing or were left unfinished.".into(),
    }
}

fn progress(c: &Campaign) -> String {
    let total = c.done + c.missing;
    let mut out = format!("<div class=\"whole\">{}</div>\n", outcomes(&c.counts, total));
    out += &legend();
    out += "<dl class=\"tiles\">\n";
    let mut tile = |name: &str, value: &str, small: &str| {
        let _ = writeln!(out, "<div><dt>{name}</dt><dd>{value} <small>{small}</small></dd></div>");
    };
    let of = format!("of {}", grouped(total));
    tile("Runs whose outcome is known", &grouped(c.done), &of);
    tile("Failures", &grouped(c.failures), "SDC, crash, timeout");
    if let Some(pace) = c.per_second {
        tile("Pace of late", &format!("{pace:.1}"), "runs per second");
    }
    if c.state == State::Running {
        match c.left {
            Some(range) => tile("Time left", &left(range), "by the pace so far"),
            None => tile("Time left", "unknown", "too early to tell"),
        }
    }
    if c.counts.tool_error > 0 {
        tile("Failed in the tool", &grouped(c.counts.tool_error), "in no rate");
    }
    out + "</dl>\n"
}

fn panels(c: &Campaign) -> String {
    let mut out = String::from("<h2>Rates</h2>\n");
    let _ = writeln!(
        out,
        "<p class=\"fine\">AVF with limits at {}&nbsp;%. They hold whatever the missing runs bring, \
         and however often you look: with every run they can only close in on those of the finished \
         campaign. Before that there is no estimate, since the runs that end first are no random \
         sample.</p>",
        trimmed(100.0 * c.confidence)
    );
    for panel in &c.panels {
        let _ = writeln!(
            out,
            "<h3>{} <small>{}</small></h3>\n<div class=\"rows\">",
            esc(&panel.title),
            esc(&panel.faults)
        );
        panel.rows.iter().for_each(|r| row(&mut out, panel, r));
        out += "</div>\n";
    }
    out
}

fn row(out: &mut String, panel: &Panel, r: &Row) {
    let total = r.done + r.missing;
    let avf = match r.avf {
        Some(value) => {
            percent_with(Estimate { value: Some(value), low: r.avf_low, high: r.avf_high })
        }
        None => format!("{}\u{a0}%", percent_range(r.avf_low, r.avf_high)),
    };
    let bits = panel.rows.iter().any(|o| o.bits != r.bits);
    let mut kernel = r.kernel.clone();
    if !r.window.is_empty() {
        kernel += &format!(", {}", r.window);
    }
    if bits {
        kernel += &format!(", {} bits", r.bits);
    }
    let _ = writeln!(
        out,
        "<div class=\"row\"><div class=\"name\"><b>{}</b> <span>{}</span></div>\
         <div class=\"bars\">{}{}</div>\
         <div class=\"num\">{} <small>of {}</small></div><div class=\"num\">{avf}</div></div>",
        esc(&r.structure),
        esc(&kernel),
        outcomes(&r.counts, total),
        limits(r.avf_low, r.avf_high, r.avf),
        grouped(r.done),
        grouped(total),
    );
}

fn failures(c: &Campaign) -> String {
    let mut out = String::from("<h2>Last failures</h2>\n");
    if c.recent.is_empty() {
        return out + "<p class=\"fine\">None so far.</p>\n";
    }
    out += "<p class=\"fine\">The command replays the run and explains it.</p>\n<ol class=\"failed\">\n";
    for failed in &c.recent {
        let _ = writeln!(out, "<li>{}</li>", failure(failed));
    }
    out + "</ol>\n"
}

fn failure(f: &Failed) -> String {
    let seen = f.seen_ms.map_or(String::new(), |ms| format!(" <time data-ms=\"{ms}\"></time>"));
    format!(
        "<p><b class=\"t-{}\">{}</b> {}{seen}</p><p class=\"fine\">{}</p>\
         <pre><code>{}</code></pre>",
        f.class,
        f.class,
        esc(&f.place),
        esc(&f.cause),
        esc(&f.replay)
    )
}

fn stores(c: &Campaign) -> String {
    let mut out = String::from("<h2>Stores and workers</h2>\n");
    let shards = c.stores.iter().any(|s| s.shard.is_some());
    if shards {
        let _ = writeln!(out, "<p>{}</p>", summary(c));
    }
    out += "<ul class=\"stores\">\n";
    for store in c.stores.iter().take(STORES) {
        out += &one(store);
    }
    out += "</ul>\n";
    if c.stores.len() > STORES {
        let _ = writeln!(out, "<p class=\"fine\">and {} more</p>", c.stores.len() - STORES);
    }
    out
}

/// `Shards: 3 complete, 1 running, 60 missing (5/64 to 64/64).`
fn summary(c: &Campaign) -> String {
    let mut words = Vec::new();
    for state in [State::Complete, State::Running, State::Stopped] {
        let n = c.stores.iter().filter(|s| s.state == state && s.shard.is_some()).count();
        if n > 0 {
            words.push(format!("{n} {}", state.word()));
        }
    }
    if !c.missing_shards.is_empty() {
        let shown: Vec<&str> = c.missing_shards.iter().take(12).map(String::as_str).collect();
        let more = if c.missing_shards.len() > shown.len() { ", …" } else { "" };
        let n = c.missing_shards.len();
        words.push(format!("{n} not there ({}{more})", shown.join(", ")));
    }
    format!("Shards: {}.", words.join(", "))
}

fn one(s: &StoreState) -> String {
    let shard = s.shard.map_or(String::new(), |(n, of)| format!("<b>{n}/{of}</b> "));
    let state = s.state.word();
    let who = match (s.process, s.workers) {
        (Some(pid), 0) => format!(", process {pid}"),
        (Some(pid), 1) => format!(", process {pid} with 1 worker"),
        (Some(pid), n) => format!(", process {pid} with {n} workers"),
        (None, _) if s.state == State::Running => ", on another machine".into(),
        (None, _) => String::new(),
    };
    format!(
        "<li>{shard}<span class=\"state s-{state}\">{state}</span> {} of {} runs{who}\
         <br><code>{}</code></li>\n",
        grouped(s.done),
        grouped(s.planned.max(s.done)),
        esc(&s.file)
    )
}

/// What a list says of a campaign.
pub fn card(c: &Campaign, up: &str) -> String {
    let total = c.done + c.missing;
    let state = c.state.word();
    let time = match (c.state, c.left) {
        (State::Running, Some(range)) => format!(", {} left", left(range)),
        _ => String::new(),
    };
    let stores = match c.stores.as_slice() {
        [one] => format!("<code>{}</code>", esc(&one.file)),
        many => format!("{} stores", many.len()),
    };
    format!(
        "<li><h2><a href=\"{up}c/{}/\">{}</a></h2>\n<div class=\"whole\">{}</div>\n\
         <p><span class=\"state s-{state}\">{state}</span> {} of {} runs, {} failures{time}</p>\n\
         <p class=\"fine\">{stores}, seed {}</p></li>\n",
        c.id,
        esc(&c.title),
        outcomes(&c.counts, total),
        grouped(c.done),
        grouped(total),
        grouped(c.failures),
        c.seed
    )
}
