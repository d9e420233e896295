//! `upset ace --against`: the failures of a campaign must be among the flips
//! that the bounds count.

use std::path::Path;

use upset_ace::{Ace, Answer};
use upset_campaign::CampaignError;
use upset_chip::ChipSpec;
use upset_fault::Names;
use upset_state::{Change, Registry, Site};
use upset_store::{Experiment, Store};

use crate::failure::Failure;

/// Failures that are listed.
const SHOWN: usize = 20;

/// Failures of single flips, and where they were.
pub struct Failures {
    found: Vec<(Experiment, String)>,
    /// Bit and cycle of each.
    pub sites: Vec<(Site, u64)>,
}

impl Failures {
    /// Reads a store's failures of single flips in an application on a chip.
    pub fn read(
        store: &Path,
        (app, scale): (&str, &str),
        chip: &ChipSpec,
        registry: &Registry,
    ) -> Result<Failures, Failure> {
        let results = Store::read(store).map_err(CampaignError::from)?;
        let names = Names::new(registry);
        let mut failures = Failures { found: Vec::new(), sites: Vec::new() };
        for e in results.experiments.into_iter().filter(|e| e.class.is_failure()) {
            let stratum = results.strata.iter().find(|s| s.id == e.stratum);
            let Some(stratum) = stratum.filter(|s| s.bits == 1 && s.model == "flip") else {
                continue;
            };
            let subject = results.subjects.iter().find(|s| s.id == stratum.subject);
            let same = |s: &&upset_store::Subject| {
                (s.app.as_str(), s.scale.as_str(), s.chip.as_str())
                    == (app, scale, chip.chip.name.as_str())
            };
            if subject.filter(same).is_none() {
                continue;
            }
            let experiment = names.parse(&e.fault).map_err(CampaignError::from)?;
            if let [(cycle, Change::Flip(site))] = experiment.changes()[..] {
                failures.found.push((e, stratum.structure.clone()));
                failures.sites.push((site, cycle));
            }
        }
        Ok(failures)
    }

    /// What the bounds say of them; false when some are not counted.
    pub fn text(&self, ace: &Ace) -> (String, bool) {
        let outside = |of: fn(&Answer) -> bool| {
            let pairs = self.found.iter().zip(&ace.answers);
            pairs.filter(|(_, a)| !of(a)).map(|(f, _)| f).collect::<Vec<_>>()
        };
        let (plain, refined) = (outside(|a| a.ace), outside(|a| a.refined));
        let mut out = format!(
            "\n{} failures of single flips: {} outside the bound, {} outside the refined one\n",
            self.found.len(),
            plain.len(),
            refined.len()
        );
        for (e, structure) in refined.iter().take(SHOWN) {
            out += &format!("{structure}: {} {}\n", e.class.name(), e.fault);
        }
        (out, plain.is_empty() && refined.is_empty())
    }
}
