//! A campaign from its specification to its results.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Instant;

use upset_device::Seen;
use upset_fault::Names;
use upset_metrics::{Class, Counts, Noticed};
use upset_state::{Change, Site};
use upset_store::{Digests, Experiment as Row, Shard, ShardPart, Store, Subject};
use upset_trial::{Fate, Outcome, Sample, cause_kind};

use crate::CampaignError;
use crate::chips;
use crate::found::Found;
use crate::golden::{Golden, limit_of};
use crate::hit;
use crate::known::{Flips, Known, known, needs_fate};
use crate::open::{Opened, open};
use crate::options::Options;
use crate::plan::{Planned, strata};
use crate::pool::{self, Finished};
use crate::rounds::{self, Open, Rounds};
use crate::spec::Spec;
use crate::stuck;
use crate::watched;
use crate::wire::{GoldenOutputs, Job, Setup};
use crate::workload::Workload;

/// How far a campaign is.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Application and chip.
    pub subject: String,
    /// Subjects before this one, and of all.
    pub subjects: (usize, usize),
    /// Experiments of the subject whose class is known.
    pub done: u64,
    /// Experiments of the subject.
    pub total: u64,
    /// Experiments of this round that need a worker: those that came back, and
    /// all of them. What the fault-free run tells beforehand is not among them.
    pub handed: (u64, u64),
    /// Experiments that became runs of their own; the others were followed
    /// through the fault-free run, or needed no run at all.
    pub simulated: u64,
    /// Classes so far.
    pub counts: Counts,
    /// What is counted.
    pub counted: Counted,
}

/// What a [`Progress`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// Experiments of a sample.
    #[default]
    Experiments,
    /// Flips of an exact count, each for all bits and cycles that meet the same
    /// use first: their shares are no rates.
    Flips,
}

/// Hears how a campaign goes.
pub trait Observer {
    /// Something the user should know.
    fn note(&mut self, text: &str);
    /// What is being done before the runs.
    fn stage(&mut self, subject: &str, what: &str);
    /// Runs came to their end.
    fn progress(&mut self, progress: &Progress);
}

/// A finished campaign.
#[derive(Clone, Debug)]
pub struct Done {
    /// Digest of the results, with all that was asked.
    pub digest: String,
    /// Digest of the results alone.
    pub results_digest: String,
    /// Classes over all experiments.
    pub counts: Counts,
    /// Experiments that were simulated in this call.
    pub simulated: u64,
}

/// Runs or resumes a campaign.
pub fn run(
    spec: Option<Spec>,
    options: &Options<'_>,
    observer: &mut dyn Observer,
) -> Result<Done, CampaignError> {
    let Opened { spec, mut store, is_new } = open(spec, options)?;
    let done = carry_out(&spec, &mut store, options, observer);
    // A campaign that could not begin leaves nothing behind.
    let refused = matches!(&done, Err(e) if !matches!(e, CampaignError::Interrupted));
    if refused && is_new && store.strata().is_ok_and(|s| s.is_empty()) {
        drop(store);
        let _ = std::fs::remove_file(&options.out);
    }
    done
}

fn carry_out(
    spec: &Spec,
    store: &mut Store,
    options: &Options<'_>,
    observer: &mut dyn Observer,
) -> Result<Done, CampaignError> {
    spec.check()?;
    chips::check(spec)?;
    let subjects = spec.apps.len().max(1) * spec.chips.len();
    let noted = BTreeSet::new();
    let shard = store.shard()?;
    let has_part = shard.as_ref().is_none_or(|s| !s.parts.is_empty());
    let mut campaign = Campaign {
        spec,
        options,
        observer,
        store,
        shard,
        next_stratum: 0,
        simulated: 0,
        subjects,
        noted,
    };
    for id in 0..subjects {
        campaign.subject(id)?;
    }
    let simulated = campaign.simulated;
    if has_part && store.strata()?.is_empty() {
        return Err(CampaignError::Spec(format!(
            "no application launches {}: nothing to break",
            spec.kernels.join(" or ")
        )));
    }
    let mut counts = Counts::default();
    for stratum in store.strata()? {
        store.done(stratum.id)?.iter().for_each(|(_, class)| counts.add(*class));
    }
    let Digests { all: digest, results: results_digest } = store.finish()?;
    Ok(Done { digest, results_digest, counts, simulated })
}

