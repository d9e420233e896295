//! The micro-benchmarks that are compiled kernels: name, kernel, geometry,
//! arguments, what is read and what it is divided by.

use super::bench::{Bench, Data, Group, Reading};

const KIB: u32 = 1 << 10;
const MIB: u32 = 1 << 20;
/// Pages that address translation works with on the hardware.
const PAGE: u32 = 2 * MIB;
/// SMs that a whole-chip benchmark fills, one CTA each.
const SMS: u32 = 132;

/// So much shared memory that every SM gets one CTA, and each launch the same ones.
const ONE_PER_SM: u32 = 200 * KIB;

/// Every row.
pub fn rows() -> Vec<Bench> {
    let mut rows = Vec::new();
    latency(&mut rows);
    throughput(&mut rows);
    chases(&mut rows);
    bursts(&mut rows);
    constants_and_textures(&mut rows);
    shared_bandwidth(&mut rows);
    bandwidth(&mut rows);
    queues(&mut rows);
    atomics(&mut rows);
    control(&mut rows);
    fetch(&mut rows);
    rows
}

/// Chains of 128, some with two or three instructions to a step.
fn latency(rows: &mut Vec<Bench>) {
    for kernel in [
        "latency_iadd3",
        "latency_lop3",
        "latency_prmt",
        "latency_shf",
        "latency_imad",
        "latency_imad_wide",
        "latency_fadd",
        "latency_fmul",
        "latency_ffma",
        "latency_hfma2",
        "latency_dadd",
        "latency_dfma",
        "latency_mufu_ex2",
        "latency_mufu_rcp",
        "latency_mufu_rsq",
        "latency_mufu_lg2",
        "latency_i2f_f2i",
        "latency_popc",
        "latency_flo",
        "latency_brev",
        "latency_shfl",
        "latency_shfl_idx",
        "latency_vote",
        "latency_guard",
        "latency_select",
        "latency_alu_to_fma",
    ] {
        let bench = Bench::kernel(Group::Latency, "latency", kernel);
        rows.push(bench.per(128.0, "cycles per step"));
    }
    rows.push(Bench::kernel(Group::Latency, "latency", "latency_clock"));
}

/// Eight chains of 16 instructions in each thread.
fn throughput(rows: &mut Vec<Bench>) {
    for (kernel, instructions) in [
        ("stream_iadd3", 1.0),
        ("stream_lop3", 1.0),
        ("stream_shf", 1.0),
        ("stream_imad", 1.0),
        ("stream_imad_wide", 1.0),
        ("stream_fadd", 1.0),
        ("stream_ffma", 1.0),
        ("stream_hfma2", 1.0),
        ("stream_dfma", 1.0),
        ("stream_mufu", 1.0),
        ("stream_i2f", 1.0),
        ("stream_f2i", 1.0),
        ("stream_i2f64", 1.0),
        ("stream_popc", 1.0),
        ("stream_flo", 1.0),
        ("stream_shfl", 1.0),
        ("stream_vote", 2.0),
        ("stream_ffma_lop3", 1.0),
        ("stream_imad_lop3", 1.0),
        ("stream_ffma_imad", 1.0),
    ] {
        for warps in [1, 2, 4, 8, 16, 32] {
            let bench = Bench::kernel(Group::Throughput, "throughput", kernel);
            let count = 128.0 * instructions * f64::from(warps);
            rows.push(
                bench
                    .named(format!("{kernel}_{warps}w"))
                    .warps(warps)
                    .per(count, "cycles per warp instruction"),
            );
        }
    }
}

