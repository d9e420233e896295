//! What must hold between the values of a chip.
//!
//! Single values are held against the schema when they are read; these rules
//! are about how they fit together. Each says how to mend the chip.

mod cu;
mod sm;

use crate::model;
use crate::name::is_variant_char;
use crate::rule::{Checked, power_of_two, rule};
use crate::spec::{CacheSpec, ChipSpec, CoreSpec, SetHash, Vendor, WriteAllocate, WritePolicy};

/// A larger instance is a slip of the pen, and a simulator would allocate it.
const MAX_CACHE_BYTES: u64 = 1 << 30;

pub(crate) fn validate(spec: &ChipSpec) -> Checked {
    identity(spec)?;
    match &spec.core {
        CoreSpec::Sm(core) => sm::core(core)?,
        CoreSpec::Cu(core) => cu::core(core)?,
    }
    for cache in &spec.caches {
        geometry(cache)?;
        policies(cache)?;
        next_level(spec, cache)?;
    }
    memory(spec)?;
    driver(spec)?;
    match &spec.core {
        CoreSpec::Sm(core) => model::sm::honours(spec, core)?,
        CoreSpec::Cu(_) => model::cu::honours(spec)?,
    }
    rule(!spec.model.ecc, "model", "ecc", || {
        (
            "no code acts in the simulation, so that this would change nothing".to_owned(),
            "leave it false and see what a code would have done afterwards: \
             upset report STORE --ecc rf=secded:32,l2=secded:256/4"
                .to_owned(),
        )
    })
}

/// Longest name of a chip.
const LONGEST_NAME: usize = 64;

fn identity(spec: &ChipSpec) -> Checked {
    let chip = &spec.chip;
    let length = chip.name.len();
    rule(length <= LONGEST_NAME, "chip", "name", || {
        (
            format!("{length} characters"),
            format!("use at most {LONGEST_NAME}; a variant can end in :chip.name=SHORT"),
        )
    })?;
    let named = length > 0 && chip.name.chars().all(is_variant_char);
    rule(named, "chip", "name", || {
        ("not a name".to_owned(), "use letters, digits, - _ . : and =".to_owned())
    })?;
    let (vendor, has, prefix, example) = match spec.core {
        CoreSpec::Sm(_) => (Vendor::Nvidia, "SMs", "sm_", "sm_75"),
        CoreSpec::Cu(_) => (Vendor::Amd, "compute units", "gfx", "gfx600"),
    };
    rule(chip.vendor == vendor, "chip", "vendor", || {
        let own = if vendor == Vendor::Nvidia { "nvidia" } else { "amd" };
        (format!("the chip has {has}"), format!("use {own}, or start from another chip"))
    })?;
    let number = chip
        .arch
        .strip_prefix(prefix)
        .filter(|n| (2..=3).contains(&n.len()) && n.chars().all(|c| c.is_ascii_digit()));
    let known = number.and_then(|n| n.parse::<u32>().ok()).is_some_and(|n| n >= 10);
    rule(known, "chip", "arch", || {
        ("not an architecture".to_owned(), format!("write e.g. {example}"))
    })?;
    let sourced = chip.raw_fit_per_bit.is_none() || chip.raw_fit_source.is_some();
    rule(sourced, "chip", "raw_fit_per_bit", || {
        ("has no source".to_owned(), "say in raw_fit_source where it comes from".to_owned())
    })?;
    let needed = chip.raw_fit_source.is_none() || chip.raw_fit_per_bit.is_some();
    rule(needed, "chip", "raw_fit_source", || {
        ("is the source of no number".to_owned(), "give raw_fit_per_bit with it".to_owned())
    })
}

fn geometry(c: &CacheSpec) -> Checked {
    let component = format!("cache.{}", c.name);
    let keys = [("sets", c.sets), ("line_bytes", c.line_bytes), ("sector_bytes", c.sector_bytes)];
    for (key, value) in keys {
        power_of_two(&component, key, value)?;
    }
    rule(c.sector_bytes <= c.line_bytes, &component, "sector_bytes", || {
        ("exceeds the line".to_owned(), format!("use at most {}", c.line_bytes))
    })?;
    rule(c.bytes() <= MAX_CACHE_BYTES, &component, "ways", || {
        (format!("{} bytes in one instance", c.bytes()), "use fewer sets or ways".to_owned())
    })?;
    rule(!c.serves.is_empty(), &component, "serves", || {
        ("nothing reaches it".to_owned(), "list at least one address space".to_owned())
    })?;
    let hashed = match c.set_hash {
        SetHash::Linear | SetHash::Xor => true,
        SetHash::Ipoly => matches!(c.sets, 16 | 32 | 64),
        SetHash::Fermi => matches!(c.sets, 32 | 64),
    };
    rule(hashed, &component, "set_hash", || {
        (
            format!("is not defined for {} sets", c.sets),
            "ipoly needs 16, 32 or 64 sets, fermi 32 or 64; use linear or xor".to_owned(),
        )
    })
}

fn policies(c: &CacheSpec) -> Checked {
    let component = format!("cache.{}", c.name);
    let read_only = c.write == WritePolicy::ReadOnly && c.local_write() == WritePolicy::ReadOnly;
    let allocates = c.write_allocate != WriteAllocate::None;
    rule(!(read_only && allocates), &component, "write_allocate", || {
        ("no store comes to a read-only cache".to_owned(), "use none".to_owned())
    })
}

