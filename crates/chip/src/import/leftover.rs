//! Why an option is not in the chip.

use crate::nearest::nearest;

use super::NoteKind::{self, Ignored, NoCounterpart, Unknown};
use super::options::Opt;

/// Options by name, or by beginning where it ends in `*`.
const REASONS: &[(&str, NoteKind, &str)] = &[
    // Not about the chip.
    ("gpgpu_ptx_*", Ignored, PTX),
    ("ptx_opcode_*", Unknown, "no option of GPGPU-Sim 4 by that name"),
    ("save_embedded_ptx", Ignored, PTX),
    ("keep", Ignored, PTX),
    ("gpgpu_cdp_enabled", Ignored, PTX),
    ("gpgpu_experimental_lib_support", Ignored, PTX),
    ("checkpoint_*", Ignored, RUN),
    ("resume_*", Ignored, RUN),
    ("gpgpu_max_cycle", Ignored, RUN),
    ("gpgpu_max_insn", Ignored, RUN),
    ("gpgpu_max_cta", Ignored, RUN),
    ("gpgpu_max_completed_cta", Ignored, RUN),
    ("gpgpu_deadlock_detect", Ignored, RUN),
    ("gpgpu_simt_core_sim_order", Ignored, RUN),
    ("liveness_message_freq", Ignored, RUN),
    ("power_*", Ignored, POWER),
    ("gpuwattch_*", Ignored, POWER),
    ("accelwattch_*", Ignored, POWER),
    ("steady_*", Ignored, POWER),
    ("dvfs_*", Ignored, POWER),
    ("hw_perf_*", Ignored, POWER),
    ("aggregate_power_stats", Ignored, POWER),
    ("gpgpu_clock_gated_*", Ignored, POWER),
    ("n_regfile_gating_group", Ignored, POWER),
    ("visualizer_*", Ignored, OUTPUT),
    ("trace_enabled", Ignored, OUTPUT),
    ("trace_components", Ignored, OUTPUT),
    ("trace_sampling_*", Ignored, OUTPUT),
    ("gpgpu_runtime_stat", Ignored, OUTPUT),
    ("gpgpu_memlatency_stat", Ignored, OUTPUT),
    ("gpgpu_warpdistro_shader", Ignored, OUTPUT),
    ("gpgpu_warp_issue_shader", Ignored, OUTPUT),
    ("gpgpu_cflog_interval", Ignored, OUTPUT),
    ("enable_ptx_file_line_stats", Ignored, OUTPUT),
    ("ptx_line_stats_filename", Ignored, OUTPUT),
    ("icnt_verbose", Ignored, OUTPUT),
    ("trace_opcode_latency_initiation_int", Ignored, EXECUTE_ONLY),
    ("trace_opcode_latency_initiation_sp", Ignored, EXECUTE_ONLY),
    ("gpgpu_occupancy_sm_number", Ignored, "occupancy follows the compute capability here"),
    ("gpgpu_simd_model", Ignored, "divergence follows the machine code here"),
    ("gpgpu_local_mem_map", Ignored, "local memory is always mapped to device memory here"),
    // gpuFI-4's own: one run's fault.
    ("run_uid", Ignored, FAULT),
    ("profile", Ignored, FAULT),
    ("last_cycle", Ignored, FAULT),
    ("component_to_flip", Ignored, FAULT),
    ("components_to_flip", Ignored, FAULT),
    ("thread_rand", Ignored, FAULT),
    ("warp_rand", Ignored, FAULT),
    ("total_cycle_rand", Ignored, FAULT),
    ("register_rand_n", Ignored, FAULT),
    ("reg_bitflip_rand_n", Ignored, FAULT),
    ("per_warp", Ignored, FAULT),
    ("kernel_n", Ignored, FAULT),
    ("block_n", Ignored, FAULT),
    ("block_rand", Ignored, FAULT),
    ("local_mem_bitflip_rand_n", Ignored, FAULT),
    ("shared_mem_bitflip_rand_n", Ignored, FAULT),
    ("l1d_*", Ignored, FAULT),
    ("l1c_*", Ignored, FAULT),
    ("l1t_*", Ignored, FAULT),
    ("l2_cache_bitflip_rand_n", Ignored, FAULT),
    // About the chip, but nothing here is like it.
    ("gpgpu_stack_size_limit", NoCounterpart, RUNTIME),
    ("gpgpu_heap_size_limit", NoCounterpart, RUNTIME),
    ("gpgpu_runtime_sync_depth_limit", NoCounterpart, RUNTIME),
    ("gpgpu_runtime_pending_launch_count_limit", NoCounterpart, RUNTIME),
    ("gpgpu_ignore_resources_limitation", NoCounterpart, "limits always hold here"),
    ("gpgpu_concurrent_kernel_sm", NoCounterpart, "an SM runs one kernel at a time here"),
    (
        "gpgpu_operand_collector_*",
        NoCounterpart,
        "operands are read through banks and a reuse cache here",
    ),
    ("gpgpu_enable_specialized_operand_collector", NoCounterpart, "there are no collectors here"),
    ("gpgpu_opndcoll_model", NoCounterpart, "there are no collectors here"),
    ("gpgpu_reg_bank_use_warp_id", NoCounterpart, "a register's bank depends on its number alone"),
    ("gpgpu_num_mem_units", NoCounterpart, "not hooked up in GPGPU-Sim either"),
    ("gpgpu_mem_unit_ports", NoCounterpart, "one memory transaction per cycle here"),
    ("gpgpu_cache:dl1PrefL1", NoCounterpart, PREFERENCE),
    ("gpgpu_cache:dl1PrefShared", NoCounterpart, PREFERENCE),
    ("gpgpu_shmem_size_PrefL1", NoCounterpart, PREFERENCE),
    ("gpgpu_shmem_size_PrefShared", NoCounterpart, PREFERENCE),
    ("gpgpu_l1_cache_write_ratio", NoCounterpart, "a dirty line may leave at any time here"),
    ("gpgpu_perfect_mem", NoCounterpart, "memory is always modelled here"),
    ("l2_ideal", NoCounterpart, "L2 is always modelled here"),
    ("gpgpu_simple_dram_model", NoCounterpart, "DRAM is always modelled here"),
    ("dram_seperate_write_queue_enable", NoCounterpart, WRITE_QUEUE),
    ("dram_write_queue_size", NoCounterpart, WRITE_QUEUE),
    ("dram_elimnate_rw_turnaround", NoCounterpart, "turnaround is always modelled here"),
    ("gpgpu_mem_address_mask", NoCounterpart, "the address map is always given in full"),
    ("gpgpu_mem_addr_test", Ignored, RUN),
    ("gpgpu_lrc_*", NoCounterpart, "no coalescer in front of L2 here"),
    ("gpgpu_n_chiplet_partition", NoCounterpart, "L2 is not divided into halves here"),
    ("inter_chiplet_queue_size", NoCounterpart, "L2 is not divided into halves here"),
    ("gpgpu_chiplet_interleave", NoCounterpart, "L2 is not divided into halves here"),
    ("inter_config_file", NoCounterpart, "the network's own file is not read"),
    ("icnt_grant_cycles", NoCounterpart, "the arbiter grants one packet at a time here"),
];

