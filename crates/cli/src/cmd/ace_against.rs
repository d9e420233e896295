//! `upset ace --against`: the failures of a campaign, and the flips that got out
//! of their arrays, must be among those that the bounds count.

use std::path::Path;

use upset_ace::{Ace, Answer};
use upset_campaign::CampaignError;
use upset_chip::ChipSpec;
use upset_fault::Names;
use upset_state::{Change, Kind, Registry, Site};
use upset_store::{Experiment, Store};

use crate::failure::Failure;

/// Failures that are listed.
const SHOWN: usize = 20;

/// Single flips that failed or got out of their arrays, and where they were.
pub struct Failures {
    found: Vec<(Experiment, String)>,
    /// Bit and cycle of each.
    pub sites: Vec<(Site, u64)>,
}

impl Failures {
    /// Reads a store's single flips that did something in an application on a chip.
    pub fn read(
        store: &Path,
        (app, scale): (&str, &str),
        chip: &ChipSpec,
        registry: &Registry,
    ) -> Result<Failures, Failure> {
        let results = Store::read(store).map_err(CampaignError::from)?;
        let names = Names::new(registry);
        let mut failures = Failures { found: Vec::new(), sites: Vec::new() };
        let did = |e: &Experiment| e.class.is_failure() || e.reached == Some(true);
        for e in results.experiments.into_iter().filter(did) {
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
            if let [(cycle, Change::Flip(site))] = experiment.changes()[..]
                && is_bounded(site.array.kind)
            {
                failures.found.push((e, stratum.structure.clone()));
                failures.sites.push((site, cycle));
            }
        }
        Ok(failures)
    }

    /// What the bounds say of them; false when some are not counted.
    pub fn text(&self, ace: &Ace) -> (String, bool) {
        let outside = |what: fn(&Experiment) -> bool, of: fn(&Answer) -> bool| {
            let pairs = self.found.iter().zip(&ace.answers);
            let pairs = pairs.filter(|((e, _), a)| what(e) && !of(a));
            pairs.map(|(f, _)| f).collect::<Vec<_>>()
        };
        let count =
            |what: fn(&Experiment) -> bool| self.found.iter().filter(|(e, _)| what(e)).count();
        let failed: fn(&Experiment) -> bool = |e| e.class.is_failure();
        let got_out: fn(&Experiment) -> bool = |e| e.reached == Some(true);
        let (plain, refined) = (outside(failed, |a| a.ace), outside(failed, |a| a.refined));
        let reached = outside(got_out, |a| a.ace);
        let mut out = format!(
            "\n{} failures of single flips: {} outside the bound, {} outside the refined one\n\
             {} single flips got out of their arrays: {} outside the bound\n",
            count(failed),
            plain.len(),
            refined.len(),
            count(got_out),
            reached.len()
        );
        for (e, structure) in refined.iter().chain(&reached).take(SHOWN) {
            out += &format!("{structure}: {} {}\n", e.class.name(), e.fault);
        }
        (out, plain.is_empty() && refined.is_empty() && reached.is_empty())
    }
}

/// Whether the analysis says anything of a kind of array (docs/ace.md).
fn is_bounded(kind: Kind) -> bool {
    kind.about().whole_life
}
