//! Data, tags and state of cache lines.

use upset_device::{Change, DevPtr, FunctionId};
use upset_state::{Access, Site};
use upset_testkit::asm::int::{self, Combine, Compare};
use upset_testkit::asm::memory::{Size, ldl, stl};
use upset_testkit::asm::{Code, P, PT, RZ, flow, moves};

use super::lab::*;

/// An L2 of 64 lines in one set, and a program that pushes everything out.
struct Small {
    lab: Lab,
    sweep: FunctionId,
    crowd: DevPtr,
}

fn small() -> Small {
    let mut lab = Lab::new(&ONE_SET);
    let sweep = lab.kernel(&[load(X, FIRST)]);
    let crowd = lab.buffer(&ramp(256 * WORDS, 1));
    Small { lab, sweep, crowd }
}

impl Small {
    /// Reads four times what L2 holds.
    fn sweep(&mut self) {
        self.lab.run(self.sweep, 256, &[self.crowd]);
    }
}

#[test]
fn a_flip_in_a_dirty_l2_line_reaches_dram_on_eviction_and_then_the_host() {
    let mut s = small();
    let out = s.lab.buffer(&[0; WORDS]);
    let program = s.lab.kernel(&fill(0x1111));
    s.lab.run(program, 1, &[out, out]);
    let line = s.lab.line("l2", out.0);
    assert!(line.dirty());
    s.lab.flip(line.data(32 * 5 + 3));
    let dram = s.lab.dram(out, 32 * 5 + 3);
    assert!(!s.lab.read(dram), "memory has not seen the store");
    s.sweep();
    assert!(s.lab.lines("l2", out.0).is_empty(), "the line has left");
    assert!(s.lab.read(dram), "and took the flipped bit along");
    let values = s.lab.words(out, WORDS);
    assert_eq!(values[5], 0x1111 ^ 8);
    assert!(values.iter().enumerate().all(|(i, &v)| i == 5 || v == 0x1111));
}

#[test]
fn a_flip_in_a_clean_l2_line_vanishes_with_its_eviction() {
    let mut s = small();
    let from = s.lab.buffer(&ramp(WORDS, 3));
    let out = s.lab.buffer(&[0; WORDS]);
    let program = s.lab.kernel(&copy());
    s.lab.run(program, 1, &[from, out]);
    let line = s.lab.line("l2", from.0);
    assert!(!line.dirty());
    s.lab.flip(line.data(32 * 7));
    assert_eq!(s.lab.words(from, WORDS)[7], 21 ^ 1, "the cache answers while it has the line");
    s.sweep();
    assert!(s.lab.lines("l2", from.0).is_empty());
    assert_eq!(s.lab.words(from, WORDS), ramp(WORDS, 3));
}

#[test]
fn an_l2_tag_flip_hits_wrongly_and_writes_back_to_the_wrong_address() {
    let mut s = small();
    let mut two = s.lab.buffer(&[0; 2 * WORDS]).0;
    two += two & 128;
    let (there, other) = (DevPtr(two), DevPtr(two + 128));
    let program = s.lab.kernel(&fill(77));
    s.sweep();
    s.lab.run(program, 1, &[there, there]);
    let line = s.lab.line("l2", there.0);
    // Bit 0 of the tag: the line answers for its neighbour from now on.
    s.lab.flip(line.tag(0));
    let reader = s.lab.kernel(&copy());
    let out = s.lab.buffer(&[0; WORDS]);
    s.lab.run(reader, 1, &[other, out]);
    assert_eq!(s.lab.words(out, WORDS), [77; WORDS], "a program reads what belongs elsewhere");
    s.sweep();
    assert_eq!(s.lab.words(other, WORDS), [77; WORDS], "written back to where the tag says");
    assert_eq!(s.lab.words(there, WORDS), [0; WORDS], "and lost where it belonged");
    let bit = s.lab.dram(other, 0);
    assert!(s.lab.read(bit));
}

