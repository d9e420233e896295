//! The report as one page that needs nothing but itself: no script, no fonts,
//! no network. Charts are SVG made here; colours come from the page's style,
//! so that they follow light, dark and paper.

mod analysis;
mod chart;
mod compare;
pub mod escape;
mod estimate;
mod frame;
mod matrix;
mod overview;
mod palette;
mod places;
mod protection;
mod provenance;
mod rows;
mod shape;
mod structures;
mod subject;
mod table;
mod variant;
mod worst;

pub use chart::{About, Axis, BarRow, Bars, Mark};
pub use escape::{esc, prose};
pub(crate) use frame::STYLE;
pub use frame::frame;
pub use palette::{step_of, steps_legend, structure_class};
pub use table::{Table, share, value};

use crate::number::count;
use crate::panel::Panel;
use crate::report::Report;
use subject::Group;

/// Bytes of a page from which on figures have no links to files of their own.
const LONG: usize = 4 << 20;

/// How such a link begins.
const LINK: &str = "<a class=\"alone\" download=\"";

impl Report {
    /// The page. Where it would be long, its figures have no links to files of their
    /// own, which are as long again.
    pub fn html(&self) -> String {
        let page = self.linked();
        match page.len() > LONG {
            true => without_links(&page),
            false => page,
        }
    }

    /// The page with a link below each figure.
    fn linked(&self) -> String {
        let groups = Group::all(&self.panels);
        let title = title(&self.panels);
        let lead = format!(
            "{}. Every rate has an interval at {}&nbsp;% ({}) and its number of runs.",
            count(self.runs(), "experiment"),
            crate::number::trimmed(100.0 * self.confidence),
            esc(self.interval),
        );
        let mut out = String::with_capacity(1 << 16);
        self.overview(&mut out, &groups);
        self.comparisons_section(&mut out);
        self.structures(&mut out);
        for group in &groups {
            // One alone is what the page is about.
            group.section(&mut out, self, groups.len() == 1);
        }
        self.protection(&mut out);
        self.tool_errors_section(&mut out);
        self.provenance(&mut out);
        frame("Upset fault-injection report", &title, &lead, &self.contents(&groups), &out)
    }

    /// Each figure of the page as a file of its own: name and text. They are those
    /// that the page's links give.
    pub fn figures(&self) -> Vec<(String, String)> {
        let page = self.linked();
        let links = page.split(LINK).skip(1);
        let parts = links.filter_map(|link| {
            let (name, rest) = link.split_once("\" href=\"")?;
            Some((name.to_string(), chart::file(rest.split('"').next()?)?))
        });
        parts.collect()
    }

    /// Sections: their places and names.
    fn contents(&self, groups: &[Group<'_>]) -> Vec<(String, String)> {
        let mut links = vec![("overview".to_string(), "Overview".to_string())];
        if !self.comparisons.is_empty() {
            links.push(("differences".into(), "Differences".into()));
        }
        if self.compares_applications() {
            links.push(("structures".into(), "Structures".into()));
        }
        links.extend(groups.iter().map(|g| (g.id.clone(), g.title.clone())));
        if !self.ecc.is_empty() {
            links.push(("protection".into(), "Under ECC".into()));
        }
        links.push(("tool-errors".into(), "Tool errors".into()));
        links.push(("provenance".into(), "Provenance".into()));
        links
    }
}

fn without_links(page: &str) -> String {
    let mut pieces = page.split(LINK);
    let mut out = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        out += piece.split_once("</a>\n").map_or(piece, |(_, rest)| rest);
    }
    out.replacen(
        "</header>",
        "<p class=\"fine\">The page is long: <code>upset report --figures FOLDER</code> writes its figures \
         as files.</p>\n</header>",
        1,
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_go_and_nothing_else() {
        let figure = format!("<figure>x{LINK}a.svg\" href=\"data:y\">SVG</a>\n</figure>");
        let page = format!("<header>h</header>{figure}{figure}end");
        let short = without_links(&page);
        assert!(short.starts_with("<header>h<p class=\"fine\">"));
        assert!(short.ends_with("</header><figure>x</figure><figure>x</figure>end"), "{short}");
    }
}
