//! What the ACE analysis of a subject says beside its injections.

use super::chart::{About, Curve, areas};
use super::escape::esc;
use super::palette::structure_class;
use super::table::Table;
use crate::ace::AceBounds;
use crate::name::short_name;
use crate::number::{grouped, percent};
use crate::panel::Panel;

/// Hot spots that are shown of a structure.
const SHOWN: usize = 6;

/// What was injected is shown; `upset ace` has the rest.
fn injected(p: &Panel, structure: &str) -> bool {
    p.rows.iter().any(|r| r.structure == structure)
}

/// Vulnerable bits over time.
pub fn figure(p: &Panel, all: &[AceBounds], id: &str) -> String {
    let Some(ace) = all.iter().find(|a| a.is_of(p.about())) else { return String::new() };
    let curves: Vec<Curve> = ace
        .timeline
        .iter()
        .filter(|t| injected(p, &t.structure))
        .map(|t| (t, t.refined.iter().copied().fold(0.0, f64::max)))
        .filter(|(_, most)| *most > 0.0)
        .map(|(t, most)| Curve {
            label: t.structure.clone(),
            value: format!("most: {} bits", grouped(most.round() as u64)),
            class: structure_class(&t.structure).into(),
            points: t.refined.clone(),
        })
        .collect();
    if curves.is_empty() {
        return String::new();
    }
    let about = About {
        id: id.to_string(),
        of: p.subject(),
        title: "Vulnerable bits over time, by the ACE analysis.",
        note: "The refined upper bound over the whole run; each curve has its own scale.",
        legend: Vec::new(),
    };
    areas(&about, &curves, &format!("cycles 0 to {}", grouped(ace.cycles)))
}

/// Values that carry most of it, by the instruction that wrote them.
pub fn hot_spots(p: &Panel, all: &[AceBounds]) -> String {
    let here = |a: &&AceBounds| {
        a.is_of(p.about()) && a.hot_spots.iter().any(|h| injected(p, &h.structure))
    };
    let Some(ace) = all.iter().find(here) else { return String::new() };
    let sources = ace.hot_spots.iter().any(|h| h.source.is_some());
    let mut head = vec!["Kernel", "Structure", "Register", "Offset", "Instruction"];
    if sources {
        head.push("Source");
    }
    let words = head.len();
    head.push("Share");
    let mut t = Table::new(
        "Hot spots by the ACE analysis: values, by the instruction that wrote them",
        words,
        &head,
    );
    let mut shown: Vec<&str> = Vec::new();
    for h in ace.hot_spots.iter().filter(|h| injected(p, &h.structure)) {
        if shown.iter().filter(|s| **s == h.structure).count() == SHOWN {
            continue;
        }
        shown.push(&h.structure);
        let or_dash = |text: &Option<String>| text.as_deref().map_or("–".into(), esc);
        let mut cells = vec![
            esc(&short_name(&h.kernel)),
            esc(&h.structure),
            or_dash(&h.register),
            h.offset.map_or("–".into(), |o| format!("<code>{o:#06x}</code>")),
            h.instruction
                .as_ref()
                .map_or("there before".into(), |i| format!("<code>{}</code>", esc(i))),
        ];
        if sources {
            cells.push(or_dash(&h.source));
        }
        cells.push(percent(h.share));
        t.push(cells);
    }
    t.render()
}
