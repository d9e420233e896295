//! Caches, partitions, DRAM, interconnect, launch and switches.

use super::NoteKind;
use super::cache_string::{self, CacheString};
use super::draft::Draft;
use super::map_core::{OPERANDS_READ, after_operands, leave_out};
use super::reader::{Got, Reader, why};

pub(super) fn map(r: &mut Reader, d: &mut Draft, sm: u32) {
    caches(r, d, sm);
    let timing = timing(r);
    memory(r, d, timing.0[0]);
    dram(r, d, timing);
    interconnect(r, d);
    launch_and_model(r, d);
    for (option, reason) in LEFT_OUT {
        leave_out(r, option, reason);
    }
}

/// Options of parts that the model has no bound or choice for.
const LEFT_OUT: &[(&str, &str)] = &[
    ("gpgpu_dram_partition_queues", ROOM),
    ("gpgpu_dram_return_queue_size", ROOM),
    ("icnt_in_buffer_limit", ROOM),
    ("icnt_out_buffer_limit", ROOM),
    ("gpgpu_n_cluster_ejection_buffer_size", ROOM),
    ("dram_dual_bus_interface", "row commands do not wait for column commands here"),
    ("icnt_subnets", "requests and replies have a network each here"),
    ("icnt_arbiter_algo", "packets go in the order in which they come here"),
    ("gpgpu_max_concurrent_kernel", "kernels run one after the other here"),
    ("gpgpu_adaptive_cache_config", "L1 and shared memory are as large as the chip says"),
];

const ROOM: &str = "what waits there always finds room here";

fn caches(r: &mut Reader, d: &mut Draft, sm: u32) {
    let l2 = read_cache(r, "gpgpu_cache:dl2");
    let next = if l2.is_some() { "l2" } else { "memory" };
    let skip = r.flag("gpgpu_gmem_skip_L1D", false);
    let banks: Got<u32> = r.get("gpgpu_l1_banks", 1);
    let latency = after_operands(r, "gpgpu_l1_latency", 1);
    if let Some(cache) = read_cache(r, "gpgpu_cache:dl1") {
        let alone = skip.value && sm < 70;
        if skip.value && !alone {
            let reason = "L1D serves global memory as well here";
            r.note("gpgpu_gmem_skip_L1D", NoteKind::Changed, reason);
        }
        let serves = if alone { vec!["local"] } else { vec!["global", "local"] };
        write_cache(d, "cache.l1d", "sm", next, &cache);
        d.put("cache.l1d", "serves", skip.map(|_| serves));
        d.put("cache.l1d", "banks", banks);
        d.put("cache.l1d", "port_bytes", cache.clone().map(|c| c.port_bytes));
        d.put("cache.l1d", "latency", latency);
    }
    let others = [
        ("cache.l1t", "gpgpu_tex_cache:l1", "texture", OPERANDS_READ + 1),
        ("cache.l1c", "gpgpu_const_cache:l1", "constant", OPERANDS_READ + 1),
        ("cache.l1i", "gpgpu_cache:il1", "instruction", 1),
    ];
    for (component, option, space, least) in others {
        if let Some(cache) = read_cache(r, option) {
            write_cache(d, component, "sm", next, &cache);
            d.put(component, "serves", Got::assumed(vec![space], "what the option is for"));
            let why = "GPGPU-Sim adds no delay to a hit: the least there is";
            d.put(component, "latency", Got::assumed(least, why));
        }
    }
    let texture_only = r.flag("gpgpu_cache:dl2_texture_only", true);
    if let Some(cache) = l2 {
        let all = vec!["global", "local", "texture", "constant", "instruction"];
        write_cache(d, "cache.l2", "slice", "memory", &cache);
        if texture_only.value {
            d.assume("cache.l2", "serves", all, "L2 serves everything here");
        } else {
            d.put("cache.l2", "serves", texture_only.map(|_| all));
        }
        d.put("cache.l2", "port_bytes", cache.map(|c| c.port_bytes));
        d.put("cache.l2", "latency", Got::assumed(1, "the delay is -gpgpu_l2_rop_latency"));
    }
    let ignored = [
        ("gpgpu_l1_banks_byte_interleaving", "32", "banks are interleaved by sector here"),
        ("gpgpu_l1_banks_hashing_function", "0", "banks are not hashed here"),
    ];
    for (name, harmless, reason) in ignored {
        if r.text(name).is_some_and(|o| o.value != harmless) {
            r.note(name, NoteKind::NoCounterpart, reason);
        }
    }
}

/// A cache string and its line; notes say what it lost.
fn read_cache(r: &mut Reader, name: &'static str) -> Option<Got<CacheString>> {
    let option = r.text(name)?;
    match cache_string::parse(&option.value) {
        Ok(None) => None,
        Ok(Some(cache)) => {
            for remark in &cache.remarks {
                r.note_of(&option, NoteKind::Changed, remark);
            }
            Some(Got { value: cache, why: why(name, option.line), line: option.line })
        }
        Err(reason) => {
            let reason = format!("{reason}; the chip is made without this cache");
            r.note_of(&option, NoteKind::Unparsable, &reason);
            None
        }
    }
}

