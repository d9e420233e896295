//! What the model of SMs cannot do.

use super::caches::{self, only, part, stores};
use crate::rule::{Checked, rule};
use crate::spec::{CacheSpec, ChipSpec, Per, SmCore, Space};

/// First architecture with a core.
const FIRST_SM: u32 = 70;
/// First architecture with a uniform datapath.
const FIRST_UNIFORM: u32 = 75;
/// Warps that a scheduler can tell apart.
const WARPS_PER_SUBCORE: u32 = 64;
/// Line of a packet between SMs and slices.
const LINE: u32 = 128;

/// First-level caches that an SM has a place for, and what comes there.
const FIRST_LEVELS: [(&str, &[Space]); 4] = [
    ("l1d", &[Space::Global, Space::Local]),
    ("l1t", &[Space::Texture]),
    ("l1c", &[Space::Constant]),
    ("l1i", &[Space::Instruction]),
];

/// Units that instructions are sent to on every SM with a core.
const NEEDED: [&str; 9] =
    ["alu", "fma", "fp64", "half", "mufu", "branch", "load_store", "texture", "system"];

pub(crate) fn honours(spec: &ChipSpec, sm: &SmCore) -> Checked {
    all_caches(spec)?;
    if spec.sm_number().is_some_and(|n| n >= FIRST_SM) {
        core(spec, sm)?;
        units(spec, sm)?;
        latencies(spec, sm)?;
    }
    Ok(())
}

fn core(spec: &ChipSpec, core: &SmCore) -> Checked {
    let (sm, scheduler) = (&core.sm, &core.scheduler);
    let uniform = if spec.sm_number() >= Some(FIRST_UNIFORM) { 63 } else { 0 };
    let fixed = [
        ("sm", "convergence_barriers", sm.convergence_barriers, 16),
        ("sm", "scoreboards", sm.scoreboards, 6),
        ("sm", "uniform_registers", sm.uniform_registers, uniform),
        ("scheduler", "issue_width", scheduler.issue_width, 1),
    ];
    for (component, key, value, can) in fixed {
        rule(value == can, component, key, || {
            let arch = &spec.chip.arch;
            (format!("{value} on an SM that runs {arch} code"), only(&can.to_string()))
        })?;
    }
    rule(scheduler.per_sm == sm.subcores, "scheduler", "per_sm", || {
        let problem = format!("{} for {} sub-cores", scheduler.per_sm, sm.subcores);
        (problem, only(&format!("one per sub-core: set per_sm={}", sm.subcores)))
    })?;
    let most = WARPS_PER_SUBCORE * sm.subcores;
    rule(sm.warps <= most, "sm", "warps", || {
        let problem = format!("{} warps for {} sub-cores", sm.warps, sm.subcores);
        (problem, format!("use at most {most}, or more sub-cores"))
    })?;
    let whole = sm.subcores * core.registers.granule;
    rule(core.registers.per_sm.is_multiple_of(whole), "registers", "per_sm", || {
        let problem = format!("does not divide into granules of {} sub-cores", sm.subcores);
        (problem, format!("use a multiple of {whole}"))
    })
}

fn units(spec: &ChipSpec, core: &SmCore) -> Checked {
    let uniform = (spec.sm_number() >= Some(FIRST_UNIFORM)).then_some("uniform");
    for name in NEEDED.into_iter().chain(uniform) {
        rule(core.unit(name).is_some(), &format!("unit.{name}"), "per", || {
            let problem = "there is none, and instructions are sent to it".to_owned();
            (problem, format!("write [unit.{name}] and its keys"))
        })?;
    }
    for unit in &core.units {
        let component = format!("unit.{}", unit.name);
        let (most, can) = if unit.name == "fma" { (2, "1 or 2") } else { (1, "1") };
        rule(unit.count <= most, &component, "count", || {
            let problem = format!("{} side by side", unit.count);
            (problem, format!("{}; wider ones have more lanes", only(can)))
        })?;
        rule(unit.lanes <= unit.threads(), &component, "lanes", || {
            let problem = format!("{} for instructions of one thread", unit.lanes);
            (problem, only(&unit.threads().to_string()))
        })?;
        let least = unit.threads().div_ceil(unit.lanes.max(1));
        let enough = unit.threads().div_ceil(least);
        rule(unit.lanes == enough, &component, "lanes", || {
            let problem = format!("a warp takes {least} cycles, as through {enough} lanes");
            let more = unit.threads().div_ceil(least - 1);
            (problem, format!("use {enough} or {more}"))
        })?;
        rule(unit.initiation.is_none_or(|n| n >= least), &component, "initiation", || {
            let problem = format!("a warp takes {least} cycles through {} lanes", unit.lanes);
            (problem, format!("use at least {least}, or more lanes"))
        })?;
    }
    Ok(())
}

