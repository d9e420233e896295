//! Settings that make chips harder on programs than the presets: few compute
//! units, few SIMD units, caches so small that lines leave them all the time.

use crate::Rng;

/// Settings (`table.key=value`) on top of a preset, drawn one by one.
pub(crate) fn random(rng: &mut Rng) -> Vec<String> {
    let mut list = Vec::new();
    let mut set = |rng: &mut Rng, one_in: u32, key: &str, values: &[&str]| {
        let value = rng.pick(values);
        if rng.below(one_in) == 0 {
            list.push(format!("{key}={value}"));
        }
    };
    // With all units of a preset, few work-groups would ever share one.
    if rng.below(8) != 0 {
        set(rng, 1, "cu.count", &["1", "1", "2", "2", "3", "4", "8"]);
    }
    set(rng, 3, "cu.simds", &["1", "2", "4"]);
    set(rng, 4, "cu.group", &["1", "2"]);
    set(rng, 4, "cu.barriers", &["1", "2"]);
    set(rng, 4, "counters.vmcnt", &["1", "2", "5"]);
    set(rng, 4, "counters.expcnt", &["1", "2"]);
    set(rng, 4, "counters.lgkmcnt", &["2", "3", "5"]);
    set(rng, 4, "lds.latency", &["4", "200"]);
    set(rng, 4, "lds.banks", &["16", "8"]);
    set(rng, 4, "fetch.buffer_words", &["8", "16"]);
    set(rng, 4, "cycles.branch_taken", &["4", "40"]);
    set(rng, 4, "cycles.vector_to_scalar", &["1", "40"]);
    set(rng, 4, "vmem.read_data", &["1", "100"]);
    set(rng, 4, "vmem.scattered", &["4", "64"]);
    set(rng, 4, "vmem.store_backlog", &["1", "16"]);
    for cache in ["l1v", "l1s", "l1i"] {
        set(rng, 3, &format!("cache.{cache}.sets"), &["1", "2", "4"]);
        set(rng, 3, &format!("cache.{cache}.ways"), &["1", "2", "4"]);
        set(rng, 4, &format!("cache.{cache}.mshr_entries"), &["1", "2", "8"]);
        set(rng, 4, &format!("cache.{cache}.mshr_merge"), &["1", "2"]);
        set(rng, 4, &format!("cache.{cache}.latency"), &["1", "40", "300"]);
        set(rng, 4, &format!("cache.{cache}.replacement"), &["lru", "fifo"]);
    }
    set(rng, 4, "cache.l1v.write_allocate", &["none", "lazy-fetch"]);
    if rng.below(2) == 0 {
        set(rng, 1, "cache.l2.sets", &["1", "2", "4"]);
        set(rng, 1, "cache.l2.ways", &["1", "2", "4"]);
    }
    set(rng, 4, "cache.l2.mshr_entries", &["1", "2", "8"]);
    set(rng, 4, "cache.l2.mshr_merge", &["1", "2"]);
    set(rng, 4, "cache.l2.latency", &["2", "20"]);
    set(rng, 4, "memory.dram_latency", &["10", "400"]);
    list
}
