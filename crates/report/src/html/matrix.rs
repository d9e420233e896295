//! The summary: applications and chips over structures.

use std::fmt::Write;

use upset_metrics::Estimate;

use super::escape::esc;
use super::palette::{step_of, steps_legend, structure_class};
use super::subject::Group;
use super::table;
use super::variant::variants;
use crate::number::{grouped, percent, percent_range};
use crate::panel::Panel;
use crate::report::Report;

impl Report {
    /// The table; nothing where nothing was summed up.
    pub(super) fn matrix(&self, out: &mut String, groups: &[Group<'_>]) {
        let mut names: Vec<&str> = Vec::new();
        let totals = || self.panels.iter().filter_map(|p| p.total.as_ref());
        for s in totals().flat_map(|t| &t.structures) {
            if !names.contains(&s.structure.as_str()) {
                names.push(&s.structure);
            }
        }
        if names.is_empty() {
            return;
        }
        let several = variants(&self.panels).len() > 1;
        let caption = "AVF by application, chip and structure";
        let _ = write!(
            out,
            "<div class=\"scroll short\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}\">\n\
             <table class=\"matrix\"><caption><span>{caption}</span></caption>\n<thead><tr><th scope=\"col\" class=\"w\">Application</th>"
        );
        for name in &names {
            let _ = write!(
                out,
                "<th scope=\"col\"><span class=\"key {}\"></span>{}</th>",
                structure_class(name),
                esc(name)
            );
        }
        if names.len() > 1 {
            out.push_str("<th scope=\"col\">all of them</th>");
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for group in groups {
            for p in group.panels.iter().filter(|p| p.total.is_some()) {
                self.line(out, (group, p), &names, several);
            }
        }
        out.push_str("</tbody></table></div>\n");
        out.push_str("<ul class=\"legend\"><li>AVF:</li>");
        for (class, text) in steps_legend() {
            let _ = write!(out, "<li><span class=\"key {class}\"></span>{}</li>", esc(&text));
        }
        out.push_str("</ul>\n");
        out.push_str(
            "<p class=\"fine\">In each cell: AVF with its interval, what of it is silent corruption (SDC), and \
             what shows itself (DUE: crash or timeout). Structures count for their bits in “all of them”.</p>\n",
        );
    }

    fn line(
        &self,
        out: &mut String,
        (group, p): (&Group<'_>, &Panel),
        names: &[&str],
        several: bool,
    ) {
        let Some(total) = &p.total else { return };
        let runs: u64 = p.rows.iter().map(|r| r.runs).sum();
        let _ = write!(
            out,
            "<tr><th scope=\"row\" class=\"w\"><a href=\"#{}\">{}</a><span class=\"sub\">{}</span>",
            group.id,
            esc(&p.application()),
            esc(&p.chip)
        );
        if several {
            let _ = write!(out, "<span class=\"sub\">{}</span>", esc(&p.variant.label()));
        }
        let runs = table::runs(runs, p.planned(), p.complete);
        let _ = write!(out, "<span class=\"sub\">{runs} runs</span></th>");
        for name in names {
            match total.structures.iter().find(|s| s.structure == *name) {
                Some(s) => cell(out, [s.avf, s.sdc, s.due], Some(s.n)),
                None => out.push_str("<td>–</td>"),
            }
        }
        if names.len() > 1 {
            match total.structures.len() == names.len() {
                true => cell(out, [total.avf, total.sdc, total.due], None),
                // A sum over other structures is another figure.
                false => {
                    let _ =
                        write!(out, "<td><span class=\"sub\">over {}</span>", esc(&total.over()));
                    lines(out, [total.avf, total.sdc, total.due], None);
                }
            }
        }
        out.push_str("</tr>\n");
    }
}

fn cell(out: &mut String, of: [Option<Estimate>; 3], n: Option<u64>) {
    let step = of[0]
        .and_then(|e| e.value)
        .map_or(String::new(), |v| format!(" class=\"h{}\"", step_of(v)));
    let _ = write!(out, "<td{step}>");
    lines(out, of, n);
}

fn lines(out: &mut String, [avf, sdc, due]: [Option<Estimate>; 3], n: Option<u64>) {
    let Some(avf) = avf else {
        out.push_str("–</td>");
        return;
    };
    let said = |e: Estimate| {
        let range = percent_range(e.low, e.high);
        match e.value {
            Some(v) => format!("{} <span class=\"range\">{range}</span>", percent(v)),
            None => format!("<span class=\"range\">{range}\u{a0}%</span>"),
        }
    };
    let _ = write!(out, "<span class=\"main\">{}</span>", said(avf));
    for (name, e) in [("SDC", sdc), ("DUE", due)] {
        if let Some(e) = e {
            let _ = write!(out, "<span class=\"sub\">{name}\u{a0}{}</span>", said(e));
        }
    }
    if let Some(n) = n {
        let _ = write!(out, "<span class=\"sub\">n\u{a0}=\u{a0}{}</span>", grouped(n));
    }
    out.push_str("</td>");
}
