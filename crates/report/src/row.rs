//! One structure under one kernel: counts and what they tell.

use std::collections::BTreeMap;

use serde::Serialize;
use upset_metrics::{Class, Counts, Estimate, Rate, vulnerability};
use upset_state::Owner;
use upset_state::kind::named;
use upset_store::{Experiment, KernelProfile};

use crate::ace;
use crate::cell::{Cell, Shares, count};
use crate::name::short_name;
use crate::options::Options;

/// One line of a report. Fields may be added, not renamed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// Application.
    pub app: String,
    /// Size of its input.
    pub scale: String,
    /// Chip.
    pub chip: String,
    /// Kernel as in the binary; `None`: the whole run.
    pub kernel: Option<String>,
    /// Kernel as people read it.
    pub kernel_name: String,
    /// Part of it, where it is less than all.
    pub window: String,
    /// Structure.
    pub structure: String,
    /// Bits per experiment.
    pub bits: u32,
    /// Fault model.
    pub model: String,
    /// How several bits lie.
    pub spread: String,
    /// `physical` or `active`.
    pub sampling: String,
    /// Experiments planned.
    pub planned: u64,
    /// Whether nothing is left to run.
    pub complete: bool,
    /// Experiments: the sum of the six classes.
    pub runs: u64,
    /// Runs by class.
    #[serde(flatten)]
    pub counts: Counts,
    /// Runs that tell something: all but tool errors.
    pub n: u64,
    /// SDC, crashes, timeouts.
    pub failures: u64,
    /// Rate of failures, before derating.
    pub rate: Option<Rate>,
    /// Share of each class in `n`.
    pub classes: BTreeMap<&'static str, Rate>,
    /// Sampled share of the structure's bits x cycles.
    pub derating: f64,
    /// gpuFI-4's derating factor, where the structure has one: `df_reg` of the
    /// kernel for `rf`, its `df_smem` for `smem`.
    pub df: Option<f64>,
    /// Rate of failures x derating; `None` while runs are missing.
    pub avf: Option<f64>,
    /// Its lower limit.
    pub avf_low: Option<f64>,
    /// Its upper limit.
    pub avf_high: Option<f64>,
    /// Share of the structure's bits x cycles that were in use.
    pub occupancy: Option<f64>,
    /// AVF of what was in use: AVF / occupancy.
    pub avf_util: Option<f64>,
    /// Its lower limit.
    pub avf_util_low: Option<f64>,
    /// Its upper limit.
    pub avf_util_high: Option<f64>,
    /// Upper bound of the ACE analysis, where it was given.
    pub ace: Option<f64>,
    /// The bound without dead values and bits that logic masks.
    pub ace_refined: Option<f64>,
    /// Share of faults that left their array, x derating.
    pub hvf: Option<f64>,
    /// Its lower limit.
    pub hvf_low: Option<f64>,
    /// Its upper limit.
    pub hvf_high: Option<f64>,
    /// Runs whose fault left its array.
    pub reached: u64,
    /// Runs where that cannot be told.
    pub reached_unknown: u64,
    /// Bits of the structure over the whole chip.
    pub structure_bits: u64,
    /// Cycles of the window.
    pub cycles: u64,
    /// Failures in 10^9 hours, when a raw FIT is given.
    pub fit: Option<f64>,
    /// Its lower limit.
    pub fit_low: Option<f64>,
    /// Its upper limit.
    pub fit_high: Option<f64>,
    /// Runs by how their class was found.
    pub how: BTreeMap<String, u64>,
    /// Confidence of the intervals.
    pub confidence: f64,
    /// How the interval of the AVF is made; `unfinished`: runs are missing, the
    /// limits allow for everything that they may bring.
    pub interval: &'static str,
    /// Runs that are still to come.
    pub missing: u64,
    /// Stores it comes from: numbers in `sources`.
    pub sources: Vec<usize>,
}

impl Row {
    /// The numbers of a cell.
    pub fn new(cell: &Cell<'_>, options: &Options, confidence: f64) -> Row {
        let (subject, stratum) = (cell.subject, cell.stratum);
        let experiments = cell.experiments();
        let counts = count(&experiments);
        let shares = cell.shares(options.interval, confidence);
        let rate = shares.failures();
        let avf = avf_of(cell, rate);
        let util = avf.zip(stratum.occupancy).and_then(|(avf, o)| vulnerability::avf_util(avf, o));
        let kernel = kernel_profile(cell);
        let fit = fit_of(cell, avf, options);
        let bound = ace::bound(&options.ace, cell);
        let mut row = Row {
            app: subject.app.clone(),
            scale: subject.scale.clone(),
            chip: subject.chip.clone(),
            kernel: stratum.kernel.clone(),
            kernel_name: stratum.kernel.as_deref().map_or("whole run".into(), short_name),
            window: stratum.window.clone(),
            structure: stratum.structure.clone(),
            bits: stratum.bits,
            model: stratum.model.clone(),
            spread: stratum.spread.clone(),
            sampling: stratum.sampling.clone(),
            planned: cell.planned(),
            complete: cell.complete(),
            runs: counts.runs(),
            counts,
            n: counts.valid(),
            failures: counts.failures(),
            rate,
            classes: classes(&shares),
            derating: stratum.derating,
            df: kernel.and_then(|k| df(cell, k)),
            avf: avf.and_then(|e| e.value),
            avf_low: avf.map(|e| e.low),
            avf_high: avf.map(|e| e.high),
            occupancy: stratum.occupancy,
            avf_util: util.and_then(|e| e.value),
            avf_util_low: util.map(|e| e.low),
            avf_util_high: util.map(|e| e.high),
            ace: bound.map(|b| b.avf),
            ace_refined: bound.map(|b| b.refined),
            hvf: None,
            hvf_low: None,
            hvf_high: None,
            reached: 0,
            reached_unknown: 0,
            structure_bits: stratum.structure_bits,
            cycles: stratum.cycles,
            fit: fit.and_then(|e| e.value),
            fit_low: fit.map(|e| e.low),
            fit_high: fit.map(|e| e.high),
            how: how(&experiments),
            confidence,
            interval: shares.method(),
            missing: shares.missing,
            sources: cell.sources.clone(),
        };
        row.fill_hvf(&shares);
        row
    }

