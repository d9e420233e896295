//! Running experiments of a store again, naively, to see whether anything differs.

use std::time::Instant;

use upset_fault::{Draws, Experiment, Key, Names};
use upset_metrics::Class;
use upset_store::{Experiment as Row, Results};

use crate::CampaignError;
use crate::pool::{self, Finished};
use crate::run::{Observer, Options, Progress, setup};
use crate::spec::Spec;
use crate::target::Target;
use crate::wire::{GoldenOutputs, Job, Setup};

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

/// Runs `sample` experiments of a store (all without one) again: each from
/// cycle 0, with its flips at their own cycles, to its end.
pub fn verify(
    results: &Results,
    sample: Option<u64>,
    seed: u64,
    options: &Options<'_>,
    observer: &mut dyn Observer,
) -> Result<Verified, CampaignError> {
    let spec = Spec { exact: false, ..Spec::parse(&results.header.spec)? };
    spec.check()?;
    let chosen = choose(&results.experiments, sample, seed);
    let mut verified = Verified { checked: chosen.len() as u64, ..Verified::default() };
    for row in &chosen {
        match verified.how.iter_mut().find(|(how, _)| *how == row.how) {
            Some((_, n)) => *n += 1,
            None => verified.how.push((row.how.clone(), 1)),
        }
    }
    verified.how.sort();
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
        let mut target = Target::open(&spec, app, chip)?;
        observer.stage(&target.name(), "fault-free run");
        let started = Instant::now();
        let mut notes = Vec::new();
        let golden = target.golden(&mut notes, options.stop)?;
        notes.iter().for_each(|n| observer.note(n));
        let now = target.subject(subject.id, &golden, spec.limit)?;
        if now != *subject {
            return Err(CampaignError::Golden {
                subject: target.name(),
                what: "is not the one that the store was made with: the application, the chip \
                       or this program has changed"
                    .into(),
            });
        }
        let setup = setup(&spec, app, chip, &target, &golden, started.elapsed().as_secs());
        let names = Names::new(&golden.registry);
        let mut jobs = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let experiment: Experiment = names.parse(&row.fault)?;
            jobs.push(Job {
                id: i as u64,
                start: experiment.first_cycle(),
                changes: experiment.changes(),
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
        let o = options;
        pool::run(o.jobs, &o.worker, &setup, &packed, jobs, o.stop, &mut take)?;
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
    if !same {
        verified.differences.push(Difference {
            stored: row.clone(),
            class: o.class,
            cycles: o.cycles,
            output_digest: o.output_digest.clone(),
        });
    }
}

/// A sample without repetition, the same for the same seed.
fn choose(all: &[Row], sample: Option<u64>, seed: u64) -> Vec<&Row> {
    let mut rows: Vec<&Row> = all.iter().collect();
    let count = sample.map_or(rows.len(), |n| (n as usize).min(rows.len()));
    let mut draws = Draws::new(Key::new(seed, "verify"), 0);
    for i in 0..count {
        let j = i + draws.below((rows.len() - i) as u64) as usize;
        rows.swap(i, j);
    }
    rows.truncate(count);
    rows.sort_by_key(|r| (r.stratum, r.number));
    rows
}
