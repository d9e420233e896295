//! Compute units: what fits them, and the chips that have them.

use proptest::prelude::*;
use upset_chip::{ChipError, ChipSpec, CuCore, Per, WaveLimit, WaveResources};

fn chip(set: &[&str]) -> ChipSpec {
    ChipSpec::load("hd7970", set).unwrap()
}

fn units(set: &[&str]) -> CuCore {
    chip(set).cu().unwrap().clone()
}

fn kernel(work_items: u32, vgprs: u32, sgprs: u32, lds_bytes: u32) -> WaveResources {
    WaveResources { work_items, vgprs, sgprs, lds_bytes }
}

/// The tables of CLRX's documentation: most registers for so many wavefronts.
#[test]
fn registers_allow_the_wavefronts_that_clrx_lists() {
    let cu = units(&[]);
    let vgprs = [24, 28, 32, 36, 40, 48, 64, 84, 128, 256];
    for (most, waves) in vgprs.into_iter().zip((1..=10).rev()) {
        let of = |n| cu.occupancy(kernel(64, n, 8, 0)).waves_per_simd;
        assert_eq!(of(most), waves, "{most} vector registers");
        assert_eq!(of(most + 1), waves - 1, "{} vector registers", most + 1);
    }
    // Beyond 96 more registers than code can name would be needed for four.
    let sgprs = [48, 56, 64, 72, 80, 96];
    for (most, waves) in sgprs.into_iter().zip((5..=10).rev()) {
        let of = |n| cu.occupancy(kernel(64, 4, n, 0)).waves_per_simd;
        assert_eq!(of(most), waves, "{most} scalar registers");
        assert_eq!(of(most + 1), waves - 1, "{} scalar registers", most + 1);
    }
    assert_eq!(cu.occupancy(kernel(64, 4, 106, 0)).waves_per_simd, 4);
}

#[test]
fn work_groups_are_bounded_by_slots_barriers_and_lds() {
    let fits = |set: &[&str], k| {
        let o = units(set).occupancy(k);
        (o.groups_per_cu, o.limit)
    };
    // 40 of one wavefront, else 16 barriers or 40 wavefronts.
    assert_eq!(fits(&[], kernel(64, 24, 48, 0)), (40, WaveLimit::Vgprs));
    assert_eq!(fits(&[], kernel(64, 4, 8, 0)), (40, WaveLimit::Waves));
    assert_eq!(fits(&[], kernel(65, 4, 8, 0)), (16, WaveLimit::Barriers));
    assert_eq!(fits(&[], kernel(192, 4, 8, 0)), (13, WaveLimit::Waves));
    assert_eq!(fits(&[], kernel(256, 4, 8, 0)), (10, WaveLimit::Waves));
    // 64 KiB hold two of 32 KiB; nobody gets more.
    assert_eq!(fits(&[], kernel(64, 4, 8, 32768)), (2, WaveLimit::Lds));
    assert_eq!(fits(&[], kernel(64, 4, 8, 32769)), (0, WaveLimit::Lds));
    // One byte takes a granule of 256: all 40 fit.
    assert_eq!(fits(&[], kernel(64, 4, 8, 1)), (40, WaveLimit::Waves));
    assert_eq!(fits(&["lds.granule=4096"], kernel(64, 4, 8, 1)), (16, WaveLimit::Lds));
    // Wavefronts of a group sit on any SIMD unit.
    assert_eq!(fits(&["cu.simds=1"], kernel(256, 128, 8, 0)), (0, WaveLimit::Vgprs));
    assert_eq!(fits(&["cu.simds=2"], kernel(256, 128, 8, 0)), (1, WaveLimit::Vgprs));
    assert_eq!(fits(&["cu.simds=4"], kernel(256, 128, 8, 0)), (2, WaveLimit::Vgprs));
    for (k, limit) in [
        (kernel(0, 4, 8, 0), WaveLimit::Waves),
        (kernel(257, 4, 8, 0), WaveLimit::Waves),
        (kernel(64, 257, 8, 0), WaveLimit::Vgprs),
        (kernel(64, 4, 113, 0), WaveLimit::Sgprs),
        (kernel(u32::MAX, u32::MAX, u32::MAX, u32::MAX), WaveLimit::Vgprs),
    ] {
        assert_eq!(fits(&[], k), (0, limit), "{k:?}");
    }
}

