//! Identity, clocks, SM, scheduler, front end, registers, shared memory, LSU.

use super::NoteKind;
use super::draft::Draft;
use super::reader::{Got, Reader};
use crate::name::is_name_char;

/// First architecture whose SMs the model has; before, a chip is its description.
const FIRST_CORE: u32 = 70;

/// Options of parts that the model has no bound or choice for.
const LEFT_OUT: &[(&str, &str)] = &[
    ("gpgpu_dual_issue_diff_exec_units", "a scheduler issues one instruction per cycle here"),
    ("gpgpu_operand_collector_num_units_gen", "operands are read through banks and a reuse cache"),
    ("gpgpu_coalesce_arch", "a warp's requests are for the sectors that it touches here"),
    ("gpgpu_n_ldst_response_buffer_size", "replies always find room at an SM here"),
];

/// Maps these parts; gives back the number behind `sm_`.
pub(super) fn map(name: &str, r: &mut Reader, d: &mut Draft) -> u32 {
    let arch = arch(r);
    let sm = arch.value;
    identity(name, arch, d);
    clocks(r, d);
    sms(r, d, sm);
    scheduler(r, d, sm);
    registers(r, d, sm);
    shared(r, d, sm);
    load_store(d);
    timing(d);
    for (option, reason) in LEFT_OUT {
        leave_out(r, option, reason);
    }
    sm
}

/// Says of an option that nothing here reads what it sets.
pub(super) fn leave_out(r: &mut Reader, option: &'static str, reason: &str) {
    if r.text(option).is_some() {
        r.note(option, NoteKind::NoCounterpart, reason);
    }
}

/// The number behind `sm_`, from the compute capability or what PTX is
/// compiled for.
fn arch(r: &mut Reader) -> Got<u32> {
    let forced = r.text("gpgpu_ptx_force_max_capability").map(|o| (o.value.parse::<u32>(), o.line));
    let major: Got<u32> = r.get("gpgpu_compute_capability_major", 0);
    let minor: Got<u32> = r.get("gpgpu_compute_capability_minor", 0);
    let plausible = |n: u32| (10..1000).contains(&n);
    let capability = major.value.saturating_mul(10).saturating_add(minor.value);
    match forced {
        _ if major.line > 0 && plausible(capability) => {
            if let Some((Ok(n), _)) = forced
                && n != capability
            {
                let reason = "differs from the compute capability, which counts";
                r.note("gpgpu_ptx_force_max_capability", NoteKind::Changed, reason);
            }
            major.map(|_| capability)
        }
        Some((Ok(n), line)) if plausible(n) => {
            Got { value: n, why: super::reader::why("gpgpu_ptx_force_max_capability", line), line }
        }
        _ => Got::assumed(70, "GPGPU-Sim's default compute capability"),
    }
}

fn identity(name: &str, arch: Got<u32>, d: &mut Draft) {
    let clean: String =
        name.chars().map(|c| if is_name_char(c) { c } else { '-' }).take(60).collect();
    let clean = if clean.is_empty() { "imported".to_owned() } else { clean };
    let sm = arch.value;
    let family = match sm {
        10..20 => "Tesla",
        20..30 => "Fermi",
        30..50 => "Kepler",
        50..60 => "Maxwell",
        60..70 => "Pascal",
        70..75 => "Volta",
        75..80 => "Turing",
        80..89 => "Ampere",
        89 => "Ada",
        90..100 => "Hopper",
        _ => "unknown",
    };
    let title = format!("{clean} (imported from GPGPU-Sim)");
    d.put("chip", "name", Got::assumed(clean, "given by the import"));
    d.put("chip", "title", Got::assumed(title, "given by the import"));
    d.put("chip", "vendor", Got::assumed("nvidia", "GPGPU-Sim models NVIDIA chips"));
    d.put("chip", "family", Got::assumed(family, "from the compute capability"));
    d.put("chip", "arch", arch.map(|n| format!("sm_{n}")));
}