#[test]
fn an_l1d_tag_flip_hits_wrongly_or_misses() {
    let read_after = |bit: u64, which: usize| {
        let mut lab = Lab::new(&[]);
        let mut at = lab.buffer(&ramp(3 * WORDS, 1)).0;
        at += at & 128;
        let lines = [DevPtr(at), DevPtr(at + 128)];
        let value = |i: usize| lab_words(at, i);
        let out = lab.buffer(&[0; WORDS]);
        let program = lab.kernel(&copy());
        lab.run(program, 1, &[lines[0], out]);
        let line = lab.line("l1d", at);
        lab.flip(line.tag(bit));
        let before = misses(&lab);
        lab.run(program, 1, &[lines[which], out]);
        (lab.words(out, WORDS), misses(&lab) - before, value(0), value(1))
    };
    // The line answers for its neighbour: no miss, and the wrong data.
    let (values, missed, first, second) = read_after(0, 1);
    assert_eq!((values, missed), (first.clone(), 0));
    assert_ne!(first, second);
    // It is lost for its own address: fetched again, right and later.
    let (values, missed, first, _) = read_after(0, 0);
    assert_eq!((values, missed), (first, 1));
}

/// What the line `i` lines after `at` holds, of a ramp over a buffer that
/// begins at a multiple of 512.
fn lab_words(at: u64, i: usize) -> Vec<u32> {
    let first = (at % 512 / 4) as u32 + 32 * i as u32;
    (first..first + 32).collect()
}

fn misses(lab: &Lab) -> u64 {
    lab.device.stats().timing().expect("counters").cores.l1d.misses
}

#[test]
fn a_tag_flip_of_a_dirty_l1d_line_loses_what_a_thread_stored() {
    // Local memory is written back: the only copy is in the line.
    let body = [
        // The line is there before the store, which would else go below.
        ldl(Y, RZ, 0, Size::Word),
        moves::mov(X, 41),
        stl(RZ, 0, X, Size::Word),
        // Time for a fault.
        flow::bar_sync(0),
        ldl(Y, RZ, 0, Size::Word),
        store(SECOND, Y),
    ];
    let run = |fault: bool| {
        let mut lab = Lab::new(&[]);
        let program = lab.kernel_with(&body, |k| k.stack_bytes = 16);
        let out = lab.buffer(&[0; WORDS]);
        if fault {
            let (cycle, row) = first_local_write(&body);
            let width = 57;
            let tag = lab.site("l1d:sm0.set0.way0.tag.bit0");
            let site = Site { bit: u64::from(row) * width + 3, ..tag };
            lab.device.plan(cycle + 1, Change::Flip(site));
        }
        lab.run(program, 1, &[out, out]);
        lab.words(out, WORDS)
    };
    assert_eq!(run(false), [41; WORDS]);
    assert_eq!(run(true), [0; WORDS], "memory never saw the store");
}

/// Cycle and row of the first store into the data cache.
fn first_local_write(body: &[Code]) -> (u64, u32) {
    let mut lab = Lab::new(&[]);
    let program = lab.kernel_with(body, |k| k.stack_bytes = 16);
    let out = lab.buffer(&[0; WORDS]);
    let l1d = lab.site("l1d:sm0.set0.way0.data.bit0").array;
    let seen = lab.observe();
    lab.run(program, 1, &[out, out]);
    let seen = seen.lock().unwrap();
    let write = seen.iter().find(|e| e.array == l1d && e.access == Access::Write);
    let write = write.expect("a store to local memory stays in L1D");
    (write.cycle, write.row)
}

#[test]
fn a_lost_valid_bit_loses_a_dirty_line() {
    let mut s = small();
    let out = s.lab.buffer(&[5; WORDS]);
    let program = s.lab.kernel(&fill(6));
    s.lab.run(program, 1, &[out, out]);
    let line = s.lab.line("l2", out.0);
    // The second sector: eight words.
    s.lab.flip(line.state(1));
    let mut expected = vec![6; WORDS];
    expected[8..16].fill(5);
    assert_eq!(s.lab.words(out, WORDS), expected);
}

#[test]
fn a_lost_dirty_bit_loses_the_write_back() {
    let mut s = small();
    let out = s.lab.buffer(&[5; WORDS]);
    let program = s.lab.kernel(&fill(6));
    s.lab.run(program, 1, &[out, out]);
    let line = s.lab.line("l2", out.0);
    s.lab.flip(line.state(4 + 2));
    assert_eq!(s.lab.words(out, WORDS), [6; WORDS], "the line still answers");
    s.sweep();
    let mut expected = vec![6; WORDS];
    expected[16..24].fill(5);
    assert_eq!(s.lab.words(out, WORDS), expected, "but the sector was not written back");
}

