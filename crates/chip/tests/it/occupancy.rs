use proptest::prelude::*;
use upset_chip::{ChipSpec, KernelResources, Limit, SmCore};

fn kernel(threads: u32, registers: u32, shared_bytes: u32) -> KernelResources {
    KernelResources { threads, registers, shared_bytes, barriers: 1 }
}

fn chip(name: &str) -> SmCore {
    ChipSpec::preset(name).unwrap().sm().unwrap().clone()
}

/// Cases worked out by hand from the allocation rules.
#[test]
fn known_cases() {
    let rtx = chip("rtx2060");
    let full = rtx.occupancy(kernel(256, 16, 0));
    assert_eq!((full.ctas_per_sm, full.limit, full.fraction), (4, Limit::Warps, 1.0));

    // 65 registers round to 72: 2304 per warp, 7 warps per partition of
    // 16384, 28 in all, 3 CTAs of 8 warps.
    let o = chip("gv100").occupancy(kernel(256, 65, 0));
    assert_eq!((o.ctas_per_sm, o.limit, o.registers_per_cta), (3, Limit::Registers, 18_432));

    // 3 warps of 168 registers: 5376 per warp, 3 warps per partition.
    let o = chip("gv100").occupancy(kernel(96, 168, 0));
    assert_eq!((o.ctas_per_sm, o.limit), (4, Limit::Registers));

    // 12 KiB + 1 byte round to the granule of 256: 7 fit in 96 KiB.
    let o = chip("gv100").occupancy(kernel(64, 16, 12 * 1024 + 1));
    assert_eq!((o.ctas_per_sm, o.limit, o.shared_per_cta), (7, Limit::Shared, 12_544));

    // Hopper reserves 1 KiB per CTA: 228 KiB hold 3 of 75 + 1, not 3 of 75.5 + 1.
    let o = chip("h200").occupancy(kernel(64, 16, 75 * 1024));
    assert_eq!((o.ctas_per_sm, o.limit), (3, Limit::Shared));
    let o = chip("h200").occupancy(kernel(64, 16, 75 * 1024 + 512));
    assert_eq!((o.ctas_per_sm, o.limit), (2, Limit::Shared));
    assert_eq!(chip("h200").occupancy(kernel(64, 16, 227 * 1024)).ctas_per_sm, 1);

    let o = chip("titan").occupancy(kernel(32, 16, 0));
    assert_eq!((o.ctas_per_sm, o.limit), (16, Limit::Ctas));
}

#[test]
fn what_cannot_be_launched_says_why() {
    let rtx = chip("rtx2060");
    for (k, limit) in [
        (kernel(2048, 16, 0), Limit::Warps),
        (kernel(0, 16, 0), Limit::Warps),
        (kernel(32, 256, 0), Limit::Registers),
        // 32 warps x 72 registers exceed the 65536 a CTA may hold.
        (kernel(1024, 72, 0), Limit::Registers),
        (kernel(32, 16, 65_537), Limit::Shared),
        (KernelResources { barriers: 17, ..kernel(32, 16, 0) }, Limit::Barriers),
    ] {
        let o = rtx.occupancy(k);
        assert_eq!((o.ctas_per_sm, o.limit), (0, limit), "{k:?}");
    }
    // The launch check counts a CTA's warps in fours: 29 warps of 71
    // registers fill 28.5 of 32 granted rows, 30 of 32 in the check.
    assert_eq!(rtx.occupancy(kernel(29 * 32, 64, 0)).ctas_per_sm, 1);
    assert_eq!(rtx.occupancy(kernel(29 * 32, 66, 0)).ctas_per_sm, 0);
}

/// Places CTAs one after the other in partitions, the way hardware does.
fn place_by_hand(spec: &SmCore, k: KernelResources) -> u32 {
    let warps_per_cta = k.threads.div_ceil(32);
    let per_warp = (k.registers * 32).div_ceil(256) * 256;
    let check = per_warp * warps_per_cta.div_ceil(4) * 4;
    let fits = k.threads >= 1
        && k.threads <= 1024
        && k.registers <= 255
        && check <= 65_536
        && k.shared_bytes <= spec.shared.per_cta;
    if !fits {
        return 0;
    }
    let granule = spec.shared.granule;
    let shared = (k.shared_bytes + spec.shared.reserved_per_cta).div_ceil(granule) * granule;
    let slots = 16_384u32.checked_div(per_warp).map_or(u32::MAX, |n| n * 4);
    let (mut ctas, mut warps, mut bytes) = (0, 0, 0);
    loop {
        warps += warps_per_cta;
        bytes += shared;
        if warps > spec.sm.warps || warps > slots || bytes > spec.shared.bytes {
            return ctas;
        }
        ctas += 1;
        if ctas == spec.sm.ctas {
            return ctas;
        }
    }
}

proptest! {
    #[test]
    fn agrees_with_placing_ctas_one_by_one(
        which in 0usize..4,
        threads in 0u32..1100,
        registers in 0u32..260,
        shared_bytes in 0u32..240_000,
    ) {
        let spec = chip(["rtx2060", "gv100", "titan", "h200"][which]);
        let k = kernel(threads, registers, shared_bytes);
        prop_assert_eq!(spec.occupancy(k).ctas_per_sm, place_by_hand(&spec, k));
    }

    #[test]
    fn asking_for_more_never_gets_more(
        threads in 1u32..1024,
        registers in 1u32..255,
        shared_bytes in 0u32..65_536,
        more in 0u32..64,
    ) {
        let spec = chip("rtx2060");
        let base = spec.occupancy(kernel(threads, registers, shared_bytes)).ctas_per_sm;
        for k in [
            kernel(threads + more, registers, shared_bytes),
            kernel(threads, registers + more, shared_bytes),
            kernel(threads, registers, shared_bytes + more * 100),
        ] {
            prop_assert!(spec.occupancy(k).ctas_per_sm <= base);
        }
    }

    #[test]
    fn hostile_numbers_do_not_overflow(
        threads: u32, registers: u32, shared_bytes: u32, barriers: u32,
    ) {
        let o = chip("h200").occupancy(KernelResources { threads, registers, shared_bytes, barriers });
        prop_assert!(o.ctas_per_sm <= 32);
    }
}