/// What workers are told of a subject.
pub(crate) fn setup(
    spec: &Spec,
    app: usize,
    chip: usize,
    target: &Workload,
    golden: &Golden,
    seconds: u64,
) -> Setup {
    Setup {
        spec: spec.to_toml(),
        app,
        chip,
        cycles: golden.cycles,
        limit: limit_of(golden.cycles, spec.limit),
        output_digest: golden.output_digest.clone(),
        // Far beyond what the cycle limit allows: only a host that hangs gets there.
        processor_seconds: 120 + 60 * seconds,
        walk: 0,
        holds: false,
        golden_bytes: 0,
        notes_bytes: 0,
        program: target.program(),
    }
}

struct Campaign<'a> {
    spec: &'a Spec,
    options: &'a Options<'a>,
    observer: &'a mut dyn Observer,
    store: &'a mut Store,
    /// The part of the campaign that is done here, where that is not all.
    shard: Option<Shard>,
    next_stratum: u32,
    simulated: u64,
    subjects: usize,
    /// What workers told and the user knows.
    noted: BTreeSet<String>,
}

/// What all experiments of a subject share.
#[derive(Clone, Copy)]
struct Of<'a> {
    target: &'a Workload,
    golden: &'a Golden,
    setup: &'a Setup,
    /// What counters notice of the fault-free run.
    usual: &'a Option<Noticed>,
}