fn clocks(r: &mut Reader, d: &mut Draft) {
    let clocks: Got<Vec<f64>> =
        r.list("gpgpu_clock_domains", ':', 4, &[500.0, 2000.0, 2000.0, 2000.0]);
    let keys = ["core_mhz", "interconnect_mhz", "l2_mhz", "dram_mhz"];
    for (key, mhz) in keys.into_iter().zip(&clocks.value) {
        // The schema refuses what TOML can write but no clock can be.
        let mhz: f64 = if mhz.is_finite() { *mhz } else { 0.0 };
        d.put("clock", key, Got { value: mhz, why: clocks.why.clone(), line: clocks.line });
    }
}

fn sms(r: &mut Reader, d: &mut Draft, sm: u32) {
    let clusters: Got<u32> = r.get("gpgpu_n_clusters", 10);
    let cores: Got<u32> = r.get("gpgpu_n_cores_per_cluster", 3);
    let count = clusters.value.saturating_mul(cores.value);
    let why = format!("{} x {}", clusters.why, cores.why);
    d.put("sm", "count", Got { value: count, why, line: clusters.line });
    d.put("sm", "subcores", subcores(r, sm));

    let pipeline = r.list("gpgpu_shader_core_pipeline", ':', 2, &[1024u32, 32]);
    let (threads, warp) = match pipeline.value.as_slice() {
        [threads, warp, ..] => (*threads, *warp),
        _ => (1024, 32),
    };
    let (why, line) = (pipeline.why, pipeline.line);
    let at = |value: u32| Got { value, why: why.clone(), line };
    d.put("sm", "warp_size", at(warp));
    d.put("sm", "threads", at(threads));
    d.put("sm", "warps", at(threads.checked_div(warp).unwrap_or(0)));
    d.put("sm", "ctas", r.get("gpgpu_shader_cta", 8u32));
    d.put("sm", "barriers_per_cta", r.get("gpgpu_num_cta_barriers", 16u32));

    let per_cta = if sm < 20 { 512 } else { 1024 };
    d.assume("sm", "threads_per_cta", threads.min(per_cta), "compute capability");
    let volta = sm >= 70;
    let uniform = sm >= 75;
    let why = "architecture of that compute capability";
    d.assume("sm", "convergence_barriers", if volta { 16 } else { 0 }, why);
    d.assume("sm", "scoreboards", if sm >= 50 { 6 } else { 0 }, why);
    d.assume("sm", "uniform_registers", if uniform { 63 } else { 0 }, why);
}

/// Sub-cores per SM: where the model has a core, each scheduler sits in one.
pub(super) fn subcores(r: &mut Reader, sm: u32) -> Got<u32> {
    let schedulers: Got<u32> = r.get("gpgpu_num_sched_per_core", 1);
    let model = r.flag("gpgpu_sub_core_model", false);
    let divided = model.value || sm >= FIRST_CORE;
    model.map(|_| if divided { schedulers.value.max(1) } else { 1 })
}

