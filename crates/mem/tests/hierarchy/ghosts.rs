//! A ghost that never left is the faulty run: it reads what is read where the
//! bit was flipped, and memory holds for it in the end what it holds there.

use upset_chip::ChipSpec;
use upset_mem::{LINE, LaneOp};
use upset_state::registry::with_array;
use upset_state::words::apply_words;
use upset_state::{Haunted, Kind, Part, Place, Probe, Quiet, Registry};

use crate::machine::{Machine, Rng, short, tiny};

const LINES: u64 = 6;

/// Number of an access, the bytes that it read, and the values it returned.
type Seen = (u32, Vec<u8>, Vec<u64>);

/// Traffic that depends on the seed alone, never on what is read; gives back
/// what was.
fn traffic<P: Probe>(
    m: &mut Machine,
    base: u64,
    l2_line: u64,
    rng: &mut Rng,
    p: &mut P,
) -> Vec<Seen> {
    let mut done = Vec::new();
    let (mut masks, mut seen) = (Vec::new(), Vec::new());
    let of = |bytes: &[u8; 128], mask: u128| {
        (0..128).filter(|i| mask >> i & 1 == 1).map(|i| bytes[i]).collect::<Vec<u8>>()
    };
    for i in 0..150u32 {
        let sm = rng.below(3) as usize;
        let line = base + rng.below(LINES) * LINE;
        let bytes = 0xffff_u128 << (16 * rng.below(8));
        let first = rng.below(LINE / l2_line) * l2_line;
        let at = first + rng.below(l2_line / 4) * 4;
        match rng.below(8) {
            0..2 => {
                if let Some(Ok(got)) = m.load(sm, line, bytes, i, rng.chance(20), p) {
                    seen.push((i, of(&got, bytes), vec![]));
                }
                masks.push((i, bytes));
            }
            2 => m.store(sm, line, [i as u8; 128], 0xff << (8 * rng.below(16)), false, p),
            3..6 => {
                let lane = LaneOp { offset: at as u8, b: 3, ..LaneOp::default() };
                m.atomic(sm, line, vec![lane], rng.chance(50), i, p);
            }
            6 if rng.chance(10) => {
                let len = 1 + rng.below(200);
                m.mem.host_fill(m.now, base + rng.below(500), i as u8, len, p).unwrap();
            }
            _ if rng.chance(10) => m.mem.flush_l2(m.now, p),
            _ => {}
        }
        if rng.chance(60) {
            m.step(p, &mut done);
        }
    }
    m.drain(p, &mut done);
    m.boundary(true, p);
    m.drain(p, &mut done);
    m.mem.flush_l2(m.now, p);
    seen.extend(done.iter().map(|d| {
        let mask = masks.iter().find(|(i, _)| *i == d.waiter).map_or(0, |(_, mask)| *mask);
        (d.waiter, of(&d.bytes, mask), d.lanes.iter().map(|l| l.old).collect())
    }));
    seen
}

fn start(chip: &ChipSpec, seed: u64) -> (Machine, u64, Rng) {
    let mut m = Machine::new(chip, if chip.sm().is_ok() { "l1d" } else { "l1v" });
    let base = m.mem.global_mut().allocate(LINES * LINE).unwrap();
    m.mem.host_fill(0, base, 0x5a, LINES * LINE, &mut Quiet).unwrap();
    let mut rng = Rng(seed);
    let l2_line = chip.cache("l2").unwrap().line_bytes.into();
    traffic(&mut m, base, l2_line, &mut rng, &mut Quiet);
    // Something to be struck in all caches.
    let mut done = Vec::new();
    for sm in 0..3 {
        for line in 0..4 {
            let line = base + (line * 5 + sm) % LINES * LINE;
            m.load(sm as usize, line, 0xffff << 48, 1000, false, &mut Quiet);
            m.store(sm as usize, line + LINE, [9; 128], 0xff << 64, false, &mut Quiet);
        }
    }
    m.drain(&mut Quiet, &mut done);
    (m, base, rng)
}

