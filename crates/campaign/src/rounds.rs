//! Which experiments come next, and where a sequential plan ends.

use std::collections::BTreeMap;
use std::ops::Range;

use upset_fault::Experiment;
use upset_metrics::Class;
use upset_metrics::until::Looks;
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
    part.numbers(index, stratum.planned, stratum.is_sequential())
}

/// Which experiments are done, and which come next.
pub(crate) struct Rounds {
    /// By stratum: classes by number.
    pub classes: Vec<BTreeMap<u64, Class>>,
    /// By stratum: numbers that are done here.
    own: Vec<Vec<Range<u64>>>,
    /// By stratum: what ends it.
    rules: Vec<Rule>,
    /// By stratum: experiments asked for so far.
    asked: Vec<u64>,
    /// By stratum: where it ends.
    end: Vec<u64>,
    /// By stratum: whether a sequential plan has come to its end.
    closed: Vec<bool>,
}

/// What ends a stratum's experiments.
enum Rule {
    /// Nothing but their number.
    All,
    /// A failure: the one that makes so many.
    Failures(u64),
    /// A look that finds the rate known within the margin.
    Margin(Looks),
}

/// Experiments of the first round up to a number of failures; every round doubles them.
const FIRST_ROUND: u64 = 1000;

impl Rule {
    fn of(stratum: &Stratum, confidence: f64) -> Rule {
        match stratum.stop_at_margin.and_then(|m| Looks::for_margin(m, confidence)) {
            Some(looks) => Rule::Margin(looks),
            None if stratum.stop_at_failures > 0 => Rule::Failures(stratum.stop_at_failures),
            None => Rule::All,
        }
    }

    /// Experiments to ask for when the first `asked` are known, of at most `end`.
    fn next(&self, classes: &BTreeMap<u64, Class>, asked: u64, end: u64) -> u64 {
        match self {
            Rule::All => end,
            Rule::Failures(_) => (2 * asked).max(FIRST_ROUND).min(end),
            Rule::Margin(looks) => {
                looks.expected(asked, failed(classes, asked).count() as u64).min(end)
            }
        }
    }

    /// How many of the first `asked` experiments count, where they end with one of them.
    fn end(&self, classes: &BTreeMap<u64, Class>, asked: u64) -> Option<u64> {
        match self {
            Rule::All => None,
            Rule::Failures(number) => {
                let last = number.checked_sub(1)?;
                failed(classes, asked).nth(usize::try_from(last).ok()?).map(|n| n + 1)
            }
            Rule::Margin(looks) => {
                let failed: Vec<u64> = failed(classes, asked).collect();
                let (_, end) = looks.span(&failed, &[]);
                (end <= asked).then_some(end)
            }
        }
    }
}

/// Numbers of failures among the first experiments.
fn failed(classes: &BTreeMap<u64, Class>, asked: u64) -> impl Iterator<Item = u64> {
    classes.range(..asked).filter(|(_, class)| class.is_failure()).map(|(number, _)| *number)
}

impl Rounds {
    /// What is in the store of what is done here.
    pub fn new(
        planned: &[Planned],
        confidence: f64,
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
            rules: planned.iter().map(|p| Rule::of(&p.stratum, confidence)).collect(),
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
            let rule = &self.rules[stratum];
            let asked = rule.next(&self.classes[stratum], self.asked[stratum], self.end[stratum]);
            self.asked[stratum] = asked;
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
            if self.closed[stratum] || self.own[stratum].is_empty() {
                continue;
            }
            let rule = &self.rules[stratum];
            if let Some(end) = rule.end(&self.classes[stratum], self.asked[stratum]) {
                self.closed[stratum] = true;
                ends.push((stratum, end));
            }
        }
        ends
    }
}