fn chases(rows: &mut Vec<Bench>) {
    let chase = |kernel| Bench::kernel(Group::Memory, "memory", kernel);
    let unit = "cycles per load";
    rows.push(chase("chase_shared").shared(8 * KIB).numbers(&[8 * KIB, 128]).per(128.0, unit));
    for kib in [4, 16, 64, 128, 192] {
        rows.push(
            chase("chase_l1")
                .named(format!("chase_l1_{kib}k"))
                .data(Data::Zeros(u64::from(kib * KIB)))
                .numbers(&[kib * KIB, 128])
                .per(128.0, unit),
        );
    }
    for kib in [32, 256] {
        rows.push(
            chase("chase_l2")
                .named(format!("chase_l2_{kib}k"))
                .data(Data::Zeros(u64::from(kib * KIB)))
                .numbers(&[kib * KIB, 128])
                .per(128.0, unit),
        );
    }
    // One access at a time, past L1, over 256 lines of 1 MiB.
    let lines = chase("lines_l2").data(Data::Zeros(MIB.into())).numbers(&[MIB, 4 * KIB]);
    rows.push(lines.clone().named("lines_l2_mean").reading(Reading::Pairs(256)).per(1.0, unit));
    rows.push(
        lines.clone().named("lines_l2_min").reading(Reading::SmallestPair(256)).per(1.0, unit),
    );
    rows.push(lines.named("lines_l2_max").reading(Reading::LargestPair(256)).per(1.0, unit));
    for (name, stride) in [("chase_dram_64k", 64 * KIB), ("chase_dram_4k", 4 * KIB)] {
        let bytes = stride * 256;
        rows.push(
            chase("chase_cold")
                .named(name)
                .data(Data::Untouched(bytes.into()))
                .numbers(&[bytes, stride, PAGE, 0])
                .per(256.0, unit),
        );
    }
    // A page's first touch: translation as well as data.
    let bytes = 32 * PAGE;
    rows.push(
        chase("chase_cold")
            .named("chase_dram_pages")
            .data(Data::Untouched(bytes.into()))
            .numbers(&[bytes, PAGE, bytes, 0])
            .per(32.0, unit),
    );
}

/// What many loads at once find.
fn bursts(rows: &mut Vec<Bench>) {
    let memory = |kernel| Bench::kernel(Group::Memory, "memory", kernel);
    let unit = "cycles per load";
    // One load of each of 1, 8 or 32 warps of every SM, all at once.
    for warps in [1, 8, 32] {
        let bytes = SMS * warps * 128 + 4 * KIB;
        let count = (SMS * warps) as usize;
        let burst = memory("burst").grid(SMS).warps(warps).reading(Reading::Pairs(count));
        rows.push(
            burst
                .clone()
                .named(format!("burst_dram_{warps}w"))
                .data(Data::Untouched(bytes.into()))
                .numbers(&[1, 4 * KIB])
                .per(1.0, unit),
        );
        rows.push(
            burst
                .named(format!("burst_l2_{warps}w"))
                .data(Data::Zeros(bytes.into()))
                .numbers(&[2, 4 * KIB])
                .per(1.0, unit),
        );
    }
    // Where a load finds what the host, or the SM itself, has just written or read.
    let burst = memory("burst").grid(SMS).reading(Reading::Pairs(SMS as usize));
    let bytes = u64::from(SMS * 128 + 4 * KIB);
    for (name, data) in
        [("burst_copied_1w", Data::Copied(bytes)), ("burst_set_1w", Data::Zeros(bytes))]
    {
        rows.push(burst.clone().named(name).data(data).numbers(&[1, 4 * KIB]).per(1.0, unit));
    }
    for (name, before, launches) in [
        ("found_after_nothing", 0, 1),
        ("found_after_kernel", 0, 2),
        ("found_after_load", 1, 1),
        ("found_after_store", 2, 1),
        ("found_after_load_and_store", 3, 1),
    ] {
        rows.push(
            memory("found")
                .named(name)
                .grid(SMS)
                .shared(ONE_PER_SM)
                .data(Data::Zeros(4096))
                .numbers(&[before])
                .launches(launches)
                .per(1.0, "cycles for 32 lines"),
        );
    }
}

