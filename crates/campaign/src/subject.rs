//! A subject of a campaign, an application on a chip: its fault-free run, its
//! plan, and its experiments, round by round.

use std::collections::BTreeMap;
use std::time::Instant;

use upset_device::Seen;
use upset_fault::Names;
use upset_metrics::{Class, Noticed};
use upset_state::{Change, Site};
use upset_store::{Experiment as Row, Shard, ShardPart, Store, Subject};
use upset_trial::{Fate, Outcome, Sample, cause_kind};

use crate::CampaignError;
use crate::desk::Desk;
use crate::found::Found;
use crate::golden::Golden;
use crate::hit;
use crate::known::{Flips, Known, known, needs_fate};
use crate::options::Options;
use crate::plan::{Planned, strata};
use crate::pool::{self, Finished, Team};
use crate::processors::{Held, Processors};
use crate::progress::Progress;
use crate::rounds::{self, Open, Rounds};
use crate::setup::setup;
use crate::spec::Spec;
use crate::stuck;
use crate::watched;
use crate::wire::{GoldenOutputs, Job, Setup};
use crate::workload::Workload;

/// What all subjects of a campaign share.
pub(crate) struct Campaign<'a> {
    pub spec: &'a Spec,
    pub options: &'a Options<'a>,
    pub desk: Desk<'a>,
    pub processors: Processors,
    /// What subjects are expected to cost.
    pub costs: BTreeMap<u32, f64>,
    /// The part of the campaign that is done here, where that is not all.
    pub shard: Option<Shard>,
    pub subjects: usize,
}

/// What all experiments of a subject share.
#[derive(Clone, Copy)]
struct Of<'a> {
    target: &'a Workload,
    golden: &'a Golden,
    setup: &'a Setup,
    /// What counters notice of the fault-free run.
    usual: &'a Option<Noticed>,
    processors: &'a Processors,
}

