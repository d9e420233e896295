//! Values: what each SM sees of its own bytes is what it did, in its order,
//! and in the end memory is what all did together.

use upset_chip::ChipSpec;
use upset_mem::{LaneOp, WriteData};
use upset_state::{Probe, Quiet, Watch};

use crate::machine::{Done, LOCAL, LOCAL_BYTES, Machine, Rng, short, tiny};

/// Global bytes: those of an SM lie between those of others, 8 at a time.
const BYTES: u64 = 6144;

struct Test<'a, P> {
    m: Machine,
    rng: Rng,
    global: u64,
    /// Counters that all SMs update.
    shared: u64,
    flat: Vec<u8>,
    local: Vec<u8>,
    sums: [u32; 32],
    waiting: Vec<(u32, Wanted)>,
    next: u32,
    /// Whether the cache takes stores.
    stores: bool,
    line: u64,
    /// Bytes of a line of L2.
    l2_line: u64,
    p: &'a mut P,
}

enum Wanted {
    Bytes(u128, [u8; 128]),
    Old(Vec<u64>),
    Nothing,
}

impl<P: Probe> Test<'_, P> {
    fn new<'a>(chip: &ChipSpec, cache: &str, seed: u64, p: &'a mut P) -> Test<'a, P> {
        let mut m = Machine::new(chip, cache);
        let global = m.mem.global_mut().allocate(BYTES).unwrap();
        let shared = m.mem.global_mut().allocate(128).unwrap();
        Test {
            line: u64::from(m.l1[0].line_bytes()),
            l2_line: chip.cache("l2").unwrap().line_bytes.into(),
            m,
            rng: Rng(seed),
            global,
            shared,
            flat: vec![0; BYTES as usize],
            local: vec![0; LOCAL_BYTES as usize],
            sums: [0; 32],
            waiting: Vec::new(),
            next: 0,
            stores: true,
            p,
        }
    }

    /// Bytes of a line that belong to an SM; local memory is shared out by sectors.
    fn own(&self, sm: usize, offset: u64, local: bool) -> u128 {
        let grain = if local { 32 } else { 8 };
        (0..128).filter(|i| (offset + i) / grain % 3 == sm as u64).fold(0, |m, i| m | 1 << i)
    }

    fn token(&mut self, wanted: Wanted) -> u32 {
        self.next += 1;
        self.waiting.push((self.next, wanted));
        self.next
    }

    fn some_bytes(&mut self) -> u128 {
        match self.rng.below(4) {
            0 => !0,
            1 => 0xffff_ffff << (32 * self.rng.below(4)),
            2 => 0xff << (8 * self.rng.below(16)),
            _ => {
                let (a, b) = (u128::from(self.rng.next()), u128::from(self.rng.next()));
                a << 64 | b
            }
        }
    }

    fn act(&mut self) {
        let sm = self.rng.below(3) as usize;
        let local = self.rng.chance(30);
        let lines = if local { LOCAL_BYTES } else { BYTES } / 128;
        let offset = self.rng.below(lines) * 128;
        let line = if local { LOCAL } else { self.global } + offset;
        let mut bytes = self.own(sm, offset, local) & self.some_bytes();
        if bytes == 0 {
            return;
        }
        match self.rng.below(10) {
            0..5 => {
                // The bytes of one load lie in one line of the cache.
                let first = u64::from(bytes.trailing_zeros()) / self.line * self.line;
                if self.line < 128 {
                    bytes &= ((1 << self.line) - 1) << first;
                }
                let flat = if local { &self.local } else { &self.flat };
                let mut expected = [0; 128];
                expected.copy_from_slice(&flat[offset as usize..offset as usize + 128]);
                let bypass = self.rng.chance(10);
                let token = self.token(Wanted::Bytes(bytes, expected));
                match self.m.load(sm, line, bytes, token, bypass, self.p) {
                    Some(Ok(got)) => {
                        let wanted = self.waiting.pop().unwrap().1;
                        check(&wanted, &got, &[]);
                    }
                    Some(Err(())) => {}
                    None => {
                        self.waiting.pop();
                    }
                }
            }
            5..8 if self.stores => {
                let mut data = [0; 128];
                data.iter_mut().for_each(|b| *b = self.rng.next() as u8);
                let flat = if local { &mut self.local } else { &mut self.flat };
                for i in (0..128).filter(|i| bytes >> i & 1 == 1) {
                    flat[offset as usize + i] = data[i];
                }
                if local || self.rng.chance(70) {
                    self.m.store(sm, line, data, bytes, local, self.p);
                    return;
                }
                self.next += 1;
                let token = self.next;
                let times = self.m.store_acknowledged(sm, line, data, bytes, token, self.p);
                self.waiting.extend((0..times).map(|_| (token, Wanted::Nothing)));
            }
            8 if !local => {
                let mut lanes = Vec::new();
                let mut old = Vec::new();
                // The lanes of an atomic lie in one line of L2.
                let first = self.rng.below(128 / self.l2_line) * self.l2_line;
                for lane in 0..1 + self.rng.below(4) {
                    let at = first + self.rng.below(self.l2_line / 4) * 4;
                    if self.own(sm, offset, false) >> at & 1 == 0 {
                        continue;
                    }
                    let b = self.rng.next();
                    let place = (offset + at) as usize;
                    let word = &mut self.flat[place..place + 4];
                    let before = u32::from_le_bytes(word.try_into().unwrap());
                    word.copy_from_slice(&before.wrapping_add(b as u32).to_le_bytes());
                    old.push(u64::from(before));
                    lanes.push(LaneOp { lane: lane as u8, offset: at as u8, b, c: 0, old: 0 });
                }
                if !lanes.is_empty() {
                    self.atomic(sm, line, lanes, Wanted::Old(old));
                }
            }
            9 => {
                let at = self.rng.below(32);
                let b = self.rng.below(100);
                self.sums[at as usize] += b as u32;
                let lanes = vec![LaneOp { lane: 0, offset: at as u8 * 4, b, c: 0, old: 0 }];
                self.atomic(sm, self.shared, lanes, Wanted::Nothing);
            }
            _ => {}
        }
    }

    fn atomic(&mut self, sm: usize, line: u64, lanes: Vec<LaneOp>, wanted: Wanted) {
        let returns = self.rng.chance(50);
        let token = if returns { self.token(wanted) } else { 0 };
        self.m.atomic(sm, line, lanes, returns, token, self.p);
    }

    fn finish(&mut self, done: &mut Vec<Done>) {
        for d in done.drain(..) {
            let at = self.waiting.iter().position(|(t, _)| *t == d.waiter).expect("known");
            let (_, wanted) = self.waiting.remove(at);
            check(&wanted, &d.bytes, &d.lanes);
        }
    }

    fn host(&mut self) {
        let mut done = Vec::new();
        self.m.drain(self.p, &mut done);
        self.finish(&mut done);
        let at = self.rng.below(BYTES);
        let len = self.rng.below(BYTES - at) + 1;
        let range = at as usize..(at + len) as usize;
        match self.rng.below(4) {
            0 => {
                self.rng.next();
                let data: Vec<u8> = (0..len).map(|_| self.rng.next() as u8).collect();
                self.m.mem.host_write(self.m.now, self.global + at, &data, self.p).unwrap();
                self.flat[range].copy_from_slice(&data);
            }
            1 => {
                let v = self.rng.next() as u8;
                self.m.mem.host_fill(self.m.now, self.global + at, v, len, self.p).unwrap();
                self.flat[range].fill(v);
            }
            2 => self.m.mem.flush_l2(self.m.now, self.p),
            _ => self.compare(at, len),
        }
        let everything = self.rng.chance(20);
        self.m.boundary(everything, self.p);
    }

    fn compare(&mut self, at: u64, len: u64) {
        let mut got = vec![0; len as usize];
        self.m.mem.host_read(self.m.now, self.global + at, &mut got, self.p).unwrap();
        assert_eq!(got, self.flat[at as usize..(at + len) as usize]);
    }

    fn run(&mut self, actions: u32) {
        let mut done = Vec::new();
        for _ in 0..actions {
            for _ in 0..self.rng.below(6) {
                self.act();
            }
            if self.rng.chance(70) {
                self.m.step(self.p, &mut done);
            } else if self.rng.chance(50) {
                self.m.now += self.rng.below(30);
                self.m.pump(self.p, &mut done);
            }
            self.finish(&mut done);
            if self.rng.chance(1) {
                self.host();
            }
        }
        self.m.drain(self.p, &mut done);
        self.m.boundary(true, self.p);
        self.m.drain(self.p, &mut done);
        self.finish(&mut done);
        assert!(self.waiting.is_empty());
        (0..3).for_each(|sm| assert_eq!(self.m.mem.outstanding_writes(sm, u64::MAX), 0));
        for _ in 0..2 {
            self.compare(0, BYTES);
            let mut sums = [0; 128];
            self.m.mem.host_read(self.m.now, self.shared, &mut sums, self.p).unwrap();
            let words = sums.chunks(4).map(|w| u32::from_le_bytes(w.try_into().unwrap()));
            assert!(words.eq(self.sums));
            let mut local = vec![0; LOCAL_BYTES as usize];
            self.m.mem.host_read(self.m.now, LOCAL, &mut local, self.p).unwrap();
            assert_eq!(local, self.local);
            self.m.mem.flush_l2(self.m.now, self.p);
        }
        let flat = &self.flat;
        let mut now = vec![0; BYTES as usize];
        self.m.mem.global().copy_out(self.global, &mut now).unwrap();
        assert_eq!(&now, flat);
    }
}