fn constants_and_textures(rows: &mut Vec<Bench>) {
    let chase = |kernel| Bench::kernel(Group::Memory, "memory", kernel);
    let unit = "cycles per load";
    for kib in [1, 2, 4, 8, 16, 32, 60] {
        // Twice round and one measured stretch of 64 loads.
        let rounds = 2 * kib * KIB / 64 / 64 + 2;
        rows.push(
            chase("chase_constant")
                .named(format!("chase_constant_{kib}k"))
                .data(Data::Constant(kib * KIB, 64))
                .numbers(&[rounds])
                .per(64.0, unit),
        );
    }
    for (name, passes) in [("constant_operands_cold", 1), ("constant_operands_warm", 3)] {
        rows.push(
            chase("constant_operands")
                .named(name)
                .data(Data::Constant(4 * KIB, 64))
                .numbers(&[passes])
                .per(24.0, "cycles per constant"),
        );
    }
    rows.push(
        chase("chase_texture")
            .data(Data::Texture(8 * KIB, 128))
            .numbers(&[4])
            .per(64.0, "cycles per fetch"),
    );
}

fn shared_bandwidth(rows: &mut Vec<Bench>) {
    let unit = "cycles per warp access";
    let bench =
        |kernel| Bench::kernel(Group::Bandwidth, "memory", kernel).shared(32 * KIB).warps(16);
    for (kernel, word) in
        [("lds_32", 1), ("lds_64", 2), ("lds_128", 4), ("sts_32", 1), ("sts_64", 2), ("sts_128", 4)]
    {
        for conflict in [1, 2, 4, 8, 16, 32] {
            if conflict * word > 32 {
                continue;
            }
            rows.push(
                bench(kernel)
                    .named(format!("{kernel}_conflict{conflict}"))
                    .numbers(&[4 * word * conflict])
                    .per(32.0 * 16.0, unit),
            );
        }
    }
    rows.push(bench("lds_32").named("lds_32_same").numbers(&[0]).per(32.0 * 16.0, unit));
    rows.push(bench("lds_32").named("lds_32_1w").warps(1).numbers(&[4]).per(32.0, unit));
    rows.push(bench("lds_32").named("lds_32_4w").warps(4).numbers(&[4]).per(32.0 * 4.0, unit));
}

fn bandwidth(rows: &mut Vec<Bench>) {
    let unit = "cycles per warp access";
    let bench = |kernel| Bench::kernel(Group::Bandwidth, "memory", kernel);
    for (kernel, lane_bytes, name) in [
        ("ldg_l1_32", 4, "l1_32"),
        ("ldg_l1_64", 8, "l1_64"),
        ("ldg_l1_128", 16, "l1_128"),
        ("ldg_l1_32", 0, "l1_32_same"),
        ("ldg_l1_32", 8, "l1_32_stride2"),
        ("ldg_l1_32", 32, "l1_32_sectors"),
        ("ldg_l1_32", 128, "l1_32_lines"),
    ] {
        rows.push(
            bench(kernel)
                .named(name)
                .warps(16)
                .data(Data::Zeros(u64::from(32 * KIB)))
                .numbers(&[lane_bytes])
                .per(32.0 * 16.0, unit),
        );
    }
    // Bytes per cycle would be the quotient turned over; cycles per KiB keeps
    // "more is slower" in every row.
    let unit = "cycles per KiB of one SM";
    let stream = |kernel, grid: u32, bytes: u32| {
        bench(kernel).grid(grid).warps(32).per(f64::from(bytes / KIB), unit)
    };
    rows.push(
        stream("stream_cg", 1, 256 * KIB)
            .named("l2_read_1sm")
            .data(Data::Zeros((256 * KIB).into()))
            .numbers(&[256 * KIB, 2, PAGE]),
    );
    rows.push(
        stream("stream_cg", SMS, 64 * KIB)
            .named("l2_read_chip")
            .data(Data::Zeros((SMS * 64 * KIB).into()))
            .numbers(&[64 * KIB, 2, PAGE]),
    );
    rows.push(
        stream("stream_cg", 1, 256 * KIB)
            .named("dram_read_1sm")
            .data(Data::Untouched((256 * KIB).into()))
            .numbers(&[256 * KIB, 1, PAGE]),
    );
    rows.push(
        stream("stream_cg", SMS, 128 * KIB)
            .named("dram_read_chip")
            .data(Data::Untouched((SMS * 128 * KIB).into()))
            .numbers(&[128 * KIB, 1, PAGE]),
    );
    rows.push(
        stream("stream_store", 1, 128 * KIB)
            .named("write_1sm")
            .data(Data::Zeros((128 * KIB).into()))
            .numbers(&[128 * KIB, 2]),
    );
    rows.push(
        stream("stream_store", SMS, 64 * KIB)
            .named("write_chip")
            .data(Data::Zeros((SMS * 64 * KIB).into()))
            .numbers(&[64 * KIB, 2]),
    );
}

