//! Chips that are harder on programs than the presets: few SMs, other
//! schedulers, caches so small that lines leave them all the time.

use super::Program;
use crate::Rng;
use upset_chip::{ChipError, ChipSpec};
use upset_sass::Arch;

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

/// The preset on which code for `arch` runs. None has sm_80; it is an H200 in
/// everything else.
pub fn preset(arch: Arch) -> Result<ChipSpec, ChipError> {
    let mut chip = ChipSpec::preset(match arch {
        Arch::Sm70 => "gv100",
        Arch::Sm75 => "rtx2060",
        Arch::Sm80 | Arch::Sm90 => "h200",
    })?;
    if arch == Arch::Sm80 {
        chip.chip.name = "h200-sm80".into();
        chip.chip.arch = "sm_80".into();
    }
    Ok(chip)
}

/// The chip on which a program runs: a preset with those of its settings that
/// are possible there.
pub fn chip(program: &Program) -> Result<ChipSpec, ChipError> {
    let chip = preset(program.arch)?;
    if let Ok(with_all) = chip.with(&program.shape.settings) {
        return Ok(with_all);
    }
    let one = |chip: ChipSpec, setting| chip.with(&[setting]).unwrap_or(chip);
    Ok(program.shape.settings.iter().fold(chip, one))
}
