//! Figures over several structures and kernels.

use upset_metrics::vulnerability::{Structure, kernel_avf, weighted_avf};
use upset_metrics::{Estimate, Method, Rate};

use super::repeat::{CONFIDENCE, Covered};
use crate::Outcome;

/// Campaigns over one program and array, as a part of something larger.
pub struct Stratum {
    /// The AVF.
    pub truth: f64,
    /// Bits of the array.
    pub bits: u64,
    /// Cycles of the launch.
    pub cycles: u64,
    /// Share of bits x cycles that was drawn from.
    pub derating: f64,
    /// Runs of each campaign.
    pub runs: u64,
    /// Failures, by campaign.
    pub failures: Vec<u64>,
}

impl Stratum {
    fn structure(&self, campaign: usize, method: Method) -> Structure {
        let k = self.failures.get(campaign).copied().unwrap_or(0);
        let rate = Rate::fixed(k, self.runs, method, CONFIDENCE);
        Structure { rate, derating: self.derating, bits: self.bits }
    }
}

/// How strata are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// As structures of one kernel.
    Kernel,
    /// As kernels of one application.
    Application,
}

impl Whole {
    fn weight(self, s: &Stratum) -> f64 {
        match self {
            Whole::Kernel => s.bits as f64,
            Whole::Application => s.cycles as f64,
        }
    }

    /// Its AVF.
    pub fn truth(self, strata: &[Stratum]) -> f64 {
        let all: f64 = strata.iter().map(|s| self.weight(s)).sum();
        strata.iter().map(|s| s.truth * self.weight(s)).sum::<f64>() / all
    }

    fn estimate(self, strata: &[Stratum], campaign: usize, method: Method) -> Option<Estimate> {
        let parts: Vec<_> = strata.iter().map(|s| s.structure(campaign, method)).collect();
        match self {
            Whole::Kernel => kernel_avf(&parts),
            Whole::Application => {
                let kernels = strata.iter().zip(parts.chunks(1));
                weighted_avf(&kernels.map(|(s, part)| (s.cycles, part)).collect::<Vec<_>>())
            }
        }
    }

    /// How often its interval covers its AVF.
    pub fn coverage(self, strata: &[Stratum], method: Method) -> Outcome<Covered> {
        let campaigns = strata.iter().map(|s| s.failures.len()).min().unwrap_or(0);
        let truth = self.truth(strata);
        let mut covered = Covered::default();
        for campaign in 0..campaigns {
            let whole = self.estimate(strata, campaign, method).ok_or("no figure")?;
            covered.add(whole.interval(), truth);
        }
        Ok(covered)
    }
}
