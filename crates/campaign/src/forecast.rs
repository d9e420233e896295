//! What a campaign will take, told before anything runs.

use serde::Serialize;

use crate::CampaignError;
use crate::costs::kernels;
use crate::intents::intents;
use crate::shards::{all, experiments, strata};
use crate::size::Plan;
use crate::spec::Spec;

/// Instructions of a warp that a core simulates in a second, with all that a
/// campaign does beside: measured for `studies/papers.toml` on a 2.x GHz server.
const PER_SECOND: f64 = 1.4e6;
/// Bytes of a store without experiments, and of each of them.
const STORE: (u64, u64) = (80 << 10, 190);

/// All of it.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Forecast {
    /// Rows of the plan.
    pub strata: Vec<Stratum>,
    /// Parts, from 1; those with nothing to do are left out.
    pub shards: Vec<Part>,
    /// Runs are a limit that a stratum may not come to: it ends at so many
    /// failures.
    pub at_most: bool,
    /// Some of the work is of unknown size: programs and applications of one's own.
    pub guessed: bool,
}

/// A row of the plan.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Stratum {
    /// Application or program.
    pub app: String,
    /// Chip.
    pub chip: String,
    /// Kernel, or `each`.
    pub kernel: String,
    /// Structure.
    pub structure: String,
    /// Bits of a fault.
    pub bits: u32,
    /// Strata that `each` is, where that is known beforehand.
    pub kernels: Option<u64>,
    /// Experiments of a stratum.
    pub runs: u64,
}

/// A shard.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Part {
    /// Its number, from 1.
    pub number: u32,
    /// Experiments.
    pub runs: u64,
    /// Seconds of one core.
    pub core_seconds: f64,
    /// Size of its store.
    pub bytes: u64,
}

/// What a campaign in so many shards will take.
pub fn forecast(spec: &Spec, shards: u32) -> Result<Forecast, CampaignError> {
    spec.check()?;
    let intents = intents(spec);
    let rows: Vec<Stratum> = intents
        .iter()
        .map(|intent| Stratum {
            app: intent.app.clone(),
            chip: intent.chip.clone(),
            kernel: intent.kernel.clone(),
            structure: intent.structure.clone(),
            bits: intent.bits,
            kernels: strata(spec, intent),
            runs: intent.planned,
        })
        .collect();
    let parts = all(spec, &intents, shards).into_iter().map(|(number, load)| {
        let runs = experiments(spec, &intents, &load.parts);
        let bytes = STORE.0 + runs * STORE.1;
        Part { number, runs, core_seconds: load.cost / PER_SECOND, bytes }
    });
    Ok(Forecast {
        shards: parts.collect(),
        at_most: !matches!(spec.plan(), Plan::Runs(_)),
        guessed: !spec.program.is_empty() || rows.iter().any(|s| kernels(&s.app).is_none()),
        strata: rows,
    })
}

impl Forecast {
    /// Experiments in all.
    pub fn runs(&self) -> u64 {
        self.strata.iter().map(|s| s.runs * s.kernels.unwrap_or(1)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> Spec {
        Spec {
            apps: vec!["va".into(), "lud".into()],
            chips: vec!["rtx2060".into()],
            structures: vec!["rf".into(), "l2".into()],
            runs: Some(100),
            ..Spec::default()
        }
    }

    #[test]
    fn shards_together_are_the_plan() {
        for shards in [1, 2, 3, 7, 100] {
            let told = forecast(&spec(), shards).unwrap();
            // One kernel and three of them, two structures.
            assert_eq!(told.runs(), 800);
            assert_eq!(told.shards.iter().map(|s| s.runs).sum::<u64>(), 800, "{shards}");
            assert!(told.shards.iter().all(|s| s.core_seconds > 0.0 && s.bytes > s.runs));
        }
    }

    #[test]
    fn what_is_not_known_is_said() {
        let told = forecast(&spec(), 1).unwrap();
        assert!(!told.guessed && !told.at_most);
        let relative = Spec { runs: None, relative: Some(0.1), ..spec() };
        assert!(forecast(&relative, 1).unwrap().at_most);
        let program = Spec { apps: vec![], program: vec!["./x".into()], ..spec() };
        let told = forecast(&program, 1).unwrap();
        assert!(told.guessed && told.strata[0].kernels.is_none());
    }
}
