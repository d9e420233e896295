//! Bits that change: what follows is what the arrays say, and never a panic.

use upset_chip::ChipSpec;
use upset_mem::{AddressMap, LINE};
use upset_state::registry::with_array;
use upset_state::{Force, Probe, Quiet, Registry, Site, Watch};

use crate::machine::{LOCAL, LOCAL_BYTES, Machine, Rng, short, tiny};

/// A machine with one line written by SM 0 and dirty in L2; `before` was there.
fn dirty_line() -> (Machine, ChipSpec, u64) {
    let chip = ChipSpec::preset("rtx2060")
        .unwrap()
        .with(&["sm.count=1", "memory.copies_fill_l2=false"])
        .unwrap();
    let mut m = Machine::new(&chip, "l1d");
    let line = m.mem.global_mut().allocate(1 << 20).unwrap();
    m.mem.host_fill(0, line, 0x11, 1 << 20, &mut Quiet).unwrap();
    m.store(0, line, [0x22; 128], !0, false, &mut Quiet);
    m.drain(&mut Quiet, &mut Vec::new());
    (m, chip, line)
}

/// Name of a row's part in L2: the only row that is valid.
fn row_of(m: &mut Machine, chip: &ChipSpec, line: u64) -> String {
    let slice = AddressMap::new(chip).place(line).slice;
    let registry = Registry::of(m);
    let l2 = chip.cache("l2").unwrap();
    for set in 0..l2.sets {
        for way in 0..l2.ways {
            let row = format!("l2:slice{slice}.set{set}.way{way}");
            let site = Site::parse(&format!("{row}.state.bit0"), &registry).unwrap();
            if site.read(m) == Some(true) {
                return row;
            }
        }
    }
    panic!("no line");
}

fn flip(m: &mut Machine, name: &str) {
    let site = Site::parse(name, &Registry::of(m)).unwrap();
    assert!(site.flip(m), "{name}");
}

fn host(m: &mut Machine, addr: u64) -> [u8; 128] {
    let mut bytes = [0; 128];
    m.mem.host_read(m.now, addr, &mut bytes, &mut Quiet).unwrap();
    bytes
}

/// What an SM reads.
fn load(m: &mut Machine, addr: u64) -> [u8; 128] {
    if let Some(Ok(bytes)) = m.load(0, addr, !0, 1, false, &mut Quiet) {
        return bytes;
    }
    let mut done = Vec::new();
    m.drain(&mut Quiet, &mut done);
    done.pop().unwrap().bytes
}

#[test]
fn a_dirty_line_is_seen_by_host_and_memory_gets_it_when_it_leaves() {
    let (mut m, _, line) = dirty_line();
    assert_eq!(m.mem.global().read(line, 1).unwrap(), [0x11]);
    assert_eq!(host(&mut m, line), [0x22; 128]);
    m.mem.flush_l2(m.now, &mut Quiet);
    assert_eq!(m.mem.global().read(line, 128).unwrap(), [0x22; 128]);
}

#[test]
fn a_flipped_tag_moves_the_bytes_to_another_address() {
    let (mut m, chip, line) = dirty_line();
    let row = row_of(&mut m, &chip, line);
    // Address bit 7 + 5.
    flip(&mut m, &format!("{row}.tag.bit5"));
    let other = line ^ 1 << 12;
    assert_eq!(host(&mut m, line), [0x11; 128], "memory's old bytes");
    m.mem.flush_l2(m.now, &mut Quiet);
    assert_eq!(host(&mut m, other), [0x22; 128], "written where the tag says");
    assert_eq!(host(&mut m, line), [0x11; 128]);
}

#[test]
fn a_flipped_tag_that_names_no_memory_loses_the_bytes() {
    let (mut m, chip, line) = dirty_line();
    let row = row_of(&mut m, &chip, line);
    flip(&mut m, &format!("{row}.tag.bit56"));
    m.mem.flush_l2(m.now, &mut Quiet);
    assert_eq!(host(&mut m, line), [0x11; 128]);
}

#[test]
fn a_lost_dirty_bit_loses_the_sector() {
    let (mut m, chip, line) = dirty_line();
    let row = row_of(&mut m, &chip, line);
    // Four valid bits, then four dirty bits.
    flip(&mut m, &format!("{row}.state.bit6"));
    assert_eq!(host(&mut m, line), [0x22; 128]);
    m.mem.flush_l2(m.now, &mut Quiet);
    let bytes = host(&mut m, line);
    assert_eq!(bytes[..64], [0x22; 64]);
    assert_eq!(bytes[64..96], [0x11; 32]);
    assert_eq!(bytes[96..], [0x22; 32]);
}