fn check(wanted: &Wanted, got: &[u8; 128], lanes: &[LaneOp]) {
    match wanted {
        Wanted::Bytes(mask, expected) => {
            for i in (0..128).filter(|i| mask >> i & 1 == 1) {
                assert_eq!(got[i], expected[i], "byte {i} of {mask:x}");
            }
        }
        Wanted::Old(old) => {
            let got: Vec<u64> = lanes.iter().map(|l| l.old).collect();
            assert_eq!(&got, old);
        }
        Wanted::Nothing => {}
    }
}

fn all(base: &str, cache: &str, extra: &[&str]) {
    every_seed(&tiny(base, extra), cache);
}

fn every_seed(chip: &ChipSpec, cache: &str) {
    for seed in 0..12 {
        Test::new(chip, cache, seed, &mut Quiet).run(600);
    }
    // A watched machine does the same.
    let mut watch = Watch::observe(|_| {});
    Test::new(chip, cache, 99, &mut watch).run(600);
}

#[test]
fn write_evict_with_local_write_back() {
    all("rtx2060", "l1d", &["l1d.ways=4"]);
    all("rtx2060", "l1d", &["l1d.ways=20", "l2.ways=18"]);
    all("gv100", "l1d", &["l1d.ways=4", "memory.partitions=2"]);
}