fn write_cache(d: &mut Draft, component: &str, per: &str, next: &str, cache: &Got<CacheString>) {
    let c = &cache.value;
    let mut text =
        |key, value: &str| d.put(component, key, cache.clone().map(|_| value.to_owned()));
    text("per", per);
    text("next", next);
    text("replacement", c.replacement);
    text("write", c.write);
    if let Some(local) = c.write_local {
        text("write_local", local);
    }
    let lazy = per == "sm" && c.write_allocate != "none";
    text("write_allocate", if lazy { "lazy-fetch" } else { c.write_allocate });
    text("set_hash", c.set_hash);
    let mut number = |key, value: Option<u32>| {
        if let Some(value) = value {
            d.put(component, key, cache.clone().map(|_| value));
        }
    };
    number("sets", Some(c.sets));
    number("ways", Some(c.ways));
    number("line_bytes", Some(c.line_bytes));
    number("sector_bytes", Some(c.sector_bytes));
    number("mshr_entries", c.mshr_entries);
    number("mshr_merge", c.mshr_merge);
    d.assume(component, "tag_bits", 57, "as counted by gpuFI-4; GPGPU-Sim keeps no tag width");
}

/// The address map used when a configuration gives none that can be read.
fn default_map(banks: u32, reason: &str) -> (Got<String>, Got<u32>) {
    let bank_bits = "B".repeat(banks.checked_ilog2().unwrap_or(0) as usize);
    let map = format!("RRRRRRRRRRRRR{bank_bits}CCCCCCSSSSS");
    (Got::assumed(map, reason), Got::assumed(256, "dramid@8"))
}

fn memory(r: &mut Reader, d: &mut Draft, banks: u32) {
    let partitions: Got<u32> = r.get("gpgpu_n_mem", 8);
    let channels = partitions.value;
    d.put("memory", "partitions", partitions);
    let slices: Got<u32> = r.get("gpgpu_n_sub_partition_per_mchannel", 1);
    d.put("memory", "slices_per_partition", slices);
    let (map, interleave) = address_map(r, banks);
    let bits = map.value.chars().filter(|c| matches!(c, 'R' | 'B' | 'C' | 'S')).count();
    let bytes = 1i64.checked_shl(bits.min(40) as u32).unwrap_or(i64::MAX);
    let bytes = bytes.saturating_mul(i64::from(channels)).max(1 << 20);
    d.assume("memory", "bytes", bytes, "what the address map can reach");
    d.put("memory", "address_map", map);
    d.put("memory", "partition_bytes", interleave);

    let hash: Got<u32> = r.get("gpgpu_memory_partition_indexing", 0);
    let word = match hash.value {
        0 => "plain",
        1 => "xor",
        2 => "ipoly",
        3 | 4 => {
            let reason = "no such function here; ipoly, which spreads as evenly, is taken";
            r.note("gpgpu_memory_partition_indexing", NoteKind::Changed, reason);
            "ipoly"
        }
        _ => {
            let reason = "no such function here; plain is taken";
            r.note("gpgpu_memory_partition_indexing", NoteKind::NoCounterpart, reason);
            "plain"
        }
    };
    d.put("memory", "partition_hash", hash.map(|_| word));
    d.put("memory", "rop_latency", r.get("gpgpu_l2_rop_latency", 85u32));
    d.put("memory", "dram_latency", r.get("dram_latency", 30u32));
    d.put("memory", "copies_fill_l2", r.flag("gpgpu_perf_sim_memcpy", true));
}

/// `dramid@8;0000RRRR.…`: the map, and the bytes below the channel bits.
fn address_map(r: &mut Reader, banks: u32) -> (Got<String>, Got<u32>) {
    let name = "gpgpu_mem_addr_mapping";
    let Some(option) = r.text(name) else {
        return default_map(banks, "a map for these banks, -gpgpu_mem_addr_mapping is not given");
    };
    let (channel, map) = match option.value.split_once(';') {
        Some((channel, map)) => (Some(channel), map),
        None => (None, option.value.as_str()),
    };
    let known = |c: char| matches!(c, 'R' | 'B' | 'C' | 'S' | '0' | '.');
    let map = map.trim();
    let bit = match channel.map(|c| c.strip_prefix("dramid@").map(str::parse::<u32>)) {
        Some(Some(Ok(bit))) if (4..=20).contains(&bit) => Some(bit),
        None => Some(8),
        _ => None,
    };
    let (true, Some(bit)) = (map.chars().all(known) && map.contains('B'), bit) else {
        let reason = "not of the form dramid@8;0000RRRR.RBBBCCCC.BCCSSSSS; the default is taken";
        r.note_of(&option, NoteKind::Unparsable, reason);
        return default_map(banks, "a map for these banks, the given one cannot be read");
    };
    // Leading zero bits say nothing.
    let map = map.trim_start_matches(['0', '.']);
    let got = Got { value: map.to_owned(), why: why(name, option.line), line: option.line };
    (got.clone(), got.map(|_| 1 << bit))
}