#[test]
fn a_lost_valid_bit_fetches_the_sector_anew() {
    let (mut m, chip, line) = dirty_line();
    let row = row_of(&mut m, &chip, line);
    flip(&mut m, &format!("{row}.state.bit1"));
    let bytes = load(&mut m, line);
    assert_eq!(bytes[..32], [0x22; 32]);
    assert_eq!(bytes[32..64], [0x11; 32]);
}

#[test]
fn a_flipped_data_bit_is_read_and_written_back_or_forgotten() {
    let (mut m, chip, line) = dirty_line();
    let row = row_of(&mut m, &chip, line);
    flip(&mut m, &format!("{row}.data.bit801"));
    let mut expected = [0x22; 128];
    expected[100] ^= 2;
    assert_eq!(load(&mut m, line), expected);
    m.mem.flush_l2(m.now, &mut Quiet);
    assert_eq!(host(&mut m, line), expected);
    // Clean now: a flip goes away with the line.
    m.boundary(true, &mut Quiet);
    assert_eq!(load(&mut m, line), expected);
    let row = row_of(&mut m, &chip, line);
    flip(&mut m, &format!("{row}.data.bit0"));
    assert_eq!(host(&mut m, line)[0], 0x23);
    m.mem.flush_l2(m.now, &mut Quiet);
    assert_eq!(host(&mut m, line)[0], 0x22);
    assert_eq!(load(&mut m, line)[0], 0x22, "the first level has the good one");
}

#[test]
fn a_flip_in_memory_is_seen_when_it_is_fetched() {
    let (mut m, _, line) = dirty_line();
    flip(&mut m, "gmem:byte4096.bit3");
    assert_eq!(load(&mut m, line + 4096)[0], 0x19);
    m.mem.host_fill(m.now, LOCAL, 0, LOCAL_BYTES, &mut Quiet).unwrap();
    flip(&mut m, "lmem:byte7.bit0");
    assert_eq!(load(&mut m, LOCAL)[7], 1);
}

/// Random traffic; answers must come, whatever they say.
fn traffic<P: Probe>(m: &mut Machine, rng: &mut Rng, flips: bool, p: &mut P) {
    let registry = Registry::of(m);
    let lines = 40;
    let base = upset_state::memory::BASE;
    let (mut waiting, mut done) = (0u64, Vec::new());
    for i in 0..1500u32 {
        for _ in 0..rng.below(5) {
            let sm = rng.below(3) as usize;
            let local = rng.chance(30);
            let start = if local { LOCAL } else { base };
            let line = start + rng.below(if local { LOCAL_BYTES / LINE } else { lines }) * LINE;
            let bytes = (u128::from(rng.next()) << 64 | u128::from(rng.next())).max(1);
            match rng.below(8) {
                0..4 => {
                    let got = m.load(sm, line, bytes, i, rng.chance(10), p);
                    waiting += u64::from(matches!(got, Some(Err(()))));
                }
                4..7 => m.store(sm, line, [i as u8; 128], bytes, local, p),
                _ if !local => {
                    let offset = rng.below(32) as u8 * 4;
                    let lane = upset_mem::LaneOp { offset, b: 1, ..Default::default() };
                    let returns = rng.chance(50);
                    waiting += u64::from(returns);
                    m.atomic(sm, line, vec![lane], returns, i, p);
                }
                _ => {}
            }
        }
        if flips {
            for _ in 0..rng.below(8) {
                let layout = &registry.arrays[rng.below(registry.arrays.len() as u64) as usize];
                let bit = rng.below(layout.bits());
                with_array(m, layout.id, |b| b.flip(bit)).unwrap();
            }
        }
        m.step(p, &mut done);
        if rng.chance(1) {
            let mut out = vec![0; 1000];
            m.mem.host_read(m.now, base + 77, &mut out, p).unwrap();
            m.mem.host_write(m.now, base + 99, &out, p).unwrap();
            m.boundary(rng.chance(50), p);
        }
    }
    m.drain(p, &mut done);
    assert_eq!(done.len() as u64, waiting);
}

fn chips() -> Vec<ChipSpec> {
    vec![
        tiny("rtx2060", &["l1d.ways=4"]),
        tiny("rtx2060", &["l1d.ways=20", "l2.ways=17"]),
        tiny("h200", &["l1d.sets=2", "l1d.ways=3"]),
        tiny("rtx2060", &["l1d.ways=4", "l2.tag_bits=9", "l1d.tag_bits=7"]),
        tiny("rtx2060", &["l1d.ways=4", "l2.write=write-evict", "l2.write_allocate=none"]),
        short("rtx2060", 32, &["l1d.ways=4", "l2.tag_bits=9"]),
        short("h200", 64, &["l1d.sets=2", "l1d.ways=3"]),
        tiny("hd7970", &["l1v.sets=2", "l1v.ways=2"]),
    ]
}