fn scheduler(r: &mut Reader, d: &mut Draft, sm: u32) {
    let schedulers: Got<u32> = r.get("gpgpu_num_sched_per_core", 1);
    let divided = r.flag("gpgpu_sub_core_model", false).value;
    if !divided && sm >= FIRST_CORE && schedulers.value > 1 {
        let reason = "each scheduler has a sub-core of its own here";
        r.note("gpgpu_num_sched_per_core", NoteKind::Changed, reason);
    }
    d.put("scheduler", "per_sm", schedulers);
    let policy = match r.text("gpgpu_scheduler") {
        None => Got {
            value: "greedy-then-oldest",
            why: "GPGPU-Sim's default, -gpgpu_scheduler is not given".to_owned(),
            line: 0,
        },
        Some(option) => {
            let (word, parameters) = match option.value.split_once(':') {
                Some((word, _)) => (word, true),
                None => (option.value.as_str(), false),
            };
            let policy = match word {
                "gto" => Some("greedy-then-oldest"),
                "lrr" => Some("loose-round-robin"),
                "rrr" | "two_level_active" => Some("loose-round-robin"),
                "old" => Some("oldest-first"),
                _ => None,
            };
            if matches!(word, "rrr" | "two_level_active") {
                let reason = "warps take turns by age here: loose-round-robin is taken";
                r.note_of(&option, NoteKind::Changed, reason);
            } else if policy.is_none() {
                let reason = "no such policy here; greedy-then-oldest is taken";
                r.note_of(&option, NoteKind::NoCounterpart, reason);
            } else if parameters {
                let reason = "carried over without its parameters";
                r.note_of(&option, NoteKind::Changed, reason);
            }
            Got {
                value: policy.unwrap_or("greedy-then-oldest"),
                why: super::reader::why("gpgpu_scheduler", option.line),
                line: option.line,
            }
        }
    };
    d.put("scheduler", "policy", policy);
    let width: Got<u32> = r.get("gpgpu_max_insn_issue_per_warp", 2);
    if sm < FIRST_CORE {
        d.put("scheduler", "issue_width", width);
    } else {
        if width.value > 1 {
            let reason = "a scheduler issues one instruction per cycle here";
            r.note("gpgpu_max_insn_issue_per_warp", NoteKind::Changed, reason);
        }
        d.put("scheduler", "issue_width", width.map(|_| 1));
    }

    let fetch: Got<u32> = r.get("gpgpu_inst_fetch_throughput", 1);
    d.put("frontend", "fetch_instructions", fetch);
    d.assume("frontend", "buffer_entries", 2, "instruction buffer of GPGPU-Sim");
    d.assume("frontend", "fetch_to_issue", 2, "pipeline of GPGPU-Sim");
    d.assume("frontend", "prefetch_lines", 0, "GPGPU-Sim fetches nothing ahead");
}

fn registers(r: &mut Reader, d: &mut Draft, sm: u32) {
    let per_sm: Got<u32> = r.get("gpgpu_shader_registers", 8192);
    match r.text("gpgpu_registers_per_block") {
        Some(_) => {
            let per_cta: Got<u32> = r.get("gpgpu_registers_per_block", 8192);
            if per_cta.value > per_sm.value {
                let reason = "exceeds the registers of the SM, which count";
                r.note("gpgpu_registers_per_block", NoteKind::Changed, reason);
            }
            d.put("registers", "per_cta", per_cta.map(|n| n.min(per_sm.value)));
        }
        None => d.assume("registers", "per_cta", per_sm.value, "all registers of the SM"),
    }
    d.put("registers", "per_sm", per_sm);
    let why = "allocation rules of that compute capability (cuda_occupancy.h)";
    d.assume("registers", "per_thread", if sm >= 35 { 255 } else { 63 }, why);
    d.assume("registers", "granule", if sm >= 30 { 256 } else { 64 }, why);
    let partitions = match sm {
        60 => 2,
        30.. => 4,
        _ => 2,
    };
    d.assume("registers", "partitions", partitions, why);

    const MOST_BANKS: u32 = 4;
    let subcores = subcores(r, sm);
    let share = |n: u32| (n / subcores.value.max(1)).max(1);
    let banks: Got<u32> = r.get("gpgpu_num_reg_banks", 8);
    if share(banks.value) > MOST_BANKS {
        let reason = format!("a sub-core has at most {MOST_BANKS} here");
        r.note("gpgpu_num_reg_banks", NoteKind::Changed, &reason);
    } else if !banks.value.is_multiple_of(subcores.value.max(1)) {
        let reason = "does not divide by the sub-cores; rounded down";
        r.note("gpgpu_num_reg_banks", NoteKind::Changed, reason);
    }
    let why = format!("{}, per sub-core", banks.why);
    d.put("registers", "banks", Got { why, ..banks.map(|n| share(n).min(MOST_BANKS)) });
    d.put("registers", "ports", r.get("gpgpu_reg_file_port_throughput", 1u32));
    d.assume("registers", "reuse_slots", 0, "GPGPU-Sim has no reuse cache");
}