/// DRAM timing: names in GPGPU-Sim's order, our keys, its defaults.
const TIMING: [(&str, &str, u32); 14] = [
    ("nbk", "banks", 4),
    ("CCD", "ccd", 2),
    ("RRD", "rrd", 8),
    ("RCD", "rcd", 12),
    ("RAS", "ras", 21),
    ("RP", "rp", 13),
    ("RC", "rc", 34),
    ("CL", "cl", 9),
    ("WL", "wl", 4),
    ("CDLR", "cdlr", 5),
    ("WR", "wr", 13),
    ("nbkgrp", "bank_groups", 1),
    ("CCDL", "ccdl", 0),
    ("RTPL", "rtpl", 0),
];

fn dram(r: &mut Reader, d: &mut Draft, (values, origin): ([u32; 14], Got<()>)) {
    let scheduler: Got<u32> = r.get("gpgpu_dram_scheduler", 1);
    d.put("dram", "scheduler", scheduler.map(|v| if v == 0 { "fifo" } else { "fr-fcfs" }));
    d.put("dram", "queue", r.get("gpgpu_frfcfs_dram_sched_queue_size", 0u32));
    d.put("dram", "chips", r.get("gpgpu_n_mem_per_ctrlr", 1u32));
    d.put("dram", "bus_bytes", r.get("gpgpu_dram_buswidth", 4u32));
    d.put("dram", "burst", r.get("gpgpu_dram_burst_length", 4u32));
    d.put("dram", "data_per_command", r.get("dram_data_command_freq_ratio", 2u32));
    let hash = r.flag("dram_bnk_indexing_policy", false);
    d.put("dram", "bank_hash", hash.map(|xor| if xor { "xor" } else { "plain" }));
    let group = r.flag("dram_bnkgrp_indexing_policy", false);
    d.put("dram", "bank_group_bits", group.map(|low| if low { "low" } else { "high" }));

    for ((_, key, _), value) in TIMING.iter().zip(values) {
        // Two columns never go in one cycle.
        let least = u32::from(matches!(*key, "ccd" | "ccdl"));
        d.put("dram", key, origin.clone().map(|()| value.max(least)));
    }
}

fn timing(r: &mut Reader) -> ([u32; 14], Got<()>) {
    let name = "gpgpu_dram_timing_opt";
    let mut values = TIMING.map(|(_, _, default)| default);
    let Some(option) = r.text(name) else {
        let why = format!("GPGPU-Sim's default, -{name} is not given");
        return (values, Got { value: (), why, line: 0 });
    };
    let parts = option.value.split(':').map(str::trim).filter(|p| !p.is_empty());
    for (i, part) in parts.enumerate() {
        let (slot, text) = match part.split_once('=') {
            Some((key, text)) => (TIMING.iter().position(|(n, _, _)| *n == key), text),
            None => (Some(i), part),
        };
        let target = slot.and_then(|s| values.get_mut(s));
        match (target, text.parse()) {
            (Some(target), Ok(value)) => *target = value,
            (None, _) => {
                let part: String = part.chars().take(20).collect();
                let reason = format!("`{part}` is no timing parameter; left out");
                r.note_of(&option, NoteKind::Unparsable, &reason);
                break;
            }
            (_, Err(_)) => {
                let part: String = part.chars().take(20).collect();
                let reason = format!("`{part}` has no number; the default is taken");
                r.note_of(&option, NoteKind::Unparsable, &reason);
            }
        }
    }
    (values, Got { value: (), why: why(name, option.line), line: option.line })
}

fn interconnect(r: &mut Reader, d: &mut Draft) {
    let mode: Got<u32> = r.get("network_mode", 1);
    if mode.value != 2 && mode.line > 0 {
        let reason = "a network described in another file; here it is a crossbar";
        r.note("network_mode", NoteKind::Changed, reason);
    }
    d.put("interconnect", "flit_bytes", r.get("icnt_flit_size", 32u32));
    d.assume("interconnect", "header_bytes", 8, "control of a packet in GPGPU-Sim");
}

fn launch_and_model(r: &mut Reader, d: &mut Draft) {
    d.put("launch", "kernel_latency", r.get("gpgpu_kernel_launch_latency", 0u32));
    d.put("launch", "cta_latency", r.get("gpgpu_TB_launch_latency", 0u32));
    d.put("model", "flush_l1_between_kernels", r.flag("gpgpu_flush_l1_cache", false));
    d.put("model", "flush_l2_between_kernels", r.flag("gpgpu_flush_l2_cache", false));
    let perfect = r.flag("gpgpu_perfect_inst_const_cache", false);
    d.put("model", "perfect_instruction_and_constant", perfect);
    d.assume("model", "ecc", false, "GPGPU-Sim models no ECC");
}
