//! The report as one page that needs nothing but itself: no script, no fonts,
//! no network. Charts are SVG made here; colours come from the page's style,
//! so that they follow light, dark and paper.

mod chart;
mod escape;
mod estimate;
mod overview;
mod protection;
mod provenance;
mod shape;
mod structures;
mod subject;
mod table;
mod variant;

use std::fmt::Write;

use crate::number::count;
use crate::panel::Panel;
use crate::report::Report;
use escape::esc;
use subject::Group;

pub(crate) const STYLE: &str = include_str!("style.css");

impl Report {
    /// The page.
    pub fn html(&self) -> String {
        let groups = Group::all(&self.panels);
        let title = title(&self.panels);
        let mut out = String::with_capacity(1 << 16);
        let _ = write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
            esc(&title)
        );
        let _ = write!(
            out,
            "<header class=\"top\">\n<p class=\"brand\">Upset fault-injection report</p>\n<h1>{}</h1>\n\
             <p class=\"lead\">{}. Every rate has an interval at {}&nbsp;% ({}) and its number of runs.</p>\n",
            esc(&title),
            count(self.runs(), "experiment"),
            crate::number::trimmed(100.0 * self.confidence),
            esc(self.interval),
        );
        self.contents(&mut out, &groups);
        out.push_str("</header>\n<main>\n");
        self.overview(&mut out, &groups);
        self.structures(&mut out);
        for group in &groups {
            group.section(&mut out, self.raw_fit.is_some());
        }
        self.protection(&mut out);
        self.tool_errors_section(&mut out);
        self.provenance(&mut out);
        let _ = writeln!(out, "</main>\n</body>\n</html>");
        out
    }

    fn contents(&self, out: &mut String, groups: &[Group<'_>]) {
        let mut links = vec![("overview".to_string(), "Overview".to_string())];
        if self.compares_applications() {
            links.push(("structures".into(), "Structures".into()));
        }
        links.extend(groups.iter().map(|g| (g.id.clone(), g.title.clone())));
        if !self.ecc.is_empty() {
            links.push(("protection".into(), "Under ECC".into()));
        }
        links.push(("tool-errors".into(), "Tool errors".into()));
        links.push(("provenance".into(), "Provenance".into()));
        out.push_str("<nav aria-label=\"Contents\"><ul>\n");
        for (id, text) in links {
            let _ = writeln!(out, "<li><a href=\"#{id}\">{}</a></li>", esc(&text));
        }
        out.push_str("</ul></nav>\n");
    }
}

/// `hs and pathf on rtx2060 and gv100`.
fn title(panels: &[Panel]) -> String {
    let distinct = |of: fn(&Panel) -> &String| {
        let mut names: Vec<&str> = Vec::new();
        for p in panels {
            if !names.contains(&of(p).as_str()) {
                names.push(of(p));
            }
        }
        match names.split_last() {
            None => "nothing yet".to_string(),
            Some((last, [])) => last.to_string(),
            Some((last, first)) => format!("{} and {last}", first.join(", ")),
        }
    };
    if panels.is_empty() {
        return "No experiments".to_string();
    }
    format!("{} on {}", distinct(|p| &p.app), distinct(|p| &p.chip))
}
