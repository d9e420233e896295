//! What the model cannot do, although a description may say it.
//!
//! A value that the machine would ignore, cut to size or rebuild is refused
//! here: who changes a chip wants to see another chip. SMs before Volta have no
//! core yet, so that their descriptions stand for themselves; code for them is
//! refused when it is to run.

use crate::rule::{Checked, rule};
use crate::spec::{CacheSpec, ChipSpec, Per, Space, Vendor, WriteAllocate, WritePolicy};

/// First architecture with a core.
const FIRST_SM: u32 = 70;
/// First architecture with a uniform datapath.
const FIRST_UNIFORM: u32 = 75;
/// Warps that a scheduler can tell apart.
const WARPS_PER_SUBCORE: u32 = 64;
/// Fetches of a slice that its lines can count.
const MOST_FETCHES: u64 = 60_000;
/// Misses of a first level that are told apart.
const MOST_MISSES: u64 = 1 << 20;
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

/// Whether it is a chip of a kind that there is a model of: asked first, since
/// other rules follow from the size of a warp.
pub(crate) fn knows(spec: &ChipSpec) -> Checked {
    rule(spec.chip.vendor == Vendor::Nvidia, "chip", "vendor", || {
        ("there is no core for these chips yet".to_owned(), only("nvidia"))
    })?;
    rule(spec.sm.warp_size == 32, "sm", "warp_size", || {
        (format!("{} threads in a warp of an SM", spec.sm.warp_size), only("32"))
    })
}

pub(crate) fn honours(spec: &ChipSpec) -> Checked {
    caches(spec)?;
    if spec.sm_number().is_some_and(|n| n >= FIRST_SM) {
        core(spec)?;
        units(spec)?;
        latencies(spec)?;
    }
    Ok(())
}

/// How to mend what has one possible value.
fn only(what: &str) -> String {
    format!("this model can only do {what}")
}

fn core(spec: &ChipSpec) -> Checked {
    let (sm, scheduler) = (&spec.sm, &spec.scheduler);
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
    let whole = sm.subcores * spec.registers.granule;
    rule(spec.registers.per_sm.is_multiple_of(whole), "registers", "per_sm", || {
        let problem = format!("does not divide into granules of {} sub-cores", sm.subcores);
        (problem, format!("use a multiple of {whole}"))
    })
}

fn units(spec: &ChipSpec) -> Checked {
    let uniform = (spec.sm_number() >= Some(FIRST_UNIFORM)).then_some("uniform");
    for name in NEEDED.into_iter().chain(uniform) {
        rule(spec.unit(name).is_some(), &format!("unit.{name}"), "per", || {
            let problem = "there is none, and instructions are sent to it".to_owned();
            (problem, format!("write [unit.{name}] and its keys"))
        })?;
    }
    for unit in &spec.units {
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
fn latencies(spec: &ChipSpec) -> Checked {
    let read = spec.unit("load_store").map_or(0, |u| u.latency);
    let caches = ["l1d", "l1t", "l1c"].into_iter().filter_map(|name| spec.cache(name));
    let caches = caches.map(|c| (format!("cache.{}", c.name), c.latency));
    for (component, latency) in caches.chain([("shared".to_owned(), spec.shared.latency)]) {
        rule(latency > read, &component, "latency", || {
            let problem =
                format!("operands are read after {read} cycles (unit.load_store.latency)");
            (problem, format!("use at least {}", read + 1))
        })?;
    }
    Ok(())
}

fn caches(spec: &ChipSpec) -> Checked {
    let (slices, sms): (Vec<_>, Vec<_>) = spec.caches.iter().partition(|c| c.per == Per::Slice);
    let mut last = "memory";
    for cache in slices {
        let component = format!("cache.{}", cache.name);
        let own = FIRST_LEVELS.iter().all(|(name, _)| *name != cache.name);
        rule(own, &component, "per", || ("is a cache of the SMs".to_owned(), only("sm for it")))?;
        rule(last == "memory", &component, "per", || {
            (format!("`{last}` is in the slices already"), only("one level there"))
        })?;
        last = &cache.name;
        slice(cache, &component)?;
        parts(cache, &component)?;
    }
    for cache in sms {
        let component = format!("cache.{}", cache.name);
        first_level(spec, cache, &component, last)?;
        parts(cache, &component)?;
    }
    Ok(())
}

/// Stores come to data caches, and to no others.
fn stores(c: &CacheSpec, component: &str, come: bool) -> Checked {
    rule(come != (c.write == WritePolicy::ReadOnly), component, "write", || match come {
        true => {
            let can = only("write-back, write-through or write-evict");
            ("stores come to it".to_owned(), can)
        }
        false => ("no store comes to it".to_owned(), only("read-only")),
    })
}

/// The cache of the memory slices.
fn slice(c: &CacheSpec, component: &str) -> Checked {
    rule(c.line_bytes == LINE, component, "line_bytes", || {
        (format!("lines of {} bytes in a memory slice", c.line_bytes), only(&LINE.to_string()))
    })?;
    stores(c, component, true)?;
    rule(c.next == "memory", component, "next", || {
        ("is below the slices".to_owned(), only("memory there"))
    })?;
    rule(c.serves.len() == 5, component, "serves", || {
        let all = "global, local, texture, constant, instruction";
        ("some accesses would pass by".to_owned(), only(&format!("all of them: {all}")))
    })?;
    let (misses, _) = c.mshr_limits();
    rule(misses <= MOST_FETCHES, component, "mshr_entries", || {
        (format!("{misses} outstanding misses"), format!("use at most {MOST_FETCHES}"))
    })
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
    rule(c.next == last, component, "next", || {
        (format!("`{}` is not below the SMs", c.next), only(last))
    })?;
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
    let writes = matches!(c.write_allocate, WriteAllocate::None | WriteAllocate::LazyFetch);
    rule(writes, component, "write_allocate", || {
        ("a store of an SM waits for no line".to_owned(), only("none or lazy-fetch"))
    })?;
    let (misses, _) = c.mshr_limits();
    rule(misses <= MOST_MISSES, component, "mshr_entries", || {
        (format!("{misses} outstanding misses"), format!("use at most {MOST_MISSES}"))
    })
}

/// Keys that belong to some caches only.
fn parts(c: &CacheSpec, component: &str) -> Checked {
    rule(c.name == "l1d" || c.write_local.is_none(), component, "write_local", || {
        ("local memory is told apart in l1d only".to_owned(), "take it out".to_owned())
    })?;
    let (data, slice) = (c.name == "l1d", c.per == Per::Slice);
    let keys = [("port_bytes", c.port_bytes, data || slice), ("banks", c.banks, data)];
    for (key, value, read) in keys {
        rule(read || value.is_none(), component, key, || {
            ("nothing reads it: its hits are not bounded".to_owned(), "take it out".to_owned())
        })?;
        rule(!read || value.is_some(), component, key, || {
            ("is missing, and bounds its hits".to_owned(), "add it".to_owned())
        })?;
    }
    let bytes = c.port_bytes.unwrap_or(1).saturating_mul(c.banks.unwrap_or(1));
    rule(!data || bytes.is_multiple_of(c.sector_bytes), component, "port_bytes", || {
        let problem = format!("all banks move {bytes} bytes per cycle, no whole sectors");
        (problem, format!("let port_bytes times banks be a multiple of {}", c.sector_bytes))
    })
}