fn next_level(spec: &ChipSpec, c: &CacheSpec) -> Checked {
    let component = format!("cache.{}", c.name);
    let mut level = c;
    for _ in 0..=spec.caches.len() {
        if level.next == "memory" {
            return Ok(());
        }
        let Some(below) = spec.cache(&level.next) else {
            let names: Vec<&str> = spec.caches.iter().map(|c| c.name.as_str()).collect();
            let next: String = level.next.chars().take(40).collect();
            return rule(false, &format!("cache.{}", level.name), "next", || {
                (format!("there is no cache `{next}`"), format!("use {}, memory", names.join(", ")))
            });
        };
        level = below;
    }
    rule(false, &component, "next", || {
        ("the levels go in a circle".to_owned(), "let one of them end in memory".to_owned())
    })
}

fn memory(spec: &ChipSpec) -> Checked {
    let m = &spec.memory;
    power_of_two("memory", "partition_bytes", m.partition_bytes)?;
    let bits: Vec<char> = m.address_map.chars().filter(|c| *c != '.').collect();
    let known = bits.iter().all(|c| matches!(c, 'R' | 'B' | 'C' | 'S' | '0'));
    rule(known && !bits.is_empty() && bits.len() <= 64, "memory", "address_map", || {
        (
            "is not a map of at most 64 bits".to_owned(),
            "use R, B, C, S and 0, with dots as you like, e.g. 0000RRRR.RBBBCCCC.BCCSSSSS"
                .to_owned(),
        )
    })?;
    let bank_bits = bits.iter().filter(|c| **c == 'B').count() as u32;
    let d = &spec.dram;
    rule(d.banks.is_power_of_two() && d.banks.ilog2() == bank_bits, "dram", "banks", || {
        (
            format!("memory.address_map has {bank_bits} bank bits for {} banks", d.banks),
            "make banks two to that power".to_owned(),
        )
    })?;
    rule(d.burst.is_multiple_of(d.data_per_command), "dram", "data_per_command", || {
        (
            format!("{} transfers do not end with a command cycle", d.burst),
            "use a divisor of burst".to_owned(),
        )
    })?;
    rule(d.banks.is_multiple_of(d.bank_groups), "dram", "bank_groups", || {
        (
            format!("{} banks do not divide into {} groups", d.banks, d.bank_groups),
            "use a divisor of banks".to_owned(),
        )
    })
}

fn driver(spec: &ChipSpec) -> Checked {
    let d = &spec.driver;
    power_of_two("driver", "page_bytes", d.page_bytes)?;
    let page = u64::from(d.page_bytes);
    let edges = [
        ("block_bytes", d.block_bytes),
        ("small_page", d.small_page),
        ("area_from", d.area_from),
        ("area_to", d.area_to),
    ];
    let pockets = d.pockets.iter().map(|&at| ("pockets", at));
    for (key, bytes) in edges.into_iter().chain(pockets) {
        rule(bytes.is_multiple_of(page), "driver", key, || {
            let (down, up) = (bytes - bytes % page, bytes.next_multiple_of(page));
            (format!("{bytes} is not a number of pages"), format!("use {down} or {up}"))
        })?;
    }
    rule(d.small_bytes <= page, "driver", "small_bytes", || {
        (format!("{} do not fit a page", d.small_bytes), format!("use at most {page}"))
    })?;
    rule(d.small_page + page <= d.area_from, "driver", "small_page", || {
        let most = d.area_from.saturating_sub(page);
        ("lies in the program's area".to_owned(), format!("use at most {most}"))
    })?;
    rule(d.area_from <= d.area_to, "driver", "area_to", || {
        ("lies before area_from".to_owned(), format!("use at least {}", d.area_from))
    })?;
    rule(
        (d.small_page + page..=d.area_to).contains(&d.block_bytes),
        "driver",
        "block_bytes",
        || {
            let (least, most) = (d.small_page + page, d.area_to);
            let what = "does not end between small_page and area_to".to_owned();
            (what, format!("use {least} to {most}"))
        },
    )?;
    let ends: Vec<u64> = std::iter::once(d.area_to).chain(d.pockets.iter().copied()).collect();
    let ordered = d.pockets.len().is_multiple_of(2) && ends.is_sorted();
    rule(ordered, "driver", "pockets", || {
        let what = "are not begins and ends by turns, in order".to_owned();
        (what, format!("list pairs from {} on", d.area_to))
    })?;
    const WINDOW: u64 = 1 << 24;
    for (key, window) in [("shared_window", d.shared_window), ("local_window", d.local_window)] {
        rule(window.is_multiple_of(WINDOW), "driver", key, || {
            (format!("{window:#x} is not a multiple of 16 MiB"), "use one".to_owned())
        })?;
        // Code before sm_70 computes with 32 bits of a window's address.
        rule(!(1 << 32..1 << 45).contains(&window), "driver", key, || {
            (format!("{window:#x} may be memory"), "use less than 2^32, or 2^45 or more".to_owned())
        })?;
    }
    rule(d.shared_window != d.local_window, "driver", "local_window", || {
        let other = d.shared_window + WINDOW;
        ("is the shared window".to_owned(), format!("use another, e.g. {other:#x}"))
    })
}