impl Campaign<'_> {
    /// Carries out what is left of a subject.
    pub fn subject(&self, id: usize) -> Result<(), CampaignError> {
        let (app, chip) = (id / self.spec.chips.len(), id % self.spec.chips.len());
        let done = match self.part(id as u32) {
            Some(part) => self.complete(&part)?.ok_or(part),
            None => Ok(0),
        };
        let part = match done {
            Ok(strata) => {
                let mut things = self.desk.in_turn(id)?;
                self.desk.pass(&mut things, strata);
                return Ok(());
            }
            Err(part) => part,
        };
        // Others wait for this: for the numbers of its strata.
        let first = self.processors.weighing(u64::MAX);
        let held = self.processor(&first)?;
        let mut target = Workload::open(self.spec, app, chip)?;
        let label = target.name();
        self.stage(&target, "fault-free run");
        let started = Instant::now();
        let mut notes = Vec::new();
        let golden = target.golden(&mut notes, self.options.stop)?;
        let seconds = started.elapsed().as_secs();
        let subject = target.subject(id as u32, &golden, self.spec.limit)?;
        self.is_the_same(self.desk.locked().store, &subject)?;
        // A profile that does not fit is told before anything is kept.
        let usual = self.usual(&target)?;
        // The machines of these runs are gone; workers have their own.
        upset_fork::return_freed_memory();
        drop(held);
        let mut things = self.desk.in_turn(id)?;
        things.store.put_subject(&subject)?;
        // The name in samples' keys: what makes it this subject and no other.
        let key = format!("{}|{}|{}", subject.app, subject.scale, subject.chip);
        let first = things.next_stratum;
        let plan = strata(self.spec, subject.id, &key, first, &golden, &target)?;
        for note in notes.iter().chain(&plan.notes) {
            things.observer.note(note);
        }
        let stored: Vec<_> = plan.planned.iter().map(|p| p.stratum.clone()).collect();
        things.store.put_strata(&stored)?;
        let mut rounds = Rounds::new(&plan.planned, self.spec.confidence, &part, things.store)?;
        self.desk.pass(&mut things, stored.len());
        drop(things);
        let setup = setup(self.spec, app, chip, &target, &golden, seconds);
        let mut progress = Progress {
            subject: label,
            subjects: (id, self.subjects),
            total: rounds.total(),
            ..Progress::default()
        };
        for classes in &rounds.classes {
            classes.values().for_each(|c| progress.counts.add(*c));
        }
        progress.done = progress.counts.runs();
        let cost = self.costs.get(&(id as u32)).map_or(0, |cost| *cost as u64);
        let processors = &self.processors.weighing(cost);
        while let Some(open) = rounds.next(&plan.planned)? {
            let (target, golden, setup, usual) = (&target, &golden, &setup, &usual);
            let of = Of { target, golden, setup, usual, processors };
            self.round(of, &plan.planned, open, &mut rounds, &mut progress)?;
            for (stratum, end) in rounds.close() {
                self.desk.locked().store.set_stop(plan.planned[stratum].stratum.id, end)?;
            }
        }
        Ok(())
    }

    /// Waits for a processor to compute with.
    fn processor<'a>(&self, processors: &'a Processors) -> Result<Held<'a>, CampaignError> {
        processors.take(&|| self.desk.ends()).ok_or(CampaignError::Interrupted)
    }

    fn stage(&self, target: &Workload, what: &str) {
        self.desk.locked().observer.stage(&target.name(), what);
    }

    /// What counters notice of the fault-free run, where they are watched.
    fn usual(&self, target: &Workload) -> Result<Option<Noticed>, CampaignError> {
        let Workload::App(bench) = target else { return Ok(None) };
        let Some(profile) = watched::profile(&self.spec.watch, bench)? else { return Ok(None) };
        self.stage(target, "counters of the fault-free run");
        let usual = watched::of_golden(&profile, bench)?;
        if usual.is_alarm() {
            self.desk.locked().observer.note(&format!(
                "the counters raise an alarm in the fault-free run of {}: this input is not like \
                 those that the profile was learned from",
                target.name()
            ));
        }
        Ok(Some(usual))
    }

    /// A campaign that is resumed must be about the same code.
    fn is_the_same(&self, store: &Store, subject: &Subject) -> Result<(), CampaignError> {
        let stored = store.subjects()?;
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

    /// How many strata a subject has, if all are in the store, with all
    /// experiments that are done here.
    fn complete(&self, part: &ShardPart) -> Result<Option<usize>, CampaignError> {
        let store = &mut *self.desk.locked().store;
        let strata = store.strata()?;
        let own: Vec<_> = strata.iter().filter(|s| s.subject == part.subject).collect();
        for (index, stratum) in own.iter().enumerate() {
            let done = store.done(stratum.id)?;
            let asked = rounds::numbers(part, index, stratum).into_iter().map(|r| r.end - r.start);
            let end = store.stop(stratum.id)?.unwrap_or_else(|| asked.sum());
            if done.len() as u64 != end {
                return Ok(None);
            }
        }
        Ok((!own.is_empty()).then_some(own.len()))
    }

    /// Finds out the class of some experiments.
    fn round(
        &self,
        of: Of<'_>,
        planned: &[Planned],
        open: Vec<Open>,
        rounds: &mut Rounds,
        progress: &mut Progress,
    ) -> Result<(), CampaignError> {
        let Of { golden, setup, usual, processors, .. } = of;
        let names = Names::new(&golden.registry);
        let (fates, seen) = self.fates(of, &open)?;
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
        progress.done = progress.counts.runs();
        progress.handed = (0, jobs.iter().map(|j| j.len() as u64).sum());
        let mut things = self.desk.locked();
        things.store.put(&dead)?;
        things.observer.progress(progress);
        drop(things);
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
            let walk = self.spec.exact;
            let setup = Setup { holds, golden_bytes, notes_bytes, walk, ..setup.clone() };
            let mut take = |batch: Vec<Finished>| {
                self.desk.go_on()?;
                let mut rows = Vec::with_capacity(batch.len());
                let mut simulated = 0;
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
                    simulated += u64::from(f.how.is_none());
                }
                progress.simulated += simulated;
                progress.done = progress.counts.runs();
                let mut things = self.desk.locked();
                if !rows.is_empty() {
                    things.store.put(&rows)?;
                }
                things.simulated += simulated;
                things.observer.progress(progress);
                Ok(())
            };
            let walks = if self.subjects == 1 { processors.walks() } else { 1 };
            let command = self.options.worker.as_slice();
            let team = Team { processors, command, walks, stop: self.options.stop };
            let notes = pool::run(team, &setup, &packed, jobs, &mut take)?;
            let mut things = self.desk.locked();
            notes.into_iter().for_each(|note| things.note_once(note));
        }
        self.desk.go_on()
    }

    /// What the fault-free run tells of experiments, and what they hit; those
    /// that a walk follows are looked at there.
    fn fates(
        &self,
        Of { target, golden, processors, .. }: Of<'_>,
        open: &[Open],
    ) -> Result<(Vec<Known>, BTreeMap<u64, Seen>), CampaignError> {
        let _held = self.processor(processors)?;
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
            self.stage(target, what);
            found = target.fates(golden, samples, looks, self.options.stop)?;
            upset_fork::return_freed_memory();
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
