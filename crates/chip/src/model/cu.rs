//! What the model of compute units cannot do.

use super::caches::{self, only, part, stores};
use crate::rule::{Checked, rule};
use crate::spec::{CacheSpec, ChipSpec, Per, Space};

/// Lines of a memory slice.
const LINES: [u32; 2] = [64, 128];

/// First-level caches, where they sit, and what comes there: vector memory,
/// scalar loads, code.
const FIRST_LEVELS: [(&str, Per, &[Space]); 3] = [
    ("l1v", Per::Cu, &[Space::Global, Space::Local]),
    ("l1s", Per::Group, &[Space::Constant]),
    ("l1i", Per::Group, &[Space::Instruction]),
];

pub(crate) fn honours(spec: &ChipSpec) -> Checked {
    let names = FIRST_LEVELS.map(|(name, ..)| name);
    let (slice, cores) = caches::split(spec, &names, &LINES)?;
    if let Some(cache) = slice {
        parts(cache)?;
    }
    for name in names {
        rule(spec.cache(name).is_some(), &format!("cache.{name}"), "per", || {
            ("there is none, and accesses go to it".to_owned(), "take it back in".to_owned())
        })?;
    }
    for cache in cores {
        first_level(cache, slice)?;
        parts(cache)?;
    }
    Ok(())
}

/// A cache of the compute units; `slice` is the level below them.
fn first_level(c: &CacheSpec, slice: Option<&CacheSpec>) -> Checked {
    let component = format!("cache.{}", c.name);
    let known = FIRST_LEVELS.iter().find(|(name, ..)| *name == c.name);
    let Some((_, per, spaces)) = known else {
        return rule(false, &component, "per", || {
            let names = FIRST_LEVELS.map(|(name, ..)| name).join(", ");
            ("a compute unit has no place for it".to_owned(), only(&names))
        });
    };
    rule(c.per == *per, &component, "per", || {
        let place = if *per == Per::Cu { "cu" } else { "group" };
        ("sits elsewhere".to_owned(), only(place))
    })?;
    caches::first_level(c, &component, slice.map_or("memory", |s| &s.name))?;
    let all = spaces.len() == c.serves.len() && spaces.iter().all(|s| c.serves.contains(s));
    rule(all, &component, "serves", || {
        let what = match *per {
            Per::Cu => "global, local",
            _ if c.name == "l1s" => "constant",
            _ => "instruction",
        };
        ("other accesses come to it".to_owned(), only(what))
    })?;
    stores(c, &component, *per == Per::Cu)?;
    let below = slice.map_or(LINES[1], |s| s.line_bytes);
    rule(c.line_bytes <= below, &component, "line_bytes", || {
        let problem = format!("lines of {} bytes above lines of {below}", c.line_bytes);
        (problem, format!("use at most {below}"))
    })?;
    caches::stores_and_misses(c, &component)
}

/// Keys that belong to some caches only.
fn parts(c: &CacheSpec) -> Checked {
    let component = format!("cache.{}", c.name);
    rule(c.write_local.is_none(), &component, "write_local", || {
        ("scratch memory is not told apart".to_owned(), "take it out".to_owned())
    })?;
    part(c, "port_bytes", c.port_bytes, c.per == Per::Slice)?;
    part(c, "banks", c.banks, false)
}