    /// AVF with its interval.
    pub fn avf_estimate(&self) -> Option<Estimate> {
        Some(Estimate { value: self.avf, low: self.avf_low?, high: self.avf_high? })
    }

    /// FIT with its interval.
    pub fn fit_estimate(&self) -> Option<Estimate> {
        Some(Estimate { value: self.fit, low: self.fit_low?, high: self.fit_high? })
    }

    /// AVF of what was in use, with its interval.
    pub fn avf_util_estimate(&self) -> Option<Estimate> {
        let (low, high) = (self.avf_util_low?, self.avf_util_high?);
        Some(Estimate { value: self.avf_util, low, high })
    }

    /// HVF with its interval.
    pub fn hvf_estimate(&self) -> Option<Estimate> {
        Some(Estimate { value: self.hvf, low: self.hvf_low?, high: self.hvf_high? })
    }

    /// What cannot be told counts as no in the lower limit and as yes in the upper.
    fn fill_hvf(&mut self, shares: &Shares<'_, '_>) {
        for e in &shares.valid {
            match e.reached {
                Some(reached) => self.reached += u64::from(reached),
                None => self.reached_unknown += 1,
            }
        }
        let Some(rate) = shares.perhaps(|e| e.reached) else { return };
        // Where only failures show that a bit was used (control, stuck bits), they
        // speak for themselves alone: there are limits and no value.
        let speak = self.reached_unknown == 0 || rate.n > self.reached;
        self.hvf = rate.value.filter(|_| speak).map(|value| self.derating * value);
        self.hvf_low = Some(self.derating * rate.low);
        self.hvf_high = Some(self.derating * rate.high);
    }
}

/// The profile of the cell's kernel.
pub fn kernel_profile<'a>(cell: &Cell<'a>) -> Option<&'a KernelProfile> {
    let name = cell.stratum.kernel.as_ref()?;
    cell.subject.profile.kernels.iter().find(|k| k.name == *name)
}

/// Share of the chip's registers that threads own, over all SMs and cycles.
pub fn df_reg(cell: &Cell<'_>, kernel: &KernelProfile) -> Option<f64> {
    let per_sm = cell.subject.profile.registers_per_sm;
    vulnerability::df_reg(kernel.registers, kernel.threads_per_sm * kernel.busy, per_sm)
}

/// Share of the chip's shared memory that CTAs own, over all SMs and cycles.
pub fn df_smem(cell: &Cell<'_>, kernel: &KernelProfile) -> Option<f64> {
    let per_sm = cell.subject.profile.shared_per_sm;
    vulnerability::df_smem(kernel.shared_bytes, kernel.ctas_per_sm * kernel.busy, per_sm)
}

fn df(cell: &Cell<'_>, kernel: &KernelProfile) -> Option<f64> {
    match named(&cell.stratum.structure)?.owner {
        Owner::Register => df_reg(cell, kernel),
        Owner::Cta => df_smem(cell, kernel),
        Owner::Local | Owner::Warp | Owner::Line | Owner::Chip => None,
    }
}

/// Rate x derating.
pub fn avf_of(cell: &Cell<'_>, rate: Option<Rate>) -> Option<Estimate> {
    match rate {
        // Nothing to hit is known without a run.
        _ if cell.stratum.derating == 0.0 => Some(Estimate::ZERO),
        rate => rate.map(|rate| vulnerability::avf(rate, cell.stratum.derating)),
    }
}

/// Raw FITs are rates of transient upsets of one structure.
pub fn fit_of(cell: &Cell<'_>, avf: Option<Estimate>, options: &Options) -> Option<Estimate> {
    let (raw, avf) = (options.raw_fit.as_ref()?.of(&cell.subject.chip)?, avf?);
    let applies = cell.stratum.model == "flip" && !cell.stratum.structure.contains('+');
    applies.then(|| vulnerability::fit(avf, raw.per_bit, cell.stratum.structure_bits))
}

fn classes(shares: &Shares<'_, '_>) -> BTreeMap<&'static str, Rate> {
    Class::ALL
        .into_iter()
        .filter(|c| *c != Class::ToolError)
        .filter_map(|c| Some((c.name(), shares.of(|e| e.class == c)?)))
        .collect()
}

fn how(experiments: &[&Experiment]) -> BTreeMap<String, u64> {
    let mut how = BTreeMap::new();
    for e in experiments {
        *how.entry(e.how.clone()).or_insert(0) += 1;
    }
    how
}
