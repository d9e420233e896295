//! Running experiments of a store again, naively, to see whether anything differs.

use std::collections::BTreeMap;
use std::time::Instant;

use upset_fault::{Draws, Experiment, Key, Names};
use upset_metrics::Class;
use upset_store::{Experiment as Row, Results};

use crate::CampaignError;
use crate::options::Options;
use crate::pool::{self, Finished, Team};
use crate::processors::Processors;
use crate::progress::{Observer, Progress};
use crate::setup::setup;
use crate::spec::Spec;
use crate::wire::{GoldenOutputs, Job, Setup};
use crate::workload::Workload;

/// What a store says and what the naive run gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// As it is stored.
    pub stored: Row,
    /// Class of the naive run.
    pub class: Class,
    /// Its cycles.
    pub cycles: u64,
    /// Digest of its outputs.
    pub output_digest: String,
}

/// The outcome of a check.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Experiments that were run again.
    pub checked: u64,
    /// How they had been found out, and how many of each.
    pub how: Vec<(String, u64)>,
    /// Those that differ.
    pub differences: Vec<Difference>,
    /// Runs that could not be repeated: failures of the tool, then or now.
    pub tool_errors: u64,
}

/// Ways in which experiments are found out.
const WAYS: [&str; 6] =
    ["simulated", "followed", "converged", "converged later", "overwritten", "untouched"];

/// Which experiments of a store are run again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// How many, chosen at random; all without a number.
    pub sample: Option<u64>,
    /// Seed of the choice.
    pub seed: u64,
    /// Only experiments that were found out in one of these ways; any when
    /// there are none.
    pub how: Vec<String>,
}

impl Choice {
    /// Numbers of the experiments, ascending: a sample without repetition, the
    /// same for the same seed. `how` has the way in which each was found out.
    fn of(&self, how: &[&str]) -> Result<Vec<usize>, CampaignError> {
        // A word on the command line has no spaces: `converged-later`.
        let ways: Vec<String> = self.how.iter().map(|w| w.replace('-', " ")).collect();
        let there = count_ways(how);
        let is_there = |way: &String| there.iter().any(|(k, _)| k == way);
        let has = || {
            let list: Vec<String> =
                there.iter().map(|(way, n)| format!("{} ({n})", way.replace(' ', "-"))).collect();
            if list.is_empty() { "no experiments".into() } else { list.join(", ") }
        };
        // A way that this store happens not to have is no slip; one that none has is.
        let is_known = |way: &String| is_there(way) || WAYS.contains(&way.as_str());
        if let Some(unknown) = ways.iter().position(|w| !is_known(w)) {
            return Err(CampaignError::Spec(format!(
                "no experiment is ever found out as `{}`; this store has {}",
                self.how[unknown],
                has()
            )));
        }
        let wanted = |i: &usize| ways.is_empty() || ways.iter().any(|w| w == how[*i]);
        let mut numbers: Vec<usize> = (0..how.len()).filter(wanted).collect();
        if numbers.is_empty() && !ways.is_empty() {
            return Err(CampaignError::Spec(format!(
                "no experiment of this store was found out as {}; it has {}",
                self.how.join(" or "),
                has()
            )));
        }
        let count = self.sample.map_or(numbers.len(), |n| (n as usize).min(numbers.len()));
        let mut draws = Draws::new(Key::new(self.seed, "verify"), 0);
        for i in 0..count {
            let j = i + draws.below((numbers.len() - i) as u64) as usize;
            numbers.swap(i, j);
        }
        numbers.truncate(count);
        numbers.sort_unstable();
        Ok(numbers)
    }
}

/// Ways in which experiments were found out, and how many of each.
fn count_ways(how: &[&str]) -> Vec<(String, u64)> {
    let mut ways: BTreeMap<&str, u64> = BTreeMap::new();
    how.iter().for_each(|way| *ways.entry(way).or_default() += 1);
    ways.into_iter().map(|(way, n)| (way.to_string(), n)).collect()
}