const PTX: &str = "concerns PTX, which the machine code does not need";
const RUN: &str = "concerns how a simulation is run, not the chip";
const POWER: &str = "concerns power, which is not modelled";
const OUTPUT: &str = "concerns what is printed, not the chip";
const FAULT: &str = "one run's fault in gpuFI-4; here faults are arguments of a campaign";
const RUNTIME: &str = "a limit of the device-side runtime, which is not modelled";
const EXECUTE_ONLY: &str = "counts the execute stage alone, not issue to result";
const PREFERENCE: &str = "a chip has one split of L1 and shared memory; make a variant";
const WRITE_QUEUE: &str = "reads and writes share one DRAM queue here";

/// What became of an option that the mapping never asked for.
pub(super) fn explain(option: &Opt, known: &[&str]) -> (NoteKind, String) {
    let name = option.name.as_str();
    if name.is_empty() {
        return (NoteKind::Unparsable, "text before the first option".to_owned());
    }
    let found = REASONS.iter().find(|(pattern, _, _)| match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *pattern,
    });
    if let Some((_, kind, reason)) = found {
        return (*kind, (*reason).to_owned());
    }
    // The usual slip is a lost prefix: -smem_latency for -gpgpu_smem_latency.
    let prefixed = format!("gpgpu_{name}");
    let meant = known
        .iter()
        .find(|k| **k == prefixed)
        .map(|k| (*k).to_owned())
        .or_else(|| nearest(name, known.iter().copied()));
    let reason = match meant {
        Some(meant) => format!("no option known here; -{meant} may be meant"),
        None => "no option known here".to_owned(),
    };
    (Unknown, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pattern_is_listed_twice_or_hidden_by_an_earlier_one() {
        for (i, (pattern, _, reason)) in REASONS.iter().enumerate() {
            assert!(!reason.is_empty());
            for (earlier, _, _) in &REASONS[..i] {
                let hidden = match earlier.strip_suffix('*') {
                    Some(beginning) => pattern.starts_with(beginning),
                    None => earlier == pattern,
                };
                assert!(!hidden, "{pattern} is hidden by {earlier}");
            }
        }
    }
}