/// A core's line of local memory may be another core's in the next kernel.
#[test]
fn what_is_dead_is_not_written_back() {
    for dead in [false, true] {
        let mut m = Machine::new(&tiny("h200", &["l1d.write_local=write-back"]), "l1d");
        let data = WriteData { bytes: [7; 128], mask: !0, flight: 0 };
        let (now, out) = (m.now, &mut Vec::new());
        m.l1[0].write(now, LOCAL, Box::new(data), true, out, &mut Quiet);
        assert!(out.is_empty(), "written back already");
        if dead {
            m.l1[0].drop_dead(now, LOCAL..LOCAL + 128, &mut Quiet);
        }
        m.l1[0].invalidate_all(now, out, &mut Quiet);
        assert_eq!(out.is_empty(), dead);
    }
}

#[test]
fn write_through_with_lazy_fetch() {
    all("h200", "l1d", &["l1d.sets=2", "l1d.ways=2"]);
    all("h200", "l1d", &["l1d.sets=1", "l1d.ways=18", "l1d.mshr_entries=2"]);
    all("h200", "l1d", &["l1d.sets=1", "l1d.ways=6", "l1d.replacement=fifo"]);
}

#[test]
fn local_write_back_with_lazy_fetch() {
    all("h200", "l1d", &["l1d.sets=2", "l1d.ways=2", "l1d.write_local=write-back"]);
}

#[test]
fn whole_line_and_short_line_caches() {
    all("rtx2060", "l1t", &["l1t.sets=1", "l1t.ways=4", "l1t.mshr_entries=3"]);
    all("rtx2060", "l1c", &["l1c.sets=2", "l1c.ways=4"]);
    all("rtx2060", "l1i", &["l1i.sets=2", "l1i.ways=2"]);
}

#[test]
fn other_policies_of_l2() {
    for write in ["write-back", "write-through", "write-evict"] {
        for allocate in ["none", "fetch-on-write", "write-and-read", "lazy-fetch"] {
            let write = format!("l2.write={write}");
            let allocate = format!("l2.write_allocate={allocate}");
            all("rtx2060", "l1d", &["l1d.ways=4", &write, &allocate]);
        }
    }
    all("rtx2060", "l1d", &["l1d.ways=4", "l2.sector_bytes=128"]);
    all("rtx2060", "l1d", &["l1d.ways=4", "l2.sector_bytes=64", "memory.copies_fill_l2=false"]);
    all("rtx2060", "l1d", &["l1d.ways=4", "l2.ways=1", "l2.sets=1", "l2.mshr_entries=1"]);
}

#[test]
fn other_clocks_and_schedulers() {
    all("rtx2060", "l1d", &["l1d.ways=4", "clock.l2_mhz=900", "clock.interconnect_mhz=2000"]);
    all("titan", "l1t", &["l1t.ways=2", "dram.scheduler=fifo", "clock.l2_mhz=3000"]);
}

