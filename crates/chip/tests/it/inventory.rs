//! Table I and table V of the gpuFI-4 paper, from the chip files alone.

use upset_chip::ChipSpec;

fn sizes(chip: &str, structure: &str) -> (f64, f64) {
    let spec = ChipSpec::preset(chip).unwrap();
    let arrays = spec.inventory();
    let a = arrays.iter().find(|a| a.structure == structure).expect(structure);
    (a.bits_each() as f64 / 8.0 / 1024.0, a.mebibytes())
}

/// KiB per instance and MiB in all, as printed. The papers cut rather than
/// round the second decimal here and there, hence the tolerance of one unit.
#[track_caller]
fn holds(chip: &str, structure: &str, kib: f64, mib: f64) {
    let (each, all) = sizes(chip, structure);
    assert!((each - kib).abs() < 0.01, "{chip} {structure}: {each} KiB, printed {kib}");
    assert!((all - mib).abs() < 0.015, "{chip} {structure}: {all} MiB, printed {mib}");
}

#[test]
fn rtx2060_matches_the_paper() {
    holds("rtx2060", "rf", 256.0, 7.5);
    holds("rtx2060", "smem", 64.0, 1.875);
    holds("rtx2060", "l1d", 67.56, 1.98);
    holds("rtx2060", "l1t", 135.13, 3.96);
    holds("rtx2060", "l1i", 135.13, 3.96);
    holds("rtx2060", "l1c", 71.13, 2.08);
    holds("rtx2060", "l2", 135.125, 3.17);
}

#[test]
fn gv100_matches_the_paper() {
    holds("gv100", "rf", 256.0, 20.0);
    holds("gv100", "smem", 96.0, 7.5);
    holds("gv100", "l1d", 33.78, 2.64);
    holds("gv100", "l1t", 135.13, 10.56);
    holds("gv100", "l1i", 135.13, 10.56);
    holds("gv100", "l1c", 71.13, 5.56);
    let (_, l2) = sizes("gv100", "l2");
    assert!((l2 - 6.33).abs() < 0.01, "{l2}");
}

#[test]
fn titan_matches_the_paper() {
    holds("titan", "rf", 256.0, 3.5);
    holds("titan", "smem", 48.0, 672.0 / 1024.0);
    holds("titan", "l1t", 50.67, 709.38 / 1024.0);
    holds("titan", "l1i", 4.22, 59.08 / 1024.0);
    holds("titan", "l1c", 17.78, 248.92 / 1024.0);
    let (_, l2) = sizes("titan", "l2");
    assert!((l2 - 1.58).abs() < 0.01, "{l2}");
    assert!(ChipSpec::preset("titan").unwrap().cache("l1d").is_none());
}

/// The bit counts that the thesis prints for its GV100 campaigns.
#[test]
fn bits_per_structure_match_the_thesis() {
    let gv = ChipSpec::preset("gv100").unwrap();
    let each = |s: &str| gv.inventory().into_iter().find(|a| a.structure == s).unwrap();
    assert_eq!(each("l1d").bits_each(), 276_736);
    assert_eq!(each("l1t").bits_each(), 1_106_944);
    // The thesis takes 582 656 for L1C: 64-byte lines with 57 tag bits.
    assert_eq!(each("l1c").bits_each(), 582_656);
    assert_eq!(each("l2").bits(), 53_133_312);
}

/// "18.5MB and 47MB in total for RTX 2060 and Quadro GV100": what the paper
/// injects into, without instruction and constant caches.
#[test]
fn what_gpufi4_injects_into_adds_up_to_its_totals() {
    let sum = |chip: &str| {
        let arrays = ChipSpec::preset(chip).unwrap().inventory();
        let injected = arrays.iter().filter(|a| a.injected_by_gpufi4());
        injected.map(|a| a.mebibytes()).sum::<f64>()
    };
    assert!((sum("rtx2060") - 18.5).abs() < 0.05, "{}", sum("rtx2060"));
    assert!((sum("gv100") - 47.0).abs() < 0.05, "{}", sum("gv100"));
}

#[test]
fn peak_bandwidth_is_what_the_makers_print() {
    // NVIDIA: 336 GB/s (RTX 2060), 870 GB/s (GV100), 288 GB/s (GTX Titan).
    for (chip, gb) in [("rtx2060", 336.0), ("gv100", 870.0), ("titan", 288.0)] {
        let peak = ChipSpec::preset(chip).unwrap().dram_bytes_per_second() / 1e9;
        assert!((peak / gb - 1.0).abs() < 0.01, "{chip}: {peak}");
    }
}

#[test]
fn h200_has_60_mib_of_l2() {
    let spec = ChipSpec::preset("h200").unwrap();
    assert_eq!(spec.row().l2_bytes, Some(60 << 20));
    assert_eq!(spec.shared_bytes(), 228 << 10);
}
