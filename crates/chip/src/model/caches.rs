//! What caches of all chips keep to.

use crate::rule::{Checked, rule};
use crate::spec::{CacheSpec, ChipSpec, Per, WriteAllocate, WritePolicy};

/// Fetches of a slice that its lines can count.
const MOST_FETCHES: u64 = 60_000;
/// Misses of a first level that are told apart.
const MOST_MISSES: u64 = 1 << 20;

/// How to mend what has one possible value.
pub(super) fn only(what: &str) -> String {
    format!("this model can only do {what}")
}

/// Splits the caches: the one of the slices, if there is one, and those of the
/// cores, whose names are `known`. Lines of the slices have one of the `lines`.
pub(super) fn split<'a>(
    spec: &'a ChipSpec,
    known: &[&str],
    lines: &[u32],
) -> Result<(Option<&'a CacheSpec>, Vec<&'a CacheSpec>), crate::rule::Fault> {
    let (slices, others): (Vec<_>, Vec<_>) = spec.caches.iter().partition(|c| c.per == Per::Slice);
    let mut last: Option<&CacheSpec> = None;
    for cache in slices {
        let component = format!("cache.{}", cache.name);
        rule(!known.contains(&cache.name.as_str()), &component, "per", || {
            ("is a cache of the SMs".to_owned(), only("sm for it"))
        })?;
        rule(last.is_none(), &component, "per", || {
            let name = last.map_or("", |l| &l.name);
            (format!("`{name}` is in the slices already"), only("one level there"))
        })?;
        last = Some(cache);
        slice(cache, &component, lines)?;
    }
    Ok((last, others))
}

/// Stores come to data caches, and to no others.
pub(super) fn stores(c: &CacheSpec, component: &str, come: bool) -> Checked {
    rule(come != (c.write == WritePolicy::ReadOnly), component, "write", || match come {
        true => {
            let can = only("write-back, write-through or write-evict");
            ("stores come to it".to_owned(), can)
        }
        false => ("no store comes to it".to_owned(), only("read-only")),
    })
}

/// The cache of the memory slices.
fn slice(c: &CacheSpec, component: &str, lines: &[u32]) -> Checked {
    rule(lines.contains(&c.line_bytes), component, "line_bytes", || {
        let can: Vec<String> = lines.iter().map(u32::to_string).collect();
        (format!("lines of {} bytes in a memory slice", c.line_bytes), only(&can.join(" or ")))
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

/// What first-level caches of all cores keep to; `last` is the level below them.
pub(super) fn first_level(c: &CacheSpec, component: &str, last: &str) -> Checked {
    rule(c.next == last, component, "next", || {
        (format!("`{}` is not below the cores", c.next), only(last))
    })
}

/// What their stores and misses keep to.
pub(super) fn stores_and_misses(c: &CacheSpec, component: &str) -> Checked {
    let writes = matches!(c.write_allocate, WriteAllocate::None | WriteAllocate::LazyFetch);
    rule(writes, component, "write_allocate", || {
        ("a store of an SM waits for no line".to_owned(), only("none or lazy-fetch"))
    })?;
    let (misses, _) = c.mshr_limits();
    rule(misses <= MOST_MISSES, component, "mshr_entries", || {
        (format!("{misses} outstanding misses"), format!("use at most {MOST_MISSES}"))
    })
}

/// A key that belongs to some caches only.
pub(super) fn part(c: &CacheSpec, key: &'static str, value: Option<u32>, read: bool) -> Checked {
    let component = format!("cache.{}", c.name);
    rule(read || value.is_none(), &component, key, || {
        ("nothing reads it: its hits are not bounded".to_owned(), "take it out".to_owned())
    })?;
    rule(!read || value.is_some(), &component, key, || {
        ("is missing, and bounds its hits".to_owned(), "add it".to_owned())
    })
}
