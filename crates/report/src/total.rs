//! An application on a chip under one kind of fault: kernels, structures, chip.

use std::collections::BTreeMap;

use serde::Serialize;
use upset_metrics::vulnerability::{self as v, Structure};
use upset_metrics::{Class, Estimate, Part, Rate, weighted_sum};

use crate::ace;
use crate::cell::Cell;
use crate::name::short_name;
use crate::options::Options;
use crate::row::{df_reg, df_smem, kernel_profile};
use crate::scope::{Scope, cycles_of};

/// Sums over kernels and structures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Total {
    /// What of the run it is about, where that is less than all.
    pub window: String,
    /// Kernels in order of their first launch, or one entry for the whole run.
    pub kernels: Vec<KernelTotal>,
    /// Structures, in order of first appearance.
    pub structures: Vec<StructureTotal>,
    /// AVF of the kernels weighted with their cycles, over `structures`.
    pub avf: Option<Estimate>,
    /// The part of it that is silent corruption.
    pub sdc: Option<Estimate>,
    /// The part of it that is told: crashes and timeouts.
    pub due: Option<Estimate>,
    /// Mean occupancy over the kernels' cycles, of SMs that have work.
    pub occupancy: Option<f64>,
    /// Share of the structures' bits x cycles that were in use.
    pub in_use: Option<f64>,
    /// AVF of what was in use: AVF / that share.
    pub avf_util: Option<Estimate>,
    /// Cycles of the fault-free run.
    pub cycles: u64,
    /// Core clock.
    pub core_mhz: f64,
    /// FIT of the structures together.
    pub fit: Option<Estimate>,
    /// Hours between failures.
    pub mtbf_hours: Option<f64>,
    /// Executions in 10^9 hours.
    pub eit: Option<f64>,
    /// Executions per failure.
    pub epf: Option<f64>,
    /// Kernels of the run that have no experiments here.
    pub kernels_left_out: Vec<String>,
}

/// One kernel over its structures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelTotal {
    /// Name as in the binary; `None`: the whole run.
    pub kernel: Option<String>,
    /// Name as people read it.
    pub kernel_name: String,
    /// Launches.
    pub launches: u64,
    /// Cycles over all launches.
    pub cycles: u64,
    /// AVF over the structures that were studied.
    pub avf: Option<Estimate>,
    /// The part of it that is silent corruption.
    pub sdc: Option<Estimate>,
    /// The part of it that is told: crashes and timeouts.
    pub due: Option<Estimate>,
    /// FIT of these structures while it runs, when a raw FIT is given.
    pub fit: Option<Estimate>,
    /// Share of warp slots in use, of SMs that have work.
    pub occupancy: Option<f64>,
    /// Share of the cycles of all SMs in which they have work.
    pub busy: Option<f64>,
    /// Share of the register file that threads own.
    pub df_reg: Option<f64>,
    /// Share of shared memory that CTAs own.
    pub df_smem: Option<f64>,
}

/// One structure over the kernels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StructureTotal {
    /// Structure.
    pub structure: String,
    /// Bits over the whole chip.
    pub bits: u64,
    /// Runs that tell something.
    pub n: u64,
    /// AVF over the kernels, weighted with their cycles.
    pub avf: Option<Estimate>,
    /// The part of it that is silent corruption.
    pub sdc: Option<Estimate>,
    /// The part of it that is told: crashes and timeouts.
    pub due: Option<Estimate>,
    /// Share of its bits x cycles that were in use.
    pub occupancy: Option<f64>,
    /// AVF of what was in use: AVF / occupancy.
    pub avf_util: Option<Estimate>,
    /// Upper bound of the ACE analysis over the kernels, where it was given.
    pub ace: Option<f64>,
    /// The bound without dead values and bits that logic masks.
    pub ace_refined: Option<f64>,
    /// Part of the failures that start here: AVF x bits over the sum of them.
    pub share: Option<f64>,
    /// FIT, when a raw FIT is given.
    pub fit: Option<Estimate>,
}

/// A cell that takes part in sums.
struct Item<'a> {
    cell: &'a Cell<'a>,
    cycles: u64,
    /// With the rate of failures.
    structure: Structure,
    /// With the rates of silent ones and of others.
    apart: [Structure; 2],
    n: u64,
}

impl Total {
    /// What the sums are over: `rf, smem, l2`. Sums over other structures are
    /// another figure.
    pub fn over(&self) -> String {
        let names: Vec<&str> = self.structures.iter().map(|s| s.structure.as_str()).collect();
        names.join(", ")
    }

