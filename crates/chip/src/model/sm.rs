//! What the model of SMs cannot do.

use super::caches::{self, only, part, stores};
use crate::rule::{Checked, rule};
use crate::spec::{CacheSpec, ChipSpec, Per, SmCore, Space};

/// First architecture whose warps meet at barriers.
const FIRST_SM: u32 = 70;
/// Architectures with a stack that have a core.
const WITH_STACK: std::ops::RangeInclusive<u32> = 35..=37;
/// First architecture with a uniform datapath.
const FIRST_UNIFORM: u32 = 75;
/// Warps that a scheduler can tell apart.
const WARPS_PER_SCHEDULER: u32 = 64;
/// Groups of lanes of one unit that an SM can have side by side.
pub const UNIT_GROUPS: u32 = 8;
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
const NEEDED: [&str; 8] =
    ["alu", "fma", "fp64", "mufu", "branch", "load_store", "texture", "system"];

pub(crate) fn honours(spec: &ChipSpec, sm: &SmCore) -> Checked {
    all_caches(spec)?;
    if has_core(spec) {
        core(spec, sm)?;
        units(spec, sm)?;
        latencies(spec, sm)?;
    }
    Ok(())
}

fn has_core(spec: &ChipSpec) -> bool {
    has_stack(spec) || spec.sm_number().is_some_and(|n| n >= FIRST_SM)
}

/// Warps meet by a stack, hardware checks hazards, and schedulers share a
/// register file and units.
fn has_stack(spec: &ChipSpec) -> bool {
    spec.sm_number().is_some_and(|n| WITH_STACK.contains(&n))
}

fn core(spec: &ChipSpec, core: &SmCore) -> Checked {
    let (sm, scheduler) = (&core.sm, &core.scheduler);
    let (barriers, counters) = if has_stack(spec) { (0, 0) } else { (16, 6) };
    let uniform = if spec.sm_number() >= Some(FIRST_UNIFORM) { 63 } else { 0 };
    let width = if has_stack(spec) { scheduler.issue_width } else { 1 };
    let fixed = [
        ("sm", "convergence_barriers", sm.convergence_barriers, barriers),
        ("sm", "scoreboards", sm.scoreboards, counters),
        ("sm", "uniform_registers", sm.uniform_registers, uniform),
        ("scheduler", "issue_width", scheduler.issue_width, width),
    ];
    for (component, key, value, can) in fixed {
        rule(value == can, component, key, || {
            let arch = &spec.chip.arch;
            (format!("{value} on an SM that runs {arch} code"), only(&can.to_string()))
        })?;
    }
    let own = scheduler.per_sm == sm.subcores;
    rule(own || has_stack(spec), "scheduler", "per_sm", || {
        let problem = format!("{} for {} sub-cores", scheduler.per_sm, sm.subcores);
        (problem, only(&format!("one per sub-core: set per_sm={}", sm.subcores)))
    })?;
    let most = WARPS_PER_SCHEDULER * scheduler.per_sm;
    rule(sm.warps <= most, "sm", "warps", || {
        let problem = format!("{} warps for {} schedulers", sm.warps, scheduler.per_sm);
        (problem, format!("use at most {most}, or more schedulers"))
    })?;
    let whole = sm.subcores * core.registers.granule;
    rule(core.registers.per_sm.is_multiple_of(whole), "registers", "per_sm", || {
        let problem = format!("does not divide into granules of {} sub-cores", sm.subcores);
        (problem, format!("use a multiple of {whole}"))
    })
}

fn units(spec: &ChipSpec, core: &SmCore) -> Checked {
    let half = (!has_stack(spec)).then_some("half");
    let uniform = (spec.sm_number() >= Some(FIRST_UNIFORM)).then_some("uniform");
    for name in NEEDED.into_iter().chain(half).chain(uniform) {
        rule(core.unit(name).is_some(), &format!("unit.{name}"), "per", || {
            let problem = "there is none, and instructions are sent to it".to_owned();
            (problem, format!("write [unit.{name}] and its keys"))
        })?;
    }
    for unit in &core.units {
        let component = format!("unit.{}", unit.name);
        let shared = has_stack(spec) && unit.per == Per::Sm;
        let (most, can) = match unit.name.as_str() {
            "load_store" | "texture" | "system" => (1, "1"),
            _ if shared => (UNIT_GROUPS, "up to 8"),
            "fma" if !has_stack(spec) => (2, "1 or 2"),
            _ => (1, "1"),
        };
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
    // Kepler's data cache serves local memory alone.
    let pass = spec.sm_number().is_some_and(|n| n < FIRST_SM);
    let all = spaces.len() == c.serves.len() && spaces.iter().all(|s| c.serves.contains(s));
    let some = pass && c.serves.iter().all(|s| spaces.contains(s));
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