/// Accesses issued back to back, as compiled: from the first to the last issue.
fn queues(rows: &mut Vec<Bench>) {
    for (access, kernels) in [
        ("ldg", ["queue_ldg_4", "queue_ldg_8", "queue_ldg_16", "queue_ldg_32"]),
        ("lds", ["queue_lds_4", "queue_lds_8", "queue_lds_16", "queue_lds_32"]),
        ("stg", ["queue_stg_4", "queue_stg_8", "queue_stg_16", "queue_stg_32"]),
        ("sts", ["queue_sts_4", "queue_sts_8", "queue_sts_16", "queue_sts_32"]),
    ] {
        for (kernel, count) in kernels.into_iter().zip([4, 8, 16, 32]) {
            for warps in [1, 4, 16] {
                rows.push(
                    Bench::kernel(Group::Bandwidth, "memory", kernel)
                        .named(format!("queue_{access}_{count}_{warps}w"))
                        .warps(warps)
                        .data(Data::Zeros((256 * KIB).into()))
                        .numbers(&[0])
                        .per(f64::from(count), "cycles per access of a warp"),
                );
            }
        }
    }
}

fn atomics(rows: &mut Vec<Bench>) {
    // (name, kernel, CTAs, warps, bytes between lanes, bytes between warps)
    for (name, kernel, grid, warps, lane, warp) in [
        ("atom_global_lane_words", "atom_global", 1, 1, 4, 128),
        ("atom_global_same", "atom_global", 1, 1, 0, 0),
        ("atom_global_same_32w", "atom_global", 1, 32, 0, 0),
        ("atom_global_words_32w", "atom_global", 1, 32, 4, 128),
        ("atom_global_same_chip", "atom_global", SMS, 4, 0, 0),
        ("atom_global_words_chip", "atom_global", SMS, 4, 4, 128),
        ("red_global_same_32w", "red_global", 1, 32, 0, 0),
        ("red_global_words_32w", "red_global", 1, 32, 4, 128),
        ("red_global_lines_32w", "red_global", 1, 32, 128, 0),
        ("atom_shared_words", "atom_shared", 1, 1, 4, 128),
        ("atom_shared_same", "atom_shared", 1, 1, 0, 0),
        ("atom_shared_same_16w", "atom_shared", 1, 16, 0, 0),
        ("atom_shared_words_16w", "atom_shared", 1, 16, 4, 128),
        ("cas_shared_words", "cas_shared", 1, 1, 4, 128),
        ("cas_shared_same", "cas_shared", 1, 1, 0, 0),
    ] {
        rows.push(
            Bench::kernel(Group::Atomic, "memory", kernel)
                .named(name)
                .grid(grid)
                .warps(warps)
                .shared(8 * KIB)
                .data(Data::Zeros(MIB.into()))
                .numbers(&[lane, warp])
                .per(16.0, "cycles per access of a warp"),
        );
    }
    for kernel in ["fence_cta", "fence_gpu"] {
        rows.push(
            Bench::kernel(Group::Atomic, "memory", kernel)
                .data(Data::Zeros(4096))
                .per(4.0, "cycles per store and fence"),
        );
    }
}