    /// Sums the cells that cover a whole kernel (or the whole run) and one structure.
    pub fn new(
        cells: &[&Cell<'_>],
        options: &Options,
        confidence: f64,
        notes: &mut Vec<String>,
    ) -> Option<Total> {
        let subject = cells.first()?.subject;
        let scope = Scope::of(cells)?;
        let Scope { window, by_kernel } = scope;
        let items: Vec<Item<'_>> = cells
            .iter()
            .filter(|c| scope.has(c, cells))
            .map(|c| item(c, options, confidence))
            .collect();
        if items.is_empty() {
            return None;
        }
        let mut order: Vec<Option<&str>> = Vec::new();
        for k in &subject.profile.kernels {
            order.push(Some(&k.name));
        }
        order.push(None);
        let has = |k: &Option<&str>| items.iter().any(|i| i.cell.stratum.kernel.as_deref() == *k);
        let left_out: Vec<String> = match by_kernel {
            true => order.iter().filter(|k| !has(k)).filter_map(|k| k.map(short_name)).collect(),
            false => Vec::new(),
        };
        if !left_out.is_empty() {
            notes.push(format!(
                "{} on {}: no experiments in {}; the weighted AVF is over the other kernels.",
                subject.app,
                subject.chip,
                left_out.join(", ")
            ));
        }
        order.retain(has);
        let kernels: Vec<KernelTotal> =
            order.iter().map(|k| kernel_total(*k, &items, options)).collect();
        let structures = structures(&items, options);
        let occupancy = v::occupancy(
            &kernels.iter().filter_map(|k| Some((k.cycles, k.occupancy?))).collect::<Vec<_>>(),
        );
        let in_use = in_use(&items);
        let avf = over_all(&order, &items, |i| i.structure);
        let fit = chip_fit(&items, options);
        let eit = v::eit(subject.profile.cycles, subject.profile.core_mhz);
        Some(Total {
            window: window.to_string(),
            avf,
            sdc: over_all(&order, &items, |i| i.apart[0]),
            due: over_all(&order, &items, |i| i.apart[1]),
            in_use,
            avf_util: avf.zip(in_use).and_then(|(a, o)| v::avf_util(a, o)),
            occupancy,
            cycles: subject.profile.cycles,
            core_mhz: subject.profile.core_mhz,
            fit,
            mtbf_hours: fit.and_then(|f| v::mtbf_hours(f.value?)),
            eit,
            epf: eit.zip(fit).and_then(|(e, f)| v::epf(e, f.value?)),
            kernels_left_out: left_out,
            kernels,
            structures,
        })
    }
}

fn item<'a>(cell: &'a Cell<'a>, options: &Options, confidence: f64) -> Item<'a> {
    let s = cell.stratum;
    let shares = cell.shares(options.interval, confidence);
    // Nothing to hit is known without a run; of anything else nothing is.
    let of = |rate: Option<Rate>| Structure {
        rate: (s.derating != 0.0).then(|| rate.unwrap_or_else(Rate::unknown)),
        derating: s.derating,
        bits: s.structure_bits,
    };
    let apart = [true, false]
        .map(|silent| of(shares.of(|e| e.class.is_failure() && (e.class == Class::Sdc) == silent)));
    let n = shares.valid.len() as u64;
    Item { cell, cycles: cycles_of(cell), structure: of(shares.failures()), apart, n }
}

/// A rate over kernels and structures, with the weights of the weighted AVF.
fn over_all(
    order: &[Option<&str>],
    items: &[Item<'_>],
    of: impl Fn(&Item<'_>) -> Structure,
) -> Option<Estimate> {
    let grouped: Vec<(u64, Vec<Structure>)> = order
        .iter()
        .map(|k| {
            let own: Vec<&Item<'_>> =
                items.iter().filter(|i| i.cell.stratum.kernel.as_deref() == *k).collect();
            (own.first().map_or(0, |i| i.cycles), own.iter().map(|i| of(i)).collect())
        })
        .collect();
    let slices: Vec<(u64, &[Structure])> =
        grouped.iter().map(|(c, s)| (*c, s.as_slice())).collect();
    v::weighted_avf(&slices)
}

fn kernel_total(kernel: Option<&str>, items: &[Item<'_>], options: &Options) -> KernelTotal {
    let own: Vec<&Item<'_>> =
        items.iter().filter(|i| i.cell.stratum.kernel.as_deref() == kernel).collect();
    let over = |of: fn(&Item<'_>) -> Structure| {
        v::kernel_avf(&own.iter().map(|i| of(i)).collect::<Vec<_>>())
    };
    let avf = over(|i| i.structure);
    let bits = own.iter().map(|i| i.structure.bits).sum();
    let first = own.first();
    let profile = first.and_then(|i| kernel_profile(i.cell));
    let chip = first.map(|i| &i.cell.subject.profile);
    let launches = match profile {
        Some(p) => p.launches,
        None => chip.map_or(0, |p| p.launches.len() as u64),
    };
    KernelTotal {
        kernel: kernel.map(str::to_string),
        kernel_name: kernel.map_or("whole run".into(), short_name),
        launches,
        cycles: first.map_or(0, |i| i.cycles),
        avf,
        sdc: over(|i| i.apart[0]),
        due: over(|i| i.apart[1]),
        fit: avf.zip(raw_fit(items, options)).map(|(avf, raw)| v::fit(avf, raw, bits)),
        occupancy: profile.map(|p| p.occupancy),
        busy: profile.map(|p| p.busy),
        df_reg: first.zip(profile).and_then(|(i, k)| df_reg(i.cell, k)),
        df_smem: first.zip(profile).and_then(|(i, k)| df_smem(i.cell, k)),
    }
}

/// Share of all bits x cycles in use, with the weights of the weighted AVF: each
/// kernel counts for its cycles, each structure of it for its bits.
fn in_use(items: &[Item<'_>]) -> Option<f64> {
    let bits = |kernel: &Option<String>| -> u64 {
        let own = items.iter().filter(|i| i.cell.stratum.kernel == *kernel);
        own.map(|i| i.structure.bits).sum()
    };
    v::mean_occupancy(items.iter().map(|i| {
        let s = i.cell.stratum;
        let share = i.structure.bits as f64 / bits(&s.kernel).max(1) as f64;
        (i.cycles as f64 * share, s.occupancy)
    }))
}

/// Each structure's entries: cycles and what was found.
fn by_structure<'a>(items: &'a [Item<'a>]) -> Vec<(&'a str, Vec<(u64, Structure)>)> {
    let mut names: Vec<&str> = Vec::new();
    let mut entries: BTreeMap<&str, Vec<(u64, Structure)>> = BTreeMap::new();
    for i in items {
        let name = i.cell.stratum.structure.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
        entries.entry(name).or_default().push((i.cycles, i.structure));
    }
    names.into_iter().map(|n| (n, entries.remove(n).unwrap_or_default())).collect()
}

fn structures(items: &[Item<'_>], options: &Options) -> Vec<StructureTotal> {
    let raw = raw_fit(items, options);
    let mut list: Vec<StructureTotal> = by_structure(items)
        .into_iter()
        .map(|(name, entries)| {
            let bits = entries.iter().map(|(_, s)| s.bits).max().unwrap_or(0);
            let avf = v::structure_avf(&entries);
            let fit = avf.zip(raw).map(|(a, raw)| v::fit(a, raw, bits));
            let own = items.iter().filter(|i| i.cell.stratum.structure == name);
            let occupancy =
                v::mean_occupancy(own.map(|i| (i.cycles as f64, i.cell.stratum.occupancy)));
            let avf_util = avf.zip(occupancy).and_then(|(a, o)| v::avf_util(a, o));
            let own = items.iter().filter(|i| i.cell.stratum.structure == name);
            let bounds: Vec<_> =
                own.map(|i| (i.cycles, ace::bound(&options.ace, i.cell))).collect();
            let bound = ace::over_kernels(&bounds);
            let own = || items.iter().filter(|i| i.cell.stratum.structure == name);
            let part = |silent: usize| {
                v::structure_avf(&own().map(|i| (i.cycles, i.apart[silent])).collect::<Vec<_>>())
            };
            StructureTotal {
                structure: name.to_string(),
                bits,
                n: own().map(|i| i.n).sum(),
                avf,
                sdc: part(0),
                due: part(1),
                occupancy,
                avf_util,
                ace: bound.map(|b| b.avf),
                ace_refined: bound.map(|b| b.refined),
                share: None,
                fit,
            }
        })
        .collect();
    let weight = |s: &StructureTotal| match s.avf {
        Some(avf) => avf.value.map(|a| a * s.bits as f64),
        None => Some(0.0),
    };
    // While something is unfinished nobody knows the sum.
    let all: Option<f64> = list.iter().map(weight).sum();
    if let Some(all) = all.filter(|all| *all > 0.0) {
        for s in &mut list {
            s.share = weight(s).map(|own| own / all);
        }
    }
    list
}

fn raw_fit(items: &[Item<'_>], options: &Options) -> Option<f64> {
    let transient = items.iter().all(|i| i.cell.stratum.model == "flip");
    let chip = &items.first()?.cell.subject.chip;
    options.raw_fit.as_ref().filter(|_| transient)?.of(chip).map(|r| r.per_bit)
}

/// Sum of the structures' FITs, with the interval of the whole sum.
fn chip_fit(items: &[Item<'_>], options: &Options) -> Option<Estimate> {
    let raw = raw_fit(items, options)?;
    let mut parts = Vec::new();
    for (_, entries) in by_structure(items) {
        let cycles: u64 = entries.iter().map(|(c, _)| c).sum();
        for (c, s) in entries {
            let share = if cycles == 0 { 0.0 } else { c as f64 / cycles as f64 };
            let weight = share * s.derating * s.bits as f64 * raw;
            parts.extend(s.rate.map(|rate| Part { weight, rate }));
        }
    }
    Some(weighted_sum(parts))
}
