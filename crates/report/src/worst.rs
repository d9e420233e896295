//! Silent corruptions one by one, and the command that makes each again.

use serde::Serialize;
use upset_metrics::Class;
use upset_store::{Experiment, Results};

use crate::cell::Cell;
use crate::name::short_name;
use crate::replay::replay_command;

/// One silent corruption.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstSdc {
    /// Kernel as people read it.
    pub kernel_name: String,
    /// Structure.
    pub structure: String,
    /// The fault.
    pub fault: String,
    /// Elements that are wrong.
    pub wrong: u64,
    /// Of how many.
    pub elements: u64,
    /// Largest relative error; `None`: not finite, or the right value is 0.
    pub max_relative: Option<f64>,
    /// The command that makes it again.
    pub command: String,
}

/// How many are listed.
const LISTED: usize = 10;

/// Those with most wrong elements, then with the largest error.
pub fn worst(cells: &[&Cell<'_>], stores: &[Results]) -> Vec<WorstSdc> {
    let mut all: Vec<(&Cell<'_>, &Experiment)> = Vec::new();
    for cell in cells {
        let own = cell.experiments().into_iter();
        all.extend(own.filter(|e| e.class == Class::Sdc).map(|e| (*cell, e)));
    }
    // Without a finite error it is as bad as can be.
    let size = |e: &Experiment| match &e.sdc {
        Some(sdc) => (sdc.wrong, sdc.max_relative.unwrap_or(f64::INFINITY)),
        None => (0, 0.0),
    };
    all.sort_by(|(_, a), (_, b)| {
        let (x, y) = (size(a), size(b));
        y.0.cmp(&x.0).then(y.1.total_cmp(&x.1)).then_with(|| a.fault.cmp(&b.fault))
    });
    all.truncate(LISTED);
    let one = |(cell, e): (&Cell<'_>, &Experiment)| {
        let sdc = e.sdc.as_ref();
        WorstSdc {
            kernel_name: cell.stratum.kernel.as_deref().map_or("whole run".into(), short_name),
            structure: cell.stratum.structure.clone(),
            fault: e.fault.clone(),
            wrong: sdc.map_or(0, |s| s.wrong),
            elements: sdc.map_or(0, |s| s.elements),
            max_relative: sdc.and_then(|s| s.max_relative),
            command: cell
                .sources
                .first()
                .and_then(|i| stores.get(*i))
                .map_or(String::new(), |store| replay_command(store, cell.subject, &e.fault)),
        }
    };
    all.into_iter().map(one).collect()
}
