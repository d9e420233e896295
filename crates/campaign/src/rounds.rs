//! Which experiments come next, and where a sequential plan ends.

use std::collections::BTreeMap;
use std::ops::Range;

use upset_fault::Experiment;
use upset_metrics::Class;
use upset_store::{ShardPart, Store, Stratum};

use crate::CampaignError;
use crate::plan::Planned;

/// A drawn experiment that is not in the store yet.
pub(crate) struct Open {
    /// Place of its stratum in the plan.
    pub stratum: usize,
    /// Its number there.
    pub number: u64,
    /// What it breaks.
    pub experiment: Experiment,
}

/// Numbers of a stratum's experiments that are a part's.
pub(crate) fn numbers(part: &ShardPart, index: usize, stratum: &Stratum) -> Vec<Range<u64>> {
    part.numbers(index, stratum.planned, stratum.stop_at_failures > 0)
}

/// Which experiments are done, and which come next.
pub(crate) struct Rounds {
    /// By stratum: classes by number.
    pub classes: Vec<BTreeMap<u64, Class>>,
    /// By stratum: numbers that are done here.
    own: Vec<Vec<Range<u64>>>,
    /// By stratum: failures to stop at; 0 for plans that run to their end.
    stop_at: Vec<u64>,
    /// By stratum: experiments asked for so far.
    asked: Vec<u64>,
    /// By stratum: where it ends.
    end: Vec<u64>,
    /// By stratum: whether a sequential plan has come to its end.
    closed: Vec<bool>,
}

/// Experiments of the first round of a sequential plan; every round doubles them.
const FIRST_ROUND: u64 = 1000;

impl Rounds {
    /// What is in the store of what is done here.
    pub fn new(
        planned: &[Planned],
        part: &ShardPart,
        store: &mut Store,
    ) -> Result<Rounds, CampaignError> {
        let (mut classes, mut closed) = (Vec::new(), Vec::new());
        for p in planned {
            classes.push(store.done(p.stratum.id)?.into_iter().collect());
            closed.push(store.stop(p.stratum.id)?.is_some());
        }
        let own = planned.iter().enumerate().map(|(i, p)| numbers(part, i, &p.stratum)).collect();
        Ok(Rounds {
            classes,
            own,
            stop_at: planned.iter().map(|p| p.stratum.stop_at_failures).collect(),
            asked: vec![0; planned.len()],
            end: planned.iter().map(|p| p.stratum.planned).collect(),
            closed,
        })
    }

    /// Experiments of all strata that are done here, at most.
    pub fn total(&self) -> u64 {
        self.own.iter().flatten().map(|r| r.end - r.start).sum()
    }

    /// The class of an experiment is known.
    pub fn set(&mut self, stratum: usize, number: u64, class: Class) {
        self.classes[stratum].insert(number, class);
    }

    /// Experiments of the next round; `None` when all is done.
    pub fn next(&mut self, planned: &[Planned]) -> Result<Option<Vec<Open>>, CampaignError> {
        let mut open = Vec::new();
        let mut more = false;
        for (stratum, p) in planned.iter().enumerate() {
            let nothing = self.own[stratum].is_empty();
            if nothing || self.closed[stratum] || self.asked[stratum] == self.end[stratum] {
                continue;
            }
            more = true;
            self.asked[stratum] = match self.stop_at[stratum] {
                0 => self.end[stratum],
                _ => (2 * self.asked[stratum]).max(FIRST_ROUND).min(self.end[stratum]),
            };
            let asked = self.asked[stratum];
            let own = self.own[stratum].iter().cloned().flatten().take_while(|n| *n < asked);
            for number in own {
                if !self.classes[stratum].contains_key(&number) {
                    open.push(Open { stratum, number, experiment: p.draw(number)? });
                }
            }
        }
        Ok(more.then_some(open))
    }

    /// Sequential plans whose last experiment is known now: stratum and number
    /// of experiments that count.
    pub fn close(&mut self) -> Vec<(usize, u64)> {
        let mut ends = Vec::new();
        for stratum in 0..self.classes.len() {
            if self.stop_at[stratum] == 0 || self.closed[stratum] {
                continue;
            }
            let mut failures = 0;
            for number in 0..self.asked[stratum] {
                let class = self.classes[stratum].get(&number);
                failures += u64::from(class.is_some_and(|c| c.is_failure()));
                if failures == self.stop_at[stratum] {
                    self.closed[stratum] = true;
                    ends.push((stratum, number + 1));
                    break;
                }
            }
        }
        ends
    }
}