/// Runs experiments of a store again: each from cycle 0, with its flips at
/// their own cycles, to its end.
pub fn verify(
    results: &Results,
    choice: &Choice,
    options: &Options<'_>,
    observer: &mut dyn Observer,
) -> Result<Verified, CampaignError> {
    let spec = Spec { exact: false, ..Spec::parse(&results.header.spec)? };
    spec.check()?;
    let how: Vec<&str> = results.experiments.iter().map(|e| e.how.as_str()).collect();
    let numbers = choice.of(&how)?;
    let chosen: Vec<&Row> = numbers.iter().map(|&i| &results.experiments[i]).collect();
    let how: Vec<&str> = chosen.iter().map(|row| row.how.as_str()).collect();
    let checked = chosen.len() as u64;
    let mut verified = Verified { checked, how: count_ways(&how), ..Verified::default() };
    let processors = Processors::new(options.jobs);
    for subject in &results.subjects {
        let of_subject = |stratum: u32| {
            results.strata.iter().any(|s| s.id == stratum && s.subject == subject.id)
        };
        let rows: Vec<&Row> = chosen.iter().copied().filter(|r| of_subject(r.stratum)).collect();
        if rows.is_empty() {
            continue;
        }
        let id = subject.id as usize;
        let (app, chip) = (id / spec.chips.len(), id % spec.chips.len());
        let mut target = Workload::open(&spec, app, chip)?;
        observer.stage(&target.name(), "fault-free run");
        let started = Instant::now();
        let mut notes = Vec::new();
        let golden = target.golden(&mut notes, options.stop)?;
        notes.iter().for_each(|n| observer.note(n));
        target.is_still(subject, &golden, spec.limit)?;
        let setup = setup(&spec, app, chip, &target, &golden, started.elapsed().as_secs());
        let names = Names::new(&golden.registry);
        let mut jobs = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let experiment: Experiment = names.parse(&row.fault)?;
            jobs.push(Job {
                id: i as u64,
                start: experiment.first_cycle(),
                changes: experiment.changes(),
                hidden: Vec::new(),
                look: false,
            });
        }
        let outputs = GoldenOutputs { copies: golden.copies, results: golden.results };
        let packed = outputs.pack();
        let setup = Setup { golden_bytes: packed.len() as u64, ..setup };
        let mut progress = Progress {
            subject: target.name(),
            subjects: (id, results.subjects.len()),
            total: rows.len() as u64,
            handed: (0, rows.len() as u64),
            ..Progress::default()
        };
        let mut take = |batch: Vec<Finished>| {
            for f in batch {
                compare(rows[f.id as usize], &f, &mut verified);
                progress.counts.add(f.outcome.class);
                progress.handed.0 += 1;
                progress.simulated += 1;
            }
            progress.done = progress.counts.runs();
            observer.progress(&progress);
            Ok(())
        };
        let (command, stop) = (options.worker.as_slice(), options.stop);
        let team = Team { processors: &processors, command, walks: 1, stop };
        pool::run(team, &setup, &packed, jobs, &mut take)?;
    }
    verified.differences.sort_by_key(|d| (d.stored.stratum, d.stored.number));
    Ok(verified)
}

fn compare(row: &Row, f: &Finished, verified: &mut Verified) {
    let o = &f.outcome;
    if o.class == Class::ToolError && row.class == Class::ToolError {
        verified.tool_errors += 1;
        return;
    }
    let same = (row.class, row.cycles, &row.output_digest, &row.cause, &row.sdc)
        == (o.class, o.cycles, &o.output_digest, &o.cause, &o.sdc);
    if !same || row.noticed != o.noticed {
        verified.differences.push(Difference {
            stored: row.clone(),
            class: o.class,
            cycles: o.cycles,
            output_digest: o.output_digest.clone(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIX: [&str; 6] =
        ["untouched", "simulated", "untouched", "converged later", "simulated", "followed"];

    #[test]
    fn a_sample_is_drawn_among_the_ways_asked_for() {
        let how = SIX.repeat(10);
        let ways = vec!["simulated".to_string(), "converged-later".into()];
        let all = Choice { how: ways, ..Choice::default() };
        let (every, some) = (all.of(&how).unwrap(), Choice { sample: Some(12), ..all });
        let is_wanted = |n: usize| [1, 3, 4].contains(&(n % 6));
        assert_eq!(every, (0..60).filter(|n| is_wanted(*n)).collect::<Vec<_>>());
        let twelve = some.of(&how).unwrap();
        assert!(twelve.len() == 12 && twelve.windows(2).all(|w| w[0] < w[1]));
        assert!(twelve.iter().all(|n| is_wanted(*n)));
        assert_ne!(Choice { seed: 3, ..some }.of(&how).unwrap(), twelve);
        let more = Choice { sample: Some(99), ..Choice::default() };
        assert_eq!(more.of(&how).unwrap().len(), 60);
    }

    #[test]
    fn an_unknown_way_is_told_with_those_there_are() {
        let say = |ways: &[&str], how: &[&str]| {
            let how_asked = ways.iter().map(|w| w.to_string()).collect();
            let choice = Choice { how: how_asked, ..Choice::default() };
            choice.of(how).map_err(|e| e.to_string())
        };
        assert_eq!(
            say(&["simulated", "guessed"], &SIX).unwrap_err(),
            "no experiment is ever found out as `guessed`; this store has converged-later (1), \
             followed (1), simulated (2), untouched (2)"
        );
        assert_eq!(say(&["overwritten", "followed"], &SIX), Ok(vec![5]));
        assert_eq!(
            say(&["overwritten", "converged"], &SIX[..1]).unwrap_err(),
            "no experiment of this store was found out as overwritten or converged; it has \
             untouched (1)"
        );
        assert!(say(&["simulated"], &[]).unwrap_err().ends_with("it has no experiments"));
    }
}
