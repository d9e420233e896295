//! Every bit and cycle of a structure: an AVF without sampling error.
//!
//! The fault-free run is watched once. Flips that it proves to be masked are
//! counted; of all flips of a bit that meet the same use first, one is run and
//! stands for the others (docs/exhaustive.md).

mod uses;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::PoisonError;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde::Serialize;
use upset_chip::CoreSpec;
use upset_fault::{Space, Structure};
use upset_metrics::{Class, Counts};
use upset_state::Change;

use crate::golden::{Bench, Golden};
use crate::plan::{kernels, window};
use crate::pool::{self, Finished, Team};
use crate::processors::Processors;
use crate::setup::setup;
use crate::wire::{GoldenOutputs, Job, Setup};
use crate::workload::Workload;
use crate::{CampaignError, Counted, Observer, Progress, Spec};
use uses::{Group, Uses};

/// Classes that are run, at most.
const MOST_CLASSES: u64 = 4_000_000;
/// Classes of one walk: what keeps memory bounded.
const BATCH: usize = 200_000;

/// How the runs are carried out: nothing here can change the result.
pub struct Workers<'a> {
    /// Processes.
    pub jobs: usize,
    /// How a worker is started.
    pub command: Vec<OsString>,
    /// Set when the user wants it to end.
    pub stop: &'a AtomicBool,
}

/// What flips of every bit of a structure in every cycle of a window do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Exact {
    /// Application.
    pub app: String,
    /// Size of its input.
    pub scale: String,
    /// Chip.
    pub chip: String,
    /// Kernel as in the binary; `None`: the whole run.
    pub kernel: Option<String>,
    /// Part of it, where it is less than all.
    pub window: String,
    /// Structure.
    pub structure: String,
    /// Bits of the structure over the whole chip.
    pub structure_bits: u64,
    /// Cycles of the window.
    pub cycles: u64,
    /// Bits x cycles: the sum of the six classes.
    pub bit_cycles: u64,
    /// Bits x cycles by what a flip there does.
    #[serde(flatten)]
    pub counts: Counts,
    /// SDC, crashes, timeouts.
    pub failures: u64,
    /// `failures` / `bit_cycles`.
    pub avf: f64,
    /// Flips that were carried out, each for all that meet the same use first.
    pub classes: u64,
    /// Those of them that were followed through the fault-free run to its end.
    pub followed: u64,
    /// Those that became runs of their own.
    pub simulated: u64,
    /// Bits x cycles by how their class was found.
    pub how: BTreeMap<String, u64>,
}

/// Counts every structure and kernel of a specification. Of it, what chooses
/// the application, the chip, the window and the comparison is used.
pub fn exhaustive(
    spec: &Spec,
    workers: &Workers<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<Exact>, CampaignError> {
    if !spec.program.is_empty() {
        return Err(CampaignError::Lacking(
            "exhaustive mode is for applications: what uses the bits of a CUDA program is watched \
             in its own process. Make a folder of its kernels (docs/adding-an-application.md), or sample \
             with `upset campaign`"
                .into(),
        ));
    }
    let one = Spec { runs: Some(1), ..spec.clone() };
    one.check()?;
    let target = Workload::open(&one, 0, 0)?;
    let Workload::App(bench) = &target else { return Ok(Vec::new()) };
    observer.stage(&target.name(), "fault-free run");
    let started = Instant::now();
    let golden = bench.golden(None)?;
    let setup = setup(&one, 0, 0, &target, &golden, started.elapsed().as_secs());
    let outputs = GoldenOutputs { copies: golden.copies.clone(), results: golden.results.clone() };
    let mut outputs = outputs.pack();
    let notes = golden.notes.pack();
    let (golden_bytes, notes_bytes) = (outputs.len() as u64, notes.len() as u64);
    outputs.extend(notes);
    let setup = Setup { walk: true, golden_bytes, notes_bytes, ..setup };
    let count = Count { spec: &one, bench, golden: &golden, setup, outputs, workers };
    let mut rows = Vec::new();
    for kernel in kernels(&one, &golden, &target.name(), &mut Vec::new())? {
        for structure in &one.structures {
            rows.push(count.row(kernel.as_deref(), &structure.parse()?, observer)?);
        }
    }
    Ok(rows)
}

struct Count<'a> {
    spec: &'a Spec,
    bench: &'a Bench,
    golden: &'a Golden,
    setup: Setup,
    outputs: Vec<u8>,
    workers: &'a Workers<'a>,
}