impl Campaign<'_> {
    fn subject(&mut self, id: usize) -> Result<(), CampaignError> {
        let (app, chip) = (id / self.spec.chips.len(), id % self.spec.chips.len());
        let Some(part) = self.part(id as u32) else { return Ok(()) };
        if self.is_complete(&part)? {
            return Ok(());
        }
        let mut target = Workload::open(self.spec, app, chip)?;
        let label = target.name();
        self.observer.stage(&label, "fault-free run");
        let started = Instant::now();
        let mut notes = Vec::new();
        let golden = target.golden(&mut notes, self.options.stop)?;
        let seconds = started.elapsed().as_secs();
        let subject = target.subject(id as u32, &golden, self.spec.limit)?;
        self.is_the_same(&subject)?;
        // A profile that does not fit is told before anything is kept.
        let usual = self.usual(&target)?;
        self.store.put_subject(&subject)?;
        // The name in samples' keys: what makes it this subject and no other.
        let key = format!("{}|{}|{}", subject.app, subject.scale, subject.chip);
        let plan = strata(self.spec, subject.id, &key, self.next_stratum, &golden, &target)?;
        for note in notes.iter().chain(&plan.notes) {
            self.observer.note(note);
        }
        self.next_stratum += plan.planned.len() as u32;
        let stored: Vec<_> = plan.planned.iter().map(|p| p.stratum.clone()).collect();
        self.store.put_strata(&stored)?;
        let setup = setup(self.spec, app, chip, &target, &golden, seconds);
        let mut rounds = Rounds::new(&plan.planned, self.spec.confidence, &part, self.store)?;
        let mut progress = Progress {
            subject: label.clone(),
            subjects: (id, self.subjects),
            total: rounds.total(),
            ..Progress::default()
        };
        for classes in &rounds.classes {
            classes.values().for_each(|c| progress.counts.add(*c));
        }
        progress.done = progress.counts.runs();
        while let Some(open) = rounds.next(&plan.planned)? {
            let of = Of { target: &target, golden: &golden, setup: &setup, usual: &usual };
            self.round(of, &plan.planned, open, &mut rounds, &mut progress)?;
            for (stratum, end) in rounds.close() {
                self.store.set_stop(plan.planned[stratum].stratum.id, end)?;
            }
        }
        Ok(())
    }

    /// What counters notice of the fault-free run, where they are watched.
    fn usual(&mut self, target: &Workload) -> Result<Option<Noticed>, CampaignError> {
        let Workload::App(bench) = target else { return Ok(None) };
        let Some(profile) = watched::profile(&self.spec.watch, bench)? else { return Ok(None) };
        self.observer.stage(&target.name(), "counters of the fault-free run");
        let usual = watched::of_golden(&profile, bench)?;
        if usual.is_alarm() {
            self.observer.note(&format!(
                "the counters raise an alarm in the fault-free run of {}: this input is not like \
                 those that the profile was learned from",
                target.name()
            ));
        }
        Ok(Some(usual))
    }

    /// A campaign that is resumed must be about the same code.
    fn is_the_same(&self, subject: &Subject) -> Result<(), CampaignError> {
        let stored = self.store.subjects()?;
        match stored.iter().find(|s| s.id == subject.id) {
            Some(before) if before.binaries != subject.binaries => {
                Err(CampaignError::Spec(format!(
                    "{} is not the one that {} was begun with: its code was changed since, or \
                     another ptxas converts its PTX. Begin a new store",
                    subject.app,
                    self.options.out.display()
                )))
            }
            _ => Ok(()),
        }
    }

    /// What is done here of a subject: all of it, but for shards.
    fn part(&self, subject: u32) -> Option<ShardPart> {
        match &self.shard {
            Some(shard) => shard.parts.iter().find(|p| p.subject == subject).cloned(),
            None => Some(ShardPart { subject, pieces: vec![0], of: 1 }),
        }
    }

    /// Whether all strata of a subject are in the store, with all experiments
    /// that are done here.
    fn is_complete(&mut self, part: &ShardPart) -> Result<bool, CampaignError> {
        let strata = self.store.strata()?;
        let own: Vec<_> = strata.iter().filter(|s| s.subject == part.subject).collect();
        if own.is_empty() {
            return Ok(false);
        }
        for (index, stratum) in own.iter().enumerate() {
            let done = self.store.done(stratum.id)?;
            let asked = rounds::numbers(part, index, stratum).into_iter().map(|r| r.end - r.start);
            let end = self.store.stop(stratum.id)?.unwrap_or_else(|| asked.sum());
            if done.len() as u64 != end {
                return Ok(false);
            }
        }
        self.next_stratum += own.len() as u32;
        Ok(true)
    }

    /// Finds out the class of some experiments.
    fn round(
        &mut self,
        of: Of<'_>,
        planned: &[Planned],
        open: Vec<Open>,
        rounds: &mut Rounds,
        progress: &mut Progress,
    ) -> Result<(), CampaignError> {
        let Of { target, golden, setup, usual } = of;
        let names = Names::new(&golden.registry);
        let (fates, seen) = self.fates(target, golden, &open)?;
        let row =
            |o: &Open, seen: Option<&Seen>, outcome: &Outcome, how: &str, reached, attempts| Row {
                stratum: planned[o.stratum].stratum.id,
                number: o.number,
                fault: names.name(&o.experiment),
                hit: hit::hit(&names, &golden.functions, &o.experiment, seen),
                class: outcome.class,
                cause: outcome.cause.clone(),
                cause_kind: cause_kind(&outcome.cause),
                cycles: outcome.cycles,
                reached,
                how: how.into(),
                output_digest: outcome.output_digest.clone(),
                sdc: outcome.sdc.clone(),
                attempts,
                // What needed no run of its own counts as the fault-free one.
                noticed: match outcome.class {
                    Class::ToolError => None,
                    _ => outcome.noticed.clone().or_else(|| usual.clone()),
                },
            };
        let masked = Outcome::masked(&setup.reference());
        let mut dead = Vec::new();
        let mut jobs = [Vec::new(), Vec::new()];
        for (id, (o, known)) in open.iter().zip(&fates).enumerate() {
            match known {
                Known::Dead(how) => {
                    dead.push(row(o, seen.get(&(id as u64)), &masked, how, Some(false), 1));
                    rounds.set(o.stratum, o.number, Class::Masked);
                    progress.counts.add(Class::Masked);
                }
                Known::Simulate { flips, .. } => {
                    let (start, changes, hidden) = match flips {
                        Flips::Late(at, sites) => {
                            let flips = sites.iter().map(|s| (*at, Change::Flip(*s)));
                            (*at, flips.collect(), Vec::new())
                        }
                        Flips::Hidden(bits) => {
                            (o.experiment.first_cycle(), o.experiment.changes(), bits.clone())
                        }
                        Flips::OfThemselves => {
                            (o.experiment.first_cycle(), o.experiment.changes(), Vec::new())
                        }
                    };
                    let list = &mut jobs[usize::from(!o.experiment.is_transient())];
                    let look = !seen.contains_key(&(id as u64));
                    list.push(Job { id: id as u64, start, changes, hidden, look });
                }
            }
        }
        self.store.put(&dead)?;
        progress.done = progress.counts.runs();
        progress.handed = (0, jobs.iter().map(|j| j.len() as u64).sum());
        self.observer.progress(progress);
        let outputs =
            GoldenOutputs { copies: golden.copies.clone(), results: golden.results.clone() };
        let mut packed = outputs.pack();
        let notes = golden.notes.pack();
        let notes_bytes = notes.len() as u64;
        packed.extend(notes);
        for (holds, jobs) in [false, true].into_iter().zip(jobs) {
            if jobs.is_empty() {
                continue;
            }
            let golden_bytes = packed.len() as u64 - notes_bytes;
            let walk = self.spec.exact.into();
            let setup = Setup { holds, golden_bytes, notes_bytes, walk, ..setup.clone() };
            let (store, observer) = (&mut *self.store, &mut *self.observer);
            let simulated = &mut self.simulated;
            let mut take = |batch: Vec<Finished>| {
                let mut rows = Vec::with_capacity(batch.len());
                for f in &batch {
                    let o = &open[f.id as usize];
                    let reached = match (&fates[f.id as usize], f.outcome.class) {
                        _ if f.how.is_some() => Some(f.how.as_deref() == Some("followed")),
                        // One that should have been followed and was not.
                        (Known::Simulate { flips, .. }, Class::Masked)
                            if !f.left && !matches!(flips, Flips::Late(..)) =>
                        {
                            None
                        }
                        (Known::Simulate { reached: Some(r), .. }, _) => Some(*r),
                        (_, Class::Masked | Class::ToolError) => None,
                        _ => Some(true),
                    };
                    let how = f.how.as_deref().unwrap_or(f.outcome.how());
                    let seen = seen.get(&f.id).or(f.seen.as_ref());
                    rows.push(row(o, seen, &f.outcome, how, reached, f.attempts));
                    rounds.set(o.stratum, o.number, f.outcome.class);
                    progress.counts.add(f.outcome.class);
                    progress.handed.0 += 1;
                    progress.simulated += u64::from(f.how.is_none());
                    *simulated += u64::from(f.how.is_none());
                }
                if !rows.is_empty() {
                    store.put(&rows)?;
                }
                progress.done = progress.counts.runs();
                observer.progress(progress);
                Ok(())
            };
            let o = self.options;
            let notes = pool::run(o.jobs, &o.worker, &setup, &packed, jobs, o.stop, &mut take)?;
            for note in notes {
                if self.noted.insert(note.clone()) {
                    self.observer.note(&note);
                }
            }
        }
        if self.options.stop.load(Ordering::Relaxed) {
            return Err(CampaignError::Interrupted);
        }
        Ok(())
    }

    /// What the fault-free run tells of experiments, and what they hit; those
    /// that a walk follows are looked at there.
    fn fates(
        &mut self,
        target: &Workload,
        golden: &Golden,
        open: &[Open],
    ) -> Result<(Vec<Known>, BTreeMap<u64, Seen>), CampaignError> {
        let exact = self.spec.exact;
        let wants_fate = |o: &Open| exact && needs_fate(&o.experiment);
        let mut samples = Vec::new();
        let mut looks = Vec::new();
        for (id, o) in open.iter().enumerate() {
            if wants_fate(o) {
                let cycle = o.experiment.first_cycle();
                samples.extend(o.experiment.sites().map(|site| Sample { site, cycle }));
            }
            if !exact || !o.experiment.is_transient() || wants_fate(o) {
                looks.extend(hit::look(id as u64, &o.experiment));
            }
        }
        let mut found = Found::default();
        if !samples.is_empty() || !looks.is_empty() {
            let what = match samples.is_empty() {
                true => "what the faults hit",
                false => "lifetimes of the bits",
            };
            self.observer.stage(&target.name(), what);
            found = target.fates(golden, samples, looks, self.options.stop)?;
        }
        let wires = |o: &Open| if exact { stuck::wires(&o.experiment) } else { None };
        let held: Vec<_> = open.iter().filter_map(wires).flatten().map(|(bit, _)| bit).collect();
        let driven = match held.is_empty() {
            true => Vec::new(),
            false => target.driven(golden, held)?,
        };
        let (mut fates, mut driven) = (found.fates.into_iter(), driven.into_iter());
        let mut is_idle = |o: &Open| {
            wires(o).is_some_and(|list| {
                let fates: Vec<Fate> = driven.by_ref().take(list.len()).collect();
                stuck::is_dead(&list, &fates)
            })
        };
        let known = open.iter().map(|o| match wants_fate(o) {
            false if is_idle(o) => Known::Dead("untouched"),
            // A run that leaves the walk does so at a use.
            false => Known::Simulate {
                reached: (exact && o.experiment.is_transient()).then_some(true),
                flips: Flips::OfThemselves,
            },
            true => {
                let sites: Vec<Site> = o.experiment.sites().collect();
                let fates: Vec<Fate> = fates.by_ref().take(sites.len()).collect();
                known(&sites, &fates)
            }
        });
        Ok((known.collect(), found.seen))
    }
}
