//! The list of all campaigns.

use std::fmt::Write;

use upset_report::esc;

use super::bars::legend;
use super::campaign::card;
use super::frame::Page;
use crate::view::Snapshot;

/// The page.
pub fn page(snapshot: &Snapshot, last_word: &str) -> Page {
    let n = snapshot.campaigns.len();
    let title = match n {
        0 => "No campaign yet".to_string(),
        1 => "1 campaign".to_string(),
        n => format!("{n} campaigns"),
    };
    let mut out = format!("<p class=\"brand\">Upset, live</p>\n<h1>{title}</h1>\n");
    match n {
        0 => out += "<p>It is shown here as soon as its store is there.</p>\n",
        _ => out += &legend(),
    }
    out += "<ul class=\"cards\">\n";
    for campaign in &snapshot.campaigns {
        out += &card(campaign, "./");
    }
    out += "</ul>\n";
    for what in snapshot.problems.values() {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", esc(what));
    }
    Page::new(title, vec![("list", out)], last_word)
}
