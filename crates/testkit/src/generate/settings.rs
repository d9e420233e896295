//! Settings that make chips harder on programs than the presets: few SMs, other
//! schedulers, caches so small that lines leave them all the time.

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
    // With all SMs of a preset, few CTAs would ever share one.
    if rng.below(8) != 0 {
        set(rng, 1, "sm.count", &["1", "1", "2", "2", "3", "5", "8"]);
    }
    let policies =
        ["greedy-then-oldest", "greedy-then-youngest", "loose-round-robin", "oldest-first"];
    set(rng, 2, "scheduler.policy", &policies);
    set(rng, 4, "lsu.queue", &["1", "2", "8"]);
    set(rng, 4, "frontend.buffer_entries", &["1", "2"]);
    set(rng, 4, "frontend.prefetch_lines", &["0", "1"]);
    set(rng, 4, "model.flush_l1_between_kernels", &["true", "false"]);
    for cache in ["l1d", "l1c", "l1i"] {
        set(rng, 3, &format!("cache.{cache}.sets"), &["1", "2", "4"]);
        set(rng, 3, &format!("cache.{cache}.ways"), &["1", "2", "4"]);
        set(rng, 4, &format!("cache.{cache}.mshr_entries"), &["1", "2", "8"]);
        set(rng, 4, &format!("cache.{cache}.mshr_merge"), &["1", "2"]);
        set(rng, 4, &format!("cache.{cache}.latency"), &["40", "90"]);
        set(rng, 4, &format!("cache.{cache}.replacement"), &["lru", "fifo"]);
    }
    set(rng, 4, "cache.l1d.write_allocate", &["none", "lazy-fetch"]);
    if rng.below(2) == 0 {
        // Other set hashes need many sets.
        set(rng, 1, "cache.l2.set_hash", &["linear"]);
        set(rng, 1, "cache.l2.sets", &["1", "2", "4"]);
        set(rng, 1, "cache.l2.ways", &["1", "2", "4"]);
    }
    set(rng, 4, "cache.l2.mshr_entries", &["1", "2", "8"]);
    set(rng, 4, "cache.l2.mshr_merge", &["1", "2"]);
    set(rng, 4, "cache.l2.latency", &["2", "20"]);
    list
}