/// Results cannot come before the operands are read.
fn latencies(spec: &ChipSpec, core: &SmCore) -> Checked {
    let read = core.unit("load_store").map_or(0, |u| u.latency);
    let caches = ["l1d", "l1t", "l1c"].into_iter().filter_map(|name| spec.cache(name));
    let caches = caches.map(|c| (format!("cache.{}", c.name), c.latency));
    for (component, latency) in caches.chain([("shared".to_owned(), core.shared.latency)]) {
        rule(latency > read, &component, "latency", || {
            let problem =
                format!("operands are read after {read} cycles (unit.load_store.latency)");
            (problem, format!("use at least {}", read + 1))
        })?;
    }
    Ok(())
}

fn all_caches(spec: &ChipSpec) -> Checked {
    let (slice, sms) = caches::split(spec, &FIRST_LEVELS.map(|(name, _)| name), &[LINE])?;
    if let Some(cache) = slice {
        parts(cache, &format!("cache.{}", cache.name))?;
    }
    let last = slice.map_or("memory", |c| &c.name);
    for cache in sms {
        let component = format!("cache.{}", cache.name);
        first_level(spec, cache, &component, last)?;
        parts(cache, &component)?;
    }
    Ok(())
}

/// A cache of the SMs; `last` is the level below them.
fn first_level(spec: &ChipSpec, c: &CacheSpec, component: &str, last: &str) -> Checked {
    rule(c.per == Per::Sm, component, "per", || {
        ("there are no caches in sub-cores".to_owned(), only("sm or slice"))
    })?;
    let Some((_, spaces)) = FIRST_LEVELS.iter().find(|(name, _)| *name == c.name) else {
        return rule(false, component, "per", || {
            let names = FIRST_LEVELS.map(|(name, _)| name).join(", ");
            ("an SM has no place for it".to_owned(), only(&names))
        });
    };
    caches::first_level(c, component, last)?;
    // Kepler's data cache serves local memory alone; it waits for its core.
    let with_core = spec.sm_number().is_some_and(|n| n >= FIRST_SM);
    let all = spaces.len() == c.serves.len() && spaces.iter().all(|s| c.serves.contains(s));
    let some = !with_core && c.serves.iter().all(|s| spaces.contains(s));
    rule(all || some, component, "serves", || {
        let what = match *spaces {
            [Space::Global, ..] => "global, local",
            [Space::Texture, ..] => "texture",
            [Space::Constant, ..] => "constant",
            _ => "instruction",
        };
        ("other accesses come to it".to_owned(), only(what))
    })?;
    stores(c, component, c.name == "l1d")?;
    rule(c.name != "l1d" || c.line_bytes == LINE, component, "line_bytes", || {
        (format!("data lines of {} bytes", c.line_bytes), only(&LINE.to_string()))
    })?;
    caches::stores_and_misses(c, component)
}

/// Keys that belong to some caches only.
fn parts(c: &CacheSpec, component: &str) -> Checked {
    let (data, slice) = (c.name == "l1d", c.per == Per::Slice);
    rule(data || c.write_local.is_none(), component, "write_local", || {
        ("local memory is told apart in l1d only".to_owned(), "take it out".to_owned())
    })?;
    part(c, "port_bytes", c.port_bytes, data || slice)?;
    part(c, "banks", c.banks, data)?;
    let bytes = c.port_bytes.unwrap_or(1).saturating_mul(c.banks.unwrap_or(1));
    rule(!data || bytes.is_multiple_of(c.sector_bytes), component, "port_bytes", || {
        let problem = format!("all banks move {bytes} bytes per cycle, no whole sectors");
        (problem, format!("let port_bytes times banks be a multiple of {}", c.sector_bytes))
    })
}