fn control(rows: &mut Vec<Bench>) {
    let bench = |kernel| Bench::kernel(Group::Control, "control", kernel);
    for warps in [1, 2, 4, 8, 16, 32] {
        rows.push(
            bench("barrier")
                .named(format!("barrier_{warps}w"))
                .warps(warps)
                .per(32.0, "cycles per barrier"),
        );
    }
    rows.push(bench("loop").numbers(&[256]).per(256.0, "cycles per iteration"));
    rows.push(bench("call").per(16.0, "cycles per call"));
    for ways in [1, 2, 4, 8, 32] {
        rows.push(
            bench("diverge")
                .named(format!("diverge_{ways}"))
                .numbers(&[ways])
                .per(16.0 * f64::from(ways), "cycles per body of 16 FFMAs"),
        );
    }
    for (name, split, warps) in [
        ("barrier_uniform_1w", 32, 1),
        ("barrier_half_1w", 16, 1),
        ("barrier_one_1w", 1, 1),
        ("barrier_half_8w", 16, 8),
    ] {
        rows.push(
            bench("barrier_diverged")
                .named(name)
                .warps(warps)
                .numbers(&[split])
                .per(16.0, "cycles per barrier and body"),
        );
    }
    for (name, split) in [("either_uniform", 32), ("either_half", 16), ("either_one", 1)] {
        rows.push(bench("either").named(name).numbers(&[split]).per(16.0, "cycles per branch"));
    }
    for warps in [1, 2, 4, 8] {
        rows.push(
            bench("order")
                .named(format!("order_{warps}"))
                .warps(4 * warps)
                .reading(Reading::Pairs(warps as usize))
                .per(256.0, "cycles per FFMA of a warp, mean over warps"),
        );
    }
    // CTAs: one wave, and five waves at one CTA per SM because of shared memory.
    for (name, grid, block, shared, count, reading) in [
        ("dispatch_gap", 5 * SMS, 8, ONE_PER_SM, 20, Reading::Gap),
        ("dispatch_gap_short", 5 * SMS, 1, ONE_PER_SM, 0, Reading::Gap),
        ("dispatch_interval_1warp", 16 * SMS, 1, 0, 20, Reading::Interval(15)),
        ("dispatch_interval_8warps", 8 * SMS, 8, 0, 100, Reading::Interval(4)),
        ("dispatch_two_waves", 64 * SMS, 1, 0, 20, Reading::Busiest),
    ] {
        rows.push(
            bench("dispatch")
                .named(name)
                .grid(grid)
                .warps(block)
                .shared(shared)
                .numbers(&[count])
                .reading(reading),
        );
    }
}

/// The last of `passes` over `blocks` blocks of 4 KiB.
fn fetch(rows: &mut Vec<Bench>) {
    let bench = |blocks: u32, passes, warps: u32| {
        Bench::kernel(Group::Fetch, "icache", "straight")
            .warps(warps)
            .numbers(&[blocks, passes])
            .per(f64::from(blocks * 257 * warps), "cycles per warp instruction")
    };
    for blocks in [1, 2, 4, 6, 8, 12, 16, 24, 32, 40, 48, 64] {
        rows.push(bench(blocks, 3, 1).named(format!("fetch_{}k_1w", 4 * blocks)));
    }
    for blocks in [4, 8, 16, 24, 32, 48, 64] {
        rows.push(bench(blocks, 3, 4).named(format!("fetch_{}k_4w", 4 * blocks)));
    }
    for blocks in [8, 32, 64] {
        rows.push(bench(blocks, 2, 16).named(format!("fetch_{}k_16w", 4 * blocks)));
    }
    for blocks in [1, 4, 16, 64] {
        rows.push(bench(blocks, 1, 1).named(format!("fetch_{}k_cold", 4 * blocks)));
    }
    // Is the code still there when the same kernel comes again?
    for blocks in [1, 4, 16] {
        let again = bench(blocks, 1, 1).grid(SMS).shared(ONE_PER_SM).launches(2);
        rows.push(again.named(format!("fetch_{}k_again", 4 * blocks)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_is_taken_twice() {
        let mut names = BTreeSet::new();
        for row in rows() {
            assert!(names.insert(row.name.clone()), "{}", row.name);
        }
    }
}
