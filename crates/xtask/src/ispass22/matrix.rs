//! Every cell of the study: an application over the structures of the chips.

use std::fmt::Write as _;

use upset_report::page::{esc, step_of, steps_legend, structure_class};
use upset_state::kind::named;

use super::kept::{Cell, Structure, Study};
use super::share::{Share, percent};
use super::tables::idle;

/// The table of a chip, with as many bits.
pub fn matrix(study: &Study, chip: &str, bits: u32) -> String {
    let flips = if bits == 1 { "one bit" } else { "three bits" };
    let caption = format!("AVF on {chip}, {flips}");
    let mut out = format!(
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\">\n\
         <table class=\"matrix\"><caption><span>{0}</span></caption>\n\
         <thead><tr><th scope=\"col\" class=\"w\">Application</th>",
        esc(&caption)
    );
    for name in &study.structures {
        let noun = named(name).map_or("", |about| about.noun);
        let _ = write!(
            out,
            "<th scope=\"col\" title=\"{}\"><span class=\"key {}\"></span>{}</th>",
            esc(noun),
            structure_class(name),
            esc(name)
        );
    }
    out += "</tr></thead>\n<tbody>\n";
    for app in &study.apps {
        let _ = write!(out, "<tr><th scope=\"row\" class=\"w\">{}</th>", esc(app));
        for name in &study.structures {
            match study.cell(app, chip, bits, name) {
                Cell::Found(s) => found(&mut out, s),
                Cell::NoSuch => out += "<td>the chip has none</td>",
                Cell::Unused => out += "<td>the application has none</td>",
                Cell::NotRun => out += "<td>not run</td>",
            }
        }
        out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
    out
}

/// What the colours mean.
pub fn legend() -> String {
    let mut out = String::from("<ul class=\"legend\"><li>AVF:</li>");
    for (class, text) in steps_legend() {
        let _ = write!(out, "<li><span class=\"key {class}\"></span>{}</li>", esc(&text));
    }
    out + "</ul>\n"
}

fn found(out: &mut String, s: &Structure) {
    let with = |share: Share| {
        let Share(value, low, high) = share;
        let range = format!("[{}, {}]", percent(low), percent(high));
        format!("{}\u{a0}% <span class=\"range\">{range}</span>", percent(value))
    };
    let _ = write!(
        out,
        "<td class=\"h{}\"><span class=\"main\">{}</span>",
        step_of(s.avf.0),
        with(s.avf)
    );
    for (name, share) in
        [("SDC", s.sdc), ("crash", s.crash), ("timeout", s.timeout), ("cycles", s.performance)]
    {
        if share.0 > 0.0 {
            let _ = write!(out, "<span class=\"sub\">{name}\u{a0}{}</span>", with(share));
        }
    }
    if idle(s) {
        *out += "<span class=\"sub\">not in use</span>";
    }
    if s.counts.tool_error > 0 {
        let _ = write!(out, "<span class=\"sub\">{} tool errors</span>", s.counts.tool_error);
    }
    let _ = write!(out, "<span class=\"sub\">n\u{a0}=\u{a0}{}</span></td>", s.counts.valid());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ispass22::tables::tests::study;

    #[test]
    fn nothing_is_left_out() {
        let text = matrix(&study(), "titan", 1);
        assert_eq!(text.matches("<td").count(), 4 * 5);
        assert_eq!(text.matches("the chip has none").count(), 3);
        assert_eq!(text.matches("the application has none").count(), 3);
        assert_eq!(text.matches("not run").count(), 5);
        assert_eq!(text.matches("not in use").count(), 3);
        assert!(text.contains("4.00\u{a0}% <span class=\"range\">[3.60, 4.40]</span>"), "{text}");
        assert!(text.contains("n\u{a0}=\u{a0}3000"));
    }
}
