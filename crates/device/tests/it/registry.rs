//! The registry of real machines: what it counts and how its bits are named.

use std::collections::BTreeSet;

use upset_chip::{ChipSpec, PRESETS};
use upset_device::{Device, Machine};
use upset_mem::Segment;
use upset_state::{Kind, Layout, Part, Registry, Site};

fn chip(preset: &str) -> ChipSpec {
    ChipSpec::preset(preset).expect("a preset")
}

/// A device with global and local memory in use.
fn device(preset: &str) -> Device {
    let mut device = Device::timed(&chip(preset)).expect("a device");
    device.malloc(1000).expect("room");
    let mem = machine(&mut device).mem_mut();
    mem.map_segment(0, Segment::Local, 0x10_0000_0000, 4096, &mut upset_state::Quiet);
    device
}

fn machine(device: &mut Device) -> &mut Machine {
    device.machine_mut().expect("timing mode")
}

/// SM or slice.
fn place(layout: &Layout) -> &str {
    layout.path.split('.').next().unwrap_or_default()
}

#[test]
fn the_chip_files_count_and_the_registrys_agree() {
    for preset in PRESETS {
        let chip = chip(preset.name);
        let registry = Registry::of(&mut Machine::new(&chip).expect("a machine"));
        for counted in chip.inventory() {
            let what = format!("{} of {}", counted.structure, preset.name);
            let kind = counted.structure.as_str();
            let of = |part: Part| {
                registry.arrays.iter().filter(move |l| l.kind == kind && l.id.part == part)
            };
            let bits = |part: Part| of(part).map(Layout::bits).sum::<u64>();
            assert_eq!(bits(Part::Data), counted.data_bits * counted.instances, "{what}: data");
            assert_eq!(bits(Part::Tag), counted.tag_bits * counted.instances, "{what}: tags");
            let places: BTreeSet<&str> = of(Part::Data).map(place).collect();
            assert_eq!(places.len() as u64, counted.instances, "{what}: instances");
        }
    }
}

#[test]
fn every_documented_structure_is_there() {
    let mut device = device("rtx2060");
    let registry = Registry::of(machine(&mut device));
    for kind in [
        "rf", "pred", "ureg", "upred", "smem", "lmem", "gmem", "l1d", "l1t", "l1c", "l1i", "l2",
        "ibuf", "pc", "mask", "conv", "sb", "bar", "wstate", "fma", "alu", "fp64", "mufu", "lsua",
        "lsud", "opnd", "sched", "div", "port",
    ] {
        assert!(registry.bits(kind) > 0, "{kind}");
    }
    // Volta has no uniform registers.
    let volta = Registry::of(&mut Machine::new(&chip("gv100")).expect("SMs"));
    assert_eq!(volta.bits("ureg") + volta.bits("upred"), 0);
}

#[test]
fn no_two_arrays_share_a_number_or_a_name() {
    let mut device = device("gv100");
    let registry = Registry::of(machine(&mut device));
    let numbers: BTreeSet<_> = registry.arrays.iter().map(|l| l.id).collect();
    assert_eq!(numbers.len(), registry.arrays.len());
    let names: BTreeSet<String> = registry.arrays.iter().map(|l| l.name(0)).collect();
    assert_eq!(names.len(), registry.arrays.len());
}

/// First, last and some bits between them.
fn some_bits(layout: &Layout) -> Vec<u64> {
    let n = layout.bits();
    let mut bits = vec![0, n - 1, n / 2, n / 3, n * 5 / 7];
    bits.dedup();
    bits
}

#[test]
fn names_of_all_arrays_find_their_bits() {
    for preset in ["rtx2060", "gv100", "h200"] {
        let mut device = device(preset);
        let registry = Registry::of(machine(&mut device));
        for layout in &registry.arrays {
            for bit in some_bits(layout) {
                let site = Site { array: layout.id, bit };
                let name = layout.name(bit);
                assert_eq!(Site::parse(&name, &registry), Ok(site), "{preset} {name}");
            }
        }
    }
}

#[test]
fn any_array_can_be_read_and_flipped() {
    let mut device = device("rtx2060");
    let registry = Registry::of(machine(&mut device));
    let mut seen = BTreeSet::new();
    for layout in &registry.arrays {
        // One array of each kind and part, at the end of the chip.
        let last = registry
            .arrays
            .iter()
            .rfind(|l| l.kind == layout.kind && l.id.part == layout.id.part)
            .expect("itself at least");
        if !seen.insert(last.id) {
            continue;
        }
        for bit in some_bits(last) {
            let site = Site { array: last.id, bit };
            let name = last.name(bit);
            let before = site.read(machine(&mut device));
            assert!(before.is_some(), "{name}");
            assert!(site.flip(machine(&mut device)), "{name}");
            // Wires hold nothing.
            let after = before.map(|b| !b && !last.id.kind.about().wire);
            assert_eq!(site.read(machine(&mut device)), after, "{name}");
            assert!(site.flip(machine(&mut device)), "{name}");
            assert_eq!(site.read(machine(&mut device)), before, "{name}");
        }
    }
    // Five caches of three parts, and everything else.
    assert_eq!(seen.len(), 5 * 3 + 24);
    assert!(seen.iter().any(|id| id.kind == Kind::Gmem));
}