fn machine(chip: &ChipSpec) -> Machine {
    let mut m = Machine::new(chip, if chip.sm().is_ok() { "l1d" } else { "l1v" });
    m.mem.global_mut().allocate(40 * LINE).unwrap();
    m
}

#[test]
fn random_flips_never_panic_and_every_load_is_answered() {
    for chip in chips() {
        for seed in 0..6 {
            traffic(&mut machine(&chip), &mut Rng(seed), true, &mut Quiet);
        }
    }
}

#[test]
fn stuck_bits_never_panic_and_every_load_is_answered() {
    for chip in chips() {
        for seed in 0..2 {
            let mut rng = Rng(seed);
            let mut m = machine(&chip);
            let registry = Registry::of(&mut m);
            let mut watch = Watch::default();
            for _ in 0..100 {
                let layout = &registry.arrays[rng.below(registry.arrays.len() as u64) as usize];
                let (array, bit) = (layout.id, rng.below(layout.bits()));
                let value = rng.chance(50);
                watch.held.hold(Force { array, bit, value });
                with_array(&mut m, array, |b| b.set(bit, value)).unwrap();
            }
            // Some lines can never be valid.
            for layout in registry.arrays.iter().filter(|l| l.kind == "l2").take(3) {
                if layout.id.part == upset_state::Part::State {
                    for bit in 0..layout.bits() {
                        watch.held.hold(Force { array: layout.id, bit, value: false });
                    }
                }
            }
            traffic(&mut m, &mut rng, false, &mut watch);
        }
    }
}

#[test]
fn held_bits_are_never_seen_at_another_value() {
    let chip = tiny("rtx2060", &["l1d.ways=4"]);
    let mut m = machine(&chip);
    let registry = Registry::of(&mut m);
    let mut rng = Rng(5);
    let mut watch = Watch::default();
    for layout in registry.arrays.iter().filter(|l| l.kind != "gmem" && l.kind != "lmem") {
        let bit = rng.below(layout.bits());
        watch.held.hold(Force { array: layout.id, bit, value: true });
        with_array(&mut m, layout.id, |b| b.set(bit, true)).unwrap();
    }
    traffic(&mut m, &mut rng, false, &mut watch);
    for force in watch.held.forces() {
        assert_eq!(with_array(&mut m, force.array, |b| b.get(force.bit)), Some(true), "{force:?}");
    }
}

#[test]
fn a_line_s_life_is_told_in_order() {
    use std::sync::{Arc, Mutex};
    use upset_state::{Access, Extent, Kind};
    let chip = ChipSpec::preset("rtx2060").unwrap().with(&["sm.count=1"]).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let mut watch = Watch::observe(move |e| log.lock().unwrap().push(*e));
    let mut m = Machine::new(&chip, "l1d");
    let line = m.mem.global_mut().allocate(128).unwrap();
    let sector = 0xffff_ffff_u128 << 32;
    m.load(0, line, sector, 1, false, &mut watch);
    m.drain(&mut watch, &mut Vec::new());
    m.store(0, line, [7; 128], 0xf << 32, false, &mut watch);
    m.drain(&mut watch, &mut Vec::new());
    let mut out = [0; 128];
    m.mem.host_read(m.now, line, &mut out, &mut watch).unwrap();
    m.mem.flush_l2(m.now, &mut watch);
    let index = |name| chip.caches.iter().position(|c| c.name == name).unwrap() as u8;
    let (l1d, l2) = (Kind::Cache(index("l1d")), Kind::Cache(index("l2")));
    let story: Vec<_> = seen
        .lock()
        .unwrap()
        .iter()
        .map(|e| match e.extent {
            Extent::Bytes(bytes) => (e.array.kind, e.access, bytes.count_ones()),
            other => panic!("{other:?}"),
        })
        .collect();
    use Access::*;
    assert_eq!(
        story,
        [
            (l2, Allocate, 128),
            (Kind::Gmem, Read, 32),
            (l2, Fill, 32),
            (l2, Read, 32),
            (l1d, Allocate, 128),
            (l1d, Fill, 32),
            (l1d, Read, 32),
            (l1d, Evict, 32),
            (l2, Write, 4),
            (Kind::Gmem, CopyOut, 96),
            (l2, CopyOut, 32),
            (l2, WriteBack, 32),
            (Kind::Gmem, Write, 32),
            (l2, Evict, 32),
        ]
    );
    let cycles: Vec<u64> = seen.lock().unwrap().iter().map(|e| e.cycle).collect();
    assert!(cycles.is_sorted());
}