#[test]
fn lines_of_64_bytes_at_all_levels() {
    for sector in [32, 64] {
        let with = |extra: &[&str]| short("h200", sector, extra);
        every_seed(&with(&["l1d.sets=2", "l1d.ways=2"]), "l1d");
        every_seed(&with(&["l1d.sets=2", "l1d.ways=2", "l1d.write_local=write-back"]), "l1d");
        every_seed(&with(&["l1d.ways=4", "memory.copies_fill_l2=false"]), "l1d");
        every_seed(&with(&["l1d.ways=4", "interconnect.ports=3"]), "l1d");
        every_seed(&short("rtx2060", sector, &["l1d.ways=4", "l2.ways=18"]), "l1d");
        every_seed(&short("rtx2060", sector, &["l1c.sets=2", "l1c.ways=4"]), "l1c");
    }
}

#[test]
fn caches_of_compute_units() {
    for base in ["hd7970", "hd7870", "hd7770"] {
        all(base, "l1v", &["l1v.sets=2", "l1v.ways=2"]);
        all(base, "l1v", &["l1v.sets=1", "l1v.ways=3", "l1v.write_allocate=none"]);
    }
    all("hd7970", "l1v", &["l1v.ways=1", "l2.line_bytes=128", "memory.copies_fill_l2=true"]);
    all("hd7970", "l1s", &["l1s.sets=2", "l1s.ways=2", "memory.partitions=12"]);
    all("hd7770", "l1i", &["l1i.sets=1", "l1i.ways=4", "memory.slices_per_partition=1"]);
}

#[test]
fn policies_of_an_l2_with_lines_of_64_bytes() {
    for write in ["write-back", "write-through", "write-evict"] {
        for allocate in ["none", "fetch-on-write", "write-and-read", "lazy-fetch"] {
            let write = format!("l2.write={write}");
            let allocate = format!("l2.write_allocate={allocate}");
            every_seed(&short("rtx2060", 64, &["l1d.ways=4", &write, &allocate]), "l1d");
        }
    }
    every_seed(&short("rtx2060", 32, &["l2.ways=1", "l2.sets=1", "l2.mshr_entries=1"]), "l1d");
}

#[test]
fn a_store_is_acknowledged_when_it_was_performed_below() {
    for (chip, packets) in [(tiny("h200", &[]), 1), (short("h200", 64, &[]), 2)] {
        let mut m = Machine::new(&chip, "l1d");
        let line = m.mem.global_mut().allocate(256).unwrap();
        assert_eq!(m.store_acknowledged(1, line, [7; 128], !0, 5, &mut Quiet), packets);
        let (mut done, mut told) = (Vec::new(), 0);
        while m.step(&mut Quiet, &mut done) {
            for d in done.drain(..) {
                assert_eq!(d.waiter, 5);
                told += 1;
            }
            let mut bytes = [0; 128];
            m.mem.host_read(m.now, line, &mut bytes, &mut Quiet).unwrap();
            let written = bytes.iter().filter(|b| **b == 7).count() as u32;
            assert!(written * packets >= told * 128, "told before it is there");
            assert_eq!(m.mem.outstanding_writes(1, u64::MAX), packets - written * packets / 128);
        }
        assert_eq!(told, packets);
        // One that nobody asked about is not.
        m.store(1, line, [8; 128], !0, false, &mut Quiet);
        m.drain(&mut Quiet, &mut done);
        assert!(done.is_empty());
    }
}

#[test]
fn an_atomic_without_result_is_acknowledged_and_does_what_its_core_says() {
    // Two codes of a core, unknown to anybody else.
    fn own(code: u32, before: u64, b: u64, c: u64) -> u64 {
        match code {
            70 => {
                if before >= b {
                    0
                } else {
                    before + 1
                }
            }
            _ => {
                if before == c {
                    b
                } else {
                    before
                }
            }
        }
    }
    for chip in [tiny("h200", &[]), short("h200", 64, &[])] {
        let mut m = Machine::new(&chip, "l1d");
        let line = m.mem.global_mut().allocate(128).unwrap();
        m.mem.host_fill(0, line, 0, 128, &mut Quiet).unwrap();
        let mut done = Vec::new();
        for (code, b, c, width, value) in [
            (70, 2, 0, 4, 1),
            (70, 2, 0, 4, 2),
            (70, 2, 0, 4, 0),
            (71, 9 << 32 | 4, 0, 8, 9u64 << 32 | 4),
            (71, 3, 4, 4, 9 << 32 | 3),
        ] {
            let lanes = vec![LaneOp { offset: 72, b, c, ..LaneOp::default() }];
            m.acknowledged_atomic(0, line, (code, own), width, lanes, &mut Quiet);
            m.drain(&mut Quiet, &mut done);
            assert_eq!(done.drain(..).map(|d| d.waiter).collect::<Vec<_>>(), [77]);
            let mut word = [0; 8];
            m.mem.host_read(m.now, line + 72, &mut word, &mut Quiet).unwrap();
            assert_eq!(u64::from_le_bytes(word), value, "{code} {b} {c}");
        }
    }
}
