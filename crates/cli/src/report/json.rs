//! The report as one JSON object (fields: `docs/running.md`).

use serde_json::{Map, Value, json};
use upset_device::{FirstLevelCounters, KernelStats, LaunchCounters, Reason};

use super::metrics::{Metrics, ratio};
use super::name::full_name;
use super::{Report, Subject};

impl Report<'_> {
    /// The object.
    pub fn json(&self) -> Value {
        let (_, _, thread_insts) = self.stats.total();
        let mut all = object(json!({
            "chip": self.chip.chip.name, "mode": self.mode.name(),
            "output_digest": self.output_digest, "digest": self.digest,
            "kernels": self.stats.kernels.iter().map(|k| self.kernel(k)).collect::<Vec<_>>(),
            "total": self.total(),
            "wall_s": self.wall, "thread_insts_per_s": self.rate(thread_insts),
        }));
        match &self.subject {
            Subject::App { name, scale, verdict: v } => all.extend(object(json!({
                "app": name, "scale": scale, "passed": v.passed, "compared": v.compared,
                "max_ulps": v.max_ulps,
            }))),
            Subject::Program(p) => all.extend(object(p.json())),
        }
        if let Some(t) = self.stats.timing() {
            all.extend(object(json!({
                "core_mhz": self.chip.clock.core_mhz,
                "simulated_s": Metrics::new(self.chip, &t).seconds(),
                "cycles_per_s": self.rate(t.cycles),
            })));
        }
        Value::Object(all)
    }

    fn kernel(&self, k: &KernelStats) -> Value {
        let mut fields = object(json!({
            "name": k.name, "launches": k.launches, "ctas": k.ctas,
            "warp_insts": k.warp_insts, "thread_insts": k.thread_insts,
            "registers": k.registers, "shared_bytes": k.shared_bytes,
            "local_bytes": k.local_bytes, "grid": k.last.0, "block": k.last.1,
        }));
        if let Subject::Program(_) = self.subject {
            fields.insert("demangled".into(), json!(full_name(&k.name)));
        }
        if let Some(t) = &k.timing {
            fields.extend(timing(Metrics::new(self.chip, t)));
        }
        Value::Object(fields)
    }

    fn total(&self) -> Value {
        let (launches, warp_insts, thread_insts) = self.stats.total();
        let ctas: u64 = self.stats.kernels.iter().map(|k| k.ctas).sum();
        let mut fields = object(json!({
            "launches": launches, "ctas": ctas,
            "warp_insts": warp_insts, "thread_insts": thread_insts,
        }));
        if let Some(t) = self.stats.timing() {
            fields.extend(timing(Metrics::new(self.chip, &t)));
        }
        Value::Object(fields)
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// What only timing mode knows.
fn timing(m: Metrics<'_>) -> Map<String, Value> {
    let c: &LaunchCounters = m.of;
    let stalls: Map<String, Value> = Reason::ALL
        .iter()
        .map(|r| (r.name().to_string(), json!(c.cores.sm.stalls[*r as usize])))
        .collect();
    let mut fields = object(json!({
        "cycles": c.cycles, "first_cycle": c.start,
        "ipc": m.ipc(), "thread_ipc": m.thread_ipc(),
        "occupancy": m.occupancy(), "sms_used": c.sms_used, "mean_warps": m.mean_warps(),
        "mean_threads": m.mean_threads(), "mean_ctas": m.mean_ctas(),
        "active_cycles": c.cores.sm.active_cycles, "warp_cycles": c.cores.sm.warp_cycles,
        "thread_cycles": c.cores.sm.thread_cycles, "cta_cycles": c.cores.sm.cta_cycles,
        "scheduler_cycles": m.scheduler_cycles(), "stalls": stalls,
        "inactive_lanes": c.cores.sm.inactive_lanes, "diverged": c.cores.sm.diverged,
        "bank_conflicts": c.cores.sm.bank_conflicts,
        "dram": {
            "reads": c.memory.dram_reads, "writes": c.memory.dram_writes,
            "bytes": c.memory.dram_bytes, "row_hits": c.memory.dram_row_hits,
            "row_hit_rate": m.row_hit_rate(), "share_of_peak": m.dram_share_of_peak(),
        },
        "crossbar": {
            "flits_to_l2": c.memory.flits_to_l2, "flits_to_sm": c.memory.flits_to_sm,
        },
    }));
    for cache in m.caches() {
        let value = match cache.name {
            "l1d" | "l1v" => first_level(&c.cores.l1d),
            "l1t" => first_level(&c.cores.l1t),
            "l1c" | "l1s" => first_level(&c.cores.l1c),
            "l1i" => first_level(&c.cores.l1i),
            _ => json!({
                "reads": c.memory.l2_reads, "writes": c.memory.l2_writes,
                "atomics": c.memory.l2_atomics, "hits": c.memory.l2_hits,
                "misses": c.memory.l2_misses, "merged": c.memory.l2_merged,
                "blocked": c.memory.l2_blocked, "evictions": c.memory.l2_evictions,
                "write_backs": c.memory.l2_write_backs, "hit_rate": cache.hit_rate(),
            }),
        };
        fields.insert(cache.name.to_string(), value);
    }
    fields
}

fn first_level(c: &FirstLevelCounters) -> Value {
    json!({
        "reads": c.reads, "writes": c.writes, "atomics": c.atomics, "hits": c.hits,
        "misses": c.misses, "merged": c.merged, "blocked": c.blocked,
        "evictions": c.evictions, "write_backs": c.write_backs, "fills": c.fills,
        "hit_rate": ratio(c.hits, c.reads),
    })
}
