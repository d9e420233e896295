//! Chips against each other under an application, applications on a chip.

use serde::Serialize;
use upset_metrics::Estimate;
use upset_metrics::difference::{difference_of, ratio_of};

use crate::panel::Panel;

/// Two subjects that differ in one thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What both have in common: the application, or the chip.
    pub common: String,
    /// `chips` or `applications`.
    pub between: &'static str,
    /// The first of the two.
    pub first: String,
    /// The second.
    pub second: String,
    /// Structure; `None`: all of them together, where both have the same.
    pub structure: Option<String>,
    /// Failures: SDC, crash, timeout.
    pub avf: Option<Compared>,
    /// Silent corruptions.
    pub sdc: Option<Compared>,
    /// Crashes and timeouts.
    pub due: Option<Compared>,
}

/// A figure of both, with difference and ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// First minus second.
    pub difference: Estimate,
    /// First over second; an upper limit of infinity (`null`): the second may be 0.
    pub ratio: Estimate,
}

type Figures = [Option<Estimate>; 3];

/// All pairs of panels of the first kind of fault that differ in chip or application.
pub fn comparisons(panels: &[Panel]) -> Vec<Comparison> {
    let Some(variant) = panels.iter().map(|p| &p.variant).min() else { return Vec::new() };
    let own: Vec<&Panel> =
        panels.iter().filter(|p| p.variant == *variant && p.total.is_some()).collect();
    let mut list = Vec::new();
    let app = |p: &Panel| (p.app.clone(), p.scale.clone());
    for (i, a) in own.iter().enumerate() {
        for b in own.iter().skip(i + 1).filter(|b| app(b) == app(a) && b.chip != a.chip) {
            pair(&mut list, ("chips", a.application()), (a, &a.chip), (b, &b.chip));
        }
    }
    for (i, a) in own.iter().enumerate() {
        for b in own.iter().skip(i + 1).filter(|b| app(b) != app(a) && b.chip == a.chip) {
            let names = (a.application(), b.application());
            pair(&mut list, ("applications", a.chip.clone()), (a, &names.0), (b, &names.1));
        }
    }
    list
}

fn pair(
    list: &mut Vec<Comparison>,
    (between, common): (&'static str, String),
    (a, first): (&Panel, &str),
    (b, second): (&Panel, &str),
) {
    let (Some(x), Some(y)) = (&a.total, &b.total) else { return };
    let mut put = |structure: Option<String>, x: Figures, y: Figures| {
        let [avf, sdc, due] = [0, 1, 2].map(|i| compared(x[i], y[i]));
        list.push(Comparison {
            common: common.clone(),
            between,
            first: first.to_string(),
            second: second.to_string(),
            structure,
            avf,
            sdc,
            due,
        });
    };
    // Sums over other structures are another figure.
    if x.structures.len() > 1 && x.over() == y.over() {
        put(None, [x.avf, x.sdc, x.due], [y.avf, y.sdc, y.due]);
    }
    for s in &x.structures {
        if let Some(t) = y.structures.iter().find(|t| t.structure == s.structure) {
            put(Some(s.structure.clone()), [s.avf, s.sdc, s.due], [t.avf, t.sdc, t.due]);
        }
    }
}

fn compared(a: Option<Estimate>, b: Option<Estimate>) -> Option<Compared> {
    let (a, b) = (a?, b?);
    Some(Compared { difference: difference_of(a, b), ratio: ratio_of(a, b) })
}