/// A compute unit that takes work-groups one by one, each wavefront where there
/// is room first.
fn packed(cu: &CuCore, k: WaveResources) -> u32 {
    let waves = k.work_items.div_ceil(64);
    let up = |n: u32, granule: u32| n.div_ceil(granule) * granule;
    let too_much = k.lds_bytes > cu.lds.per_group || k.work_items > cu.cu.work_group;
    if k.work_items == 0 || too_much || up(k.sgprs, 8) > 112 {
        return 0;
    }
    let mut simds = vec![(cu.cu.waves, cu.vgpr.per_simd, cu.sgpr.per_simd); cu.cu.simds as usize];
    let (mut lds, mut barriers, mut groups) = (cu.lds.bytes, cu.cu.barriers, 0);
    loop {
        let taken = up(k.lds_bytes, cu.lds.granule);
        if taken > lds || waves > 1 && barriers == 0 {
            return groups;
        }
        lds -= taken;
        barriers -= u32::from(waves > 1);
        for _ in 0..waves {
            let (v, s) = (up(k.vgprs, cu.vgpr.granule), up(k.sgprs, cu.sgpr.granule));
            let Some(simd) = simds.iter_mut().find(|r| r.0 > 0 && r.1 >= v && r.2 >= s) else {
                return groups;
            };
            *simd = (simd.0 - 1, simd.1 - v, simd.2 - s);
        }
        groups += 1;
    }
}

proptest! {
    #[test]
    fn occupancy_is_what_packing_one_by_one_gives(
        simds in prop::sample::select(vec![1u32, 2, 4]),
        work_items in 0u32..300, vgprs in 0u32..260, sgprs in 0u32..120, lds in 0u32..40_000,
    ) {
        let cu = units(&[&format!("cu.simds={simds}")]);
        let k = kernel(work_items, vgprs, sgprs, lds);
        let o = cu.occupancy(k);
        prop_assert_eq!(o.groups_per_cu, packed(&cu, k));
        let slots = f64::from(simds * 10);
        prop_assert_eq!(o.fraction, f64::from(o.groups_per_cu * o.waves_per_group) / slots);
    }
}

/// fp32 and fp64 peaks, L2 and bandwidth as AMD printed them.
#[test]
fn the_figures_of_amd_hold() {
    for (name, cus, slices, l2_kib, gflops, doubles, gb) in [
        ("hd7970", 32, 12, 768, 3789.0, 947.0, 264.0),
        ("hd7870", 20, 8, 512, 2560.0, 160.0, 153.6),
        ("hd7770", 10, 4, 512, 1280.0, 80.0, 72.0),
    ] {
        let chip = ChipSpec::preset(name).unwrap();
        let core = chip.cu().unwrap();
        assert_eq!((core.cu.count, chip.processors(), chip.slices()), (cus, cus, slices));
        assert_eq!(chip.row().l2_bytes, Some(l2_kib << 10), "{name}");
        let rate = |cycles: u32| {
            // Two operations of each lane of a wavefront.
            let per_cycle = f64::from(cus * core.cu.simds * core.cu.wave_size * 2);
            per_cycle / f64::from(cycles) * chip.clock.core_mhz / 1000.0
        };
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 0.01, "{name}: {a}, not {b}");
        near(rate(core.cycles.valu), gflops);
        near(rate(core.cycles.double_product), doubles);
        near(chip.dram_bytes_per_second() / 1e9, gb);
    }
}

/// What SIFI strikes: registers and local memory of an HD 7970.
#[test]
fn the_arrays_of_a_compute_unit() {
    for simds in [1, 2, 4] {
        let chip = chip(&[&format!("cu.simds={simds}")]);
        let bits = |structure: &str| {
            let arrays = chip.inventory();
            let a = arrays.iter().find(|a| a.structure == structure).expect("an array");
            (a.instances, a.bits_each())
        };
        assert_eq!(bits("vrf"), (32, simds * 256 * 64 * 32));
        assert_eq!(bits("srf"), (32, simds * 512 * 32));
        assert_eq!(bits("lds"), (32, 65536 * 8));
        assert_eq!(bits("l1v"), (32, 256 * (512 + 42)));
        assert_eq!(bits("l1s"), (8, 256 * (512 + 42)));
        assert_eq!(bits("l1i"), (8, 512 * (512 + 42)));
        assert_eq!(bits("l2"), (12, 1024 * (512 + 42)));
        assert!(chip.describe().contains("vrf"));
    }
}

#[test]
fn a_chip_has_the_cores_it_has() {
    let verde = ChipSpec::preset("hd7770").unwrap();
    assert_eq!((verde.cores(), verde.instances(Per::Group), verde.instances(Per::Cu)), (3, 3, 10));
    assert_eq!((verde.instances(Per::Sm), verde.subcores(), verde.warps()), (0, 4, 40));
    let error = verde.sm().unwrap_err();
    assert!(matches!(error, ChipError::OtherCore { .. }));
    let text = "chip `hd7770` has compute units; this needs a chip with SMs (NVIDIA's)";
    assert_eq!(error.to_string(), text);
    let error = ChipSpec::preset("h200").unwrap().cu().unwrap_err().to_string();
    assert_eq!(error, "chip `h200` has SMs; this needs a chip with compute units (AMD's)");
}