impl Count<'_> {
    fn row(
        &self,
        kernel: Option<&str>,
        structure: &Structure,
        observer: &mut dyn Observer,
    ) -> Result<Exact, CampaignError> {
        let window = window(self.spec, self.golden, kernel)?;
        let cycles = window.cycles();
        if cycles == 0 {
            let text = "no cycle is in the window that was asked for";
            return Err(CampaignError::Spec(text.into()));
        }
        let registry = &self.golden.registry;
        let uses = Uses::new(registry, structure, window, MOST_CLASSES)?;
        let structure_bits = Space::of(registry, structure, None)?.bits();
        let bit_cycles = structure_bits.checked_mul(cycles).ok_or_else(|| {
            CampaignError::Spec(format!("{structure_bits} bits x {cycles} cycles are too many"))
        })?;
        observer.stage(&self.bench.name(), "uses of the bits");
        let uses = self.watched(uses)?;
        if uses.classes > MOST_CLASSES {
            let cores = match self.bench.chip.core {
                CoreSpec::Sm(_) => "sm",
                CoreSpec::Cu(_) => "cu",
            };
            return Err(CampaignError::Spec(format!(
                "{structure} has {} classes of flips to run, {MOST_CLASSES} are possible: take one \
                 kernel (--kernel) or launch (--launch), a smaller input (--scale small) or a \
                 smaller chip (--set {cores}.count=1)",
                uses.classes
            )));
        }
        let dead = bit_cycles - uses.used;
        let mut row = Exact {
            app: self.bench.app().id().to_string(),
            scale: self.bench.scale.name().to_string(),
            chip: self.bench.chip.chip.name.clone(),
            kernel: kernel.map(String::from),
            window: self.spec.window_name(),
            structure: structure.to_string(),
            structure_bits,
            cycles,
            bit_cycles,
            counts: Counts { masked: dead, ..Counts::default() },
            failures: 0,
            avf: 0.0,
            classes: uses.classes,
            followed: 0,
            simulated: 0,
            how: BTreeMap::from([
                ("overwritten".into(), uses.overwritten),
                ("untouched".into(), dead - uses.overwritten),
                ("followed".into(), 0),
                ("simulated".into(), 0),
            ]),
        };
        self.carry_out(&uses.groups, &mut row, observer)?;
        row.failures = row.counts.failures();
        row.avf = row.failures as f64 / row.bit_cycles as f64;
        match row.counts.runs() == row.bit_cycles {
            true => Ok(row),
            false => Err(CampaignError::Workers("some flips were lost or counted twice".into())),
        }
    }

    /// The fault-free run again, watched.
    fn watched(&self, uses: Uses) -> Result<Uses, CampaignError> {
        let (watch, seen) = uses::watch(uses);
        let again = self.bench.golden(Some(watch))?;
        let golden = self.golden;
        let lost =
            |what: &str| CampaignError::Golden { subject: self.bench.name(), what: what.into() };
        if (again.cycles, &again.output_digest) != (golden.cycles, &golden.output_digest) {
            return Err(lost("was not the same the second time; results would mean nothing"));
        }
        let seen = std::sync::Arc::into_inner(seen).ok_or_else(|| lost("is still watched"))?;
        Ok(seen.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs one flip of every class, in walks of bounded size.
    fn carry_out(
        &self,
        groups: &[Group],
        row: &mut Exact,
        observer: &mut dyn Observer,
    ) -> Result<(), CampaignError> {
        let mut progress = Progress {
            subject: self.bench.name(),
            subjects: (0, 1),
            total: row.classes,
            handed: (0, row.classes),
            counted: Counted::Flips,
            ..Progress::default()
        };
        let mut flips = groups.iter().flat_map(|g| g.sites().map(move |s| (g, s))).peekable();
        while flips.peek().is_some() {
            let mut jobs = Vec::new();
            let mut weights = Vec::new();
            for (group, site) in flips.by_ref().take(BATCH) {
                let changes = vec![(group.cycle, Change::Flip(site))];
                jobs.push(Job {
                    id: weights.len() as u64,
                    start: group.cycle,
                    changes,
                    hidden: Vec::new(),
                    look: false,
                });
                weights.push(group.weight);
            }
            let mut take = |batch: Vec<Finished>| {
                for f in &batch {
                    let weight = weights.get(f.id as usize).copied().unwrap_or(0);
                    let class: Class = f.outcome.class;
                    row.counts.add_many(class, weight);
                    let (number, how) = match f.how.is_some() {
                        true => (&mut row.followed, "followed"),
                        false => (&mut row.simulated, f.outcome.how()),
                    };
                    *number += 1;
                    *row.how.entry(how.into()).or_default() += weight;
                    progress.counts.add(class);
                }
                progress.done = progress.counts.runs();
                progress.handed.0 = progress.done;
                progress.simulated = row.simulated;
                observer.progress(&progress);
                Ok(())
            };
            let Workers { jobs: processes, command, stop } = self.workers;
            let processors = Processors::new(*processes);
            let walks = processors.walks();
            let team = Team { processors: &processors, command, walks, stop };
            pool::run(team, &self.setup, &self.outputs, jobs, &mut take)?;
        }
        Ok(())
    }
}