/// Strikes a bit of a data array, as a ghost and in truth; says whether the
/// ghost stayed and whether it ended in memory.
fn same_end(chip: &ChipSpec, seed: u64) -> (bool, bool) {
    let l2_line = chip.cache("l2").unwrap().line_bytes.into();
    let (mut plain, base, mut rng) = start(chip, seed);
    let registry = Registry::of(&mut plain);
    let struck = |l: &&upset_state::Layout| l.id.part == Part::Data && l.kind != "lmem";
    let arrays: Vec<_> = registry.arrays.iter().filter(struck).collect();
    let layout = arrays[rng.below(arrays.len() as u64) as usize];
    let bit = match layout.id.kind {
        Kind::Gmem => rng.below(LINES * LINE * 8),
        _ => rng.below(layout.bits()),
    };
    let mut faulty = plain.clone();
    with_array(&mut faulty, layout.id, |b| b.flip(bit)).unwrap();
    let mut haunted = Haunted::default();
    let ghost = haunted.ghosts.add(0, Vec::new());
    haunted.ghosts.next_due(0).expect("due");
    let row_bits = match layout.id.kind {
        Kind::Gmem => LINE * 8,
        _ => layout.axes.last().unwrap().size,
    };
    let (place, words) = match layout.id.kind {
        Kind::Gmem => {
            let (_, words) = Place::of_bit(layout.id, row_bits, bit);
            (Place::memory(plain.mem.address_of(layout.id, bit / 8).unwrap()), words)
        }
        _ => Place::of_bit(layout.id, row_bits, bit),
    };
    haunted.ghosts.put(place, ghost, &words);
    plain.ghost = Some(ghost);
    let by_ghost = traffic(&mut plain, base, l2_line, &mut rng.clone(), &mut haunted);
    let in_truth = traffic(&mut faulty, base, l2_line, &mut rng, &mut Quiet);
    if !haunted.ghosts.is_followed(ghost) {
        return (false, false);
    }
    assert_eq!(by_ghost, in_truth, "{} bit {bit}, seed {seed}", layout.kind);
    let mut seen = false;
    for line in (base..base + LINES * LINE).step_by(LINE as usize) {
        let mut bytes = plain.mem.global().read(line, LINE as usize).unwrap().to_vec();
        if let Some(words) = haunted.ghosts.of_ghost(Place::memory(line), ghost) {
            seen = true;
            apply_words(words, &mut bytes);
        }
        let truth = faulty.mem.global().read(line, LINE as usize).unwrap();
        assert_eq!(bytes, truth, "{} bit {bit}, seed {seed}, line {line:#x}", layout.kind);
    }
    (true, seen)
}

#[test]
fn a_ghost_that_stayed_is_the_faulty_run() {
    let chips = [
        tiny("rtx2060", &["l1d.ways=4"]),
        tiny("h200", &["l1d.sets=2", "l1d.ways=3"]),
        short("rtx2060", 32, &["l1d.ways=4"]),
        short("h200", 64, &["l1d.sets=2", "l1d.ways=3"]),
        short("h200", 64, &["l1d.ways=4", "l2.write=write-through"]),
        short("rtx2060", 64, &["l1d.ways=4", "l2.write=write-evict", "l2.write_allocate=none"]),
        tiny("hd7970", &["l1v.sets=2", "l1v.ways=2"]),
    ];
    for (i, chip) in chips.iter().enumerate() {
        let ends: Vec<_> = (0..400).map(|seed| same_end(chip, seed)).collect();
        let count = |which: fn(&(bool, bool)) -> bool| ends.iter().filter(|e| which(e)).count();
        assert!(count(|e| e.0) > 250, "chip {i}: {} stayed", count(|e| e.0));
        assert!(count(|e| e.1) > 5, "chip {i}: {} seen", count(|e| e.1));
    }
}