fn shared(r: &mut Reader, d: &mut Draft, sm: u32) {
    let bytes: Got<u32> = r.get("gpgpu_shmem_size", 16384);
    let default: Got<u32> = r.get("gpgpu_shmem_sizeDefault", bytes.value);
    if default.value != bytes.value {
        let reason = "differs from -gpgpu_shmem_size, which counts";
        r.note("gpgpu_shmem_sizeDefault", NoteKind::Changed, reason);
    }
    let reserved = if sm >= 80 { 1024 } else { 0 };
    let room = bytes.value.saturating_sub(reserved);
    let per_cta: Got<u32> = r.get("gpgpu_shmem_per_block", 49152);
    if per_cta.value > room && per_cta.line > 0 {
        r.note("gpgpu_shmem_per_block", NoteKind::Changed, "exceeds what the SM has; cut to that");
    }
    d.put("shared", "bytes", bytes);
    d.put("shared", "per_cta", per_cta.map(|n| n.min(room)));
    let why = "allocation rules of that compute capability (cuda_occupancy.h)";
    d.assume("shared", "granule", if sm >= 80 { 128 } else { 256 }, why);
    d.assume("shared", "reserved_per_cta", reserved, why);
    d.put("shared", "banks", r.get("gpgpu_shmem_num_banks", 16u32));
    d.assume("shared", "bank_bytes", 4, "width of a bank in GPGPU-Sim");
    let latency = after_operands(r, "gpgpu_smem_latency", 3);
    d.put("shared", "latency", latency);
    if r.text("gpgpu_shmem_option").is_some() {
        let options: Got<Vec<i64>> = r.list("gpgpu_shmem_option", ',', 1, &[]);
        d.put("shared", "carveouts_kib", options);
    }
    if r.text("gpgpu_unified_l1d_size").is_some() {
        d.put("shared", "unified_kib", r.get("gpgpu_unified_l1d_size", 0u32));
    }
    for (name, harmless) in
        [("gpgpu_shmem_limited_broadcast", "0"), ("gpgpu_shmem_warp_parts", "1")]
    {
        if r.text(name).is_some_and(|o| o.value != harmless) {
            let reason = "here any word is broadcast and a whole warp is served together";
            r.note(name, NoteKind::NoCounterpart, reason);
        }
    }
}

/// A latency that counts from issue: operands are read first.
pub(super) fn after_operands(r: &mut Reader, option: &'static str, default: u32) -> Got<u32> {
    let latency: Got<u32> = r.get(option, default);
    if latency.value <= OPERANDS_READ {
        let reason = "counted from issue here, operands are read first: the least there is";
        r.note(option, NoteKind::Changed, reason);
    }
    latency.map(|n| n.max(OPERANDS_READ + 1))
}

/// Latency of the load/store unit, for which GPGPU-Sim has no counterpart.
pub(super) const OPERANDS_READ: u32 = 1;

fn load_store(d: &mut Draft) {
    let why = "GPGPU-Sim has one load/store unit per SM";
    d.assume("lsu", "queue", 1, why);
    d.assume("lsu", "address_interval", 1, why);
    d.assume("lsu", "sm_interval", 1, why);
    d.assume("lsu", "return_bytes", 128, why);
    d.assume("lsu", "store_backlog", 64, "as in the chips of Upset");
}

/// Figures of operations that GPGPU-Sim has no words for.
fn timing(d: &mut Draft) {
    const CYCLES: [(&str, u32); 25] = [
        ("pause_long", 45),
        ("pause_short", 2),
        ("read", 6),
        ("read_mufu", 14),
        ("read_store", 1),
        ("read_store_far", 2),
        ("read_store_word", 2),
        ("special", 23),
        ("barrier_move", 12),
        ("clock", 5),
        ("clock_word", 4),
        ("code_address", 9),
        ("vote", 3),
        ("to_uniform", 2),
        ("uniform_move", 1),
        ("uniform_most", 4),
        ("integer_product", 2),
        ("wide_read", 2),
        ("wide_hold", 0),
        ("constant_load", 4),
        ("join", 8),
        ("gather", 24),
        ("indirect", 14),
        ("retry", 4),
        ("fence_poll", 16),
    ];
    d.assume_table("timing", &CYCLES, "as in chips/rtx2060.toml");
}