#[test]
fn a_gained_valid_bit_shows_what_the_row_last_held() {
    let mut s = small();
    let from = s.lab.buffer(&ramp(WORDS, 1));
    let out = s.lab.buffer(&[0; WORDS]);
    s.sweep();
    // Eight threads read one sector; the others are not fetched.
    let first = P::new(0);
    let only = s.lab.kernel(&[
        int::isetp(first, Compare::Lt, false, ID, 8, Combine::And, PT),
        load(X, FIRST).guard(first),
        store(SECOND, X).guard(first),
    ]);
    s.lab.run(only, 1, &[from, out]);
    let line = s.lab.line("l2", from.0);
    assert_eq!(line.state & 15, 1);
    s.lab.flip(line.state(1));
    let seen = s.lab.words(from, WORDS);
    assert_eq!(seen[..8], ramp(WORDS, 1)[..8]);
    assert_ne!(seen[8..16], ramp(WORDS, 1)[8..16], "stale bytes pass for the line's");
    assert_eq!(seen[16..], ramp(WORDS, 1)[16..]);
}

#[test]
fn a_flip_in_a_line_that_is_filled_again_vanishes() {
    let mut lab = Lab::new(&["cache.l1d.ways=4"]);
    let from = lab.buffer(&ramp(WORDS, 9));
    let crowd = lab.buffer(&ramp(64 * WORDS, 1));
    let out = lab.buffer(&[0; WORDS]);
    let program = lab.kernel(&copy());
    let sweep = lab.kernel(&[load(X, FIRST)]);
    lab.run(program, 1, &[from, out]);
    let line = lab.line("l1d", from.0);
    lab.flip(line.data(32 * 3 + 1));
    lab.run(program, 1, &[from, out]);
    assert_eq!(lab.words(out, WORDS)[3], 27 ^ 2, "while it is there, programs read it");
    lab.run(sweep, 64, &[crowd]);
    lab.run(program, 1, &[from, out]);
    assert_eq!(lab.words(out, WORDS), ramp(WORDS, 9));
}

#[test]
fn a_flip_in_an_l2_line_that_a_program_overwrites_vanishes() {
    let mut s = small();
    let out = s.lab.buffer(&[0; WORDS]);
    let program = s.lab.kernel(&fill(12));
    s.lab.run(program, 1, &[out, out]);
    let line = s.lab.line("l2", out.0);
    s.lab.flip(line.data(40));
    s.lab.run(program, 1, &[out, out]);
    assert_eq!(s.lab.words(out, WORDS), [12; WORDS]);
}

#[test]
fn a_flip_in_an_l2_line_reaches_the_first_level_with_the_fill() {
    let mut lab = Lab::new(&[]);
    let from = lab.buffer(&ramp(WORDS, 5));
    let out = lab.buffer(&[0; WORDS]);
    let program = lab.kernel(&copy());
    // The upload left the line in L2.
    let line = lab.line("l2", from.0);
    lab.flip(line.data(32 * 2 + 4));
    lab.run(program, 1, &[from, out]);
    assert_eq!(lab.words(out, WORDS)[2], 10 ^ 16);
    let copy = lab.line("l1d", from.0);
    let there = lab.read(copy.data(32 * 2 + 4));
    assert_eq!(there, (10u32 ^ 16) >> 4 & 1 == 1, "both levels hold the wrong bit");
}

#[test]
fn a_flip_in_l1d_stays_above() {
    let mut lab = Lab::new(&[]);
    let from = lab.buffer(&ramp(WORDS, 5));
    let out = lab.buffer(&[0; WORDS]);
    let program = lab.kernel(&copy());
    lab.run(program, 1, &[from, out]);
    let line = lab.line("l1d", from.0);
    lab.flip(line.data(32 * 6));
    lab.run(program, 1, &[from, out]);
    assert_eq!(lab.words(out, WORDS)[6], 30 ^ 1, "a program sees it");
    assert_eq!(lab.words(from, WORDS), ramp(WORDS, 5), "the host does not: copies go through L2");
}
