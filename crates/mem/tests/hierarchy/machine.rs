//! A small machine for tests: SMs that issue loads, stores and atomics.

use upset_chip::ChipSpec;
use upset_mem::{
    ApplyAtomic, AtomicBatch, Filled, FirstLevel, LaneOp, MemorySystem, Port, Read, Reply, Request,
    Segment, WriteData, batch_row, end_batch, end_flight,
};
use upset_state::words::apply_words;
use upset_state::{Kind, Origin, Place, Probe, Visit, Visitor};

/// splitmix64.
#[derive(Clone)]
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

pub const LOCAL: u64 = 0x5_0000_0000;
pub const LOCAL_BYTES: u64 = 4096;

/// A chip with little of everything.
pub fn tiny(base: &str, extra: &[&str]) -> ChipSpec {
    let mut sets = vec![
        // Three cores: compute units go by four.
        if base.starts_with("hd") { "cu.count=12" } else { "sm.count=3" },
        "l2.set_hash=linear",
        "l2.sets=2",
        "l2.ways=3",
        "l2.mshr_entries=3",
        "l2.mshr_merge=2",
        "memory.partitions=3",
        "memory.slices_per_partition=2",
        "memory.rop_latency=7",
        "memory.dram_latency=5",
        "dram.queue=4",
    ];
    sets.extend(extra);
    ChipSpec::preset(base).unwrap().with(&sets).unwrap()
}

/// The same with lines of 64 bytes at all levels, in sectors of so many.
pub fn short(base: &str, sector_bytes: u32, extra: &[&str]) -> ChipSpec {
    let mut chip = tiny(base, extra);
    for cache in &mut chip.caches {
        cache.line_bytes = 64;
        cache.sector_bytes = cache.sector_bytes.min(sector_bytes);
    }
    chip
}

/// Adds, as an atomic.
pub fn add(_: u32, before: u64, b: u64, _: u64) -> u64 {
    before.wrapping_add(b)
}

/// A finished load or atomic: the 128 bytes of the line as far as known.
pub struct Done {
    pub waiter: u32,
    pub bytes: [u8; 128],
    pub lanes: Vec<LaneOp>,
}

#[derive(Clone)]
pub struct Machine {
    pub now: u64,
    pub mem: MemorySystem,
    pub l1: Vec<FirstLevel>,
    /// Whose eyes loads are seen with, if somebody is followed.
    pub ghost: Option<u32>,
    out: Vec<Request>,
    /// Line of each waiter, so that its half is known.
    at: Vec<(u32, u64)>,
}

impl Machine {
    pub fn new(chip: &ChipSpec, cache: &str) -> Machine {
        let index = chip.caches.iter().position(|c| c.name == cache).unwrap();
        let kind = Kind::Cache(index as u8);
        let mut mem = MemorySystem::new(chip);
        mem.map_segment(0, Segment::Local, LOCAL, LOCAL_BYTES, &mut upset_state::Quiet);
        let sms = chip.cores() as u16;
        let port = |core| Port { core, client: 0 };
        let l1 = (0..sms).map(|sm| FirstLevel::new(&chip.caches[index], kind, port(sm))).collect();
        Machine { now: 0, mem, l1, ghost: None, out: Vec::new(), at: Vec::new() }
    }

    fn send<P: Probe>(&mut self, p: &mut P) {
        for r in self.out.drain(..) {
            self.mem.send(self.now, r, p);
        }
    }

    pub fn load<P: Probe>(
        &mut self,
        sm: usize,
        line: u64,
        bytes: u128,
        waiter: u32,
        bypass: bool,
        p: &mut P,
    ) -> Option<Result<[u8; 128], ()>> {
        let got = self.l1[sm].read(self.now, line, bytes, waiter, bypass, &mut self.out, p);
        self.send(p);
        match got {
            Read::Hit(row) => Some(Ok(self.whole(sm, row, line, bytes, p))),
            Read::Miss => {
                self.at.push((waiter, line + u64::from(bytes.trailing_zeros())));
                Some(Err(()))
            }
            Read::Blocked => None,
        }
    }

    fn whole<P: Probe>(&self, sm: usize, row: u32, line: u64, bytes: u128, p: &mut P) -> [u8; 128] {
        let first = u64::from(bytes.trailing_zeros());
        let size = u64::from(self.l1[sm].line_bytes());
        let start = (line + first) / size * size;
        let mut all = [0; 128];
        let at = (start - line) as usize;
        self.l1[sm].read_bytes(row, start, &mut all[at..at + size as usize]);
        self.haunt(self.l1[sm].line(row).origin, &mut all[at..], p);
        all
    }

    /// Changes bytes to what the ghost reads.
    fn haunt<P: Probe>(&self, origin: Origin, bytes: &mut [u8], p: &mut P) {
        if let (Some(ghost), Some(ghosts)) = (self.ghost, p.ghosts()) {
            let deltas = ghosts.at_origin(origin).into_iter().filter(|d| d.ghost == ghost);
            deltas.for_each(|d| apply_words(&d.words, bytes));
        }
    }

    /// The same for the values before an atomic.
    fn haunt_lanes<P: Probe>(&self, batch: &AtomicBatch, p: &mut P) -> Vec<LaneOp> {
        let mut lanes = batch.lanes.clone();
        if let (Some(ghost), Some(ghosts)) = (self.ghost, p.ghosts()) {
            for half in 0..2 {
                let place = Place::flight(batch.flight, batch_row::OLD + half);
                let words = ghosts.of_ghost(place, ghost).copied().unwrap_or_default();
                for (lane, word) in lanes.iter_mut().zip(words) {
                    lane.old ^= u64::from(word) << (32 * half);
                }
            }
        }
        lanes
    }

    pub fn store<P: Probe>(
        &mut self,
        sm: usize,
        line: u64,
        bytes: [u8; 128],
        mask: u128,
        local: bool,
        p: &mut P,
    ) {
        let mut data = self.mem.write_box();
        *data = WriteData { bytes, mask, flight: 0 };
        self.l1[sm].write(self.now, line, data, local, &mut self.out, p);
        self.send(p);
    }

    /// A store whose token comes back; says how often.
    pub fn store_acknowledged<P: Probe>(
        &mut self,
        sm: usize,
        line: u64,
        bytes: [u8; 128],
        mask: u128,
        token: u32,
        p: &mut P,
    ) -> u32 {
        let data = Box::new(WriteData { bytes, mask, flight: 0 });
        let now = self.now;
        let packets = self.l1[sm].write_acknowledged(now, line, data, token, &mut self.out, p);
        self.send(p);
        packets
    }

    pub fn atomic<P: Probe>(
        &mut self,
        sm: usize,
        line: u64,
        lanes: Vec<LaneOp>,
        returns: bool,
        waiter: u32,
        p: &mut P,
    ) {
        let batch =
            Box::new(AtomicBatch { width: 4, code: 0, apply: add, lanes, returns, flight: 0 });
        self.l1[sm].atomic(self.now, line, batch, waiter, &mut self.out, p);
        self.send(p);
    }

    /// An atomic of the core's own whose token, 77, comes back.
    pub fn acknowledged_atomic<P: Probe>(
        &mut self,
        sm: usize,
        line: u64,
        (code, apply): (u32, ApplyAtomic),
        width: u8,
        lanes: Vec<LaneOp>,
        p: &mut P,
    ) {
        let batch = AtomicBatch { width, code, apply, lanes, returns: false, flight: 0 };
        self.l1[sm].atomic_acknowledged(self.now, line, Box::new(batch), 77, &mut self.out, p);
        self.send(p);
    }

    /// To the next event; false when there is none.
    pub fn step<P: Probe>(&mut self, p: &mut P, done: &mut Vec<Done>) -> bool {
        let next = self.mem.next_event();
        if next == u64::MAX {
            return false;
        }
        self.now = self.now.max(next);
        self.pump(p, done);
        true
    }

    /// What is due now.
    pub fn pump<P: Probe>(&mut self, p: &mut P, done: &mut Vec<Done>) {
        let mut replies: Vec<Reply> = Vec::new();
        self.mem.advance(self.now, &mut replies, p);
        for reply in replies {
            let sm = usize::from(reply.port.core);
            let mut waiters = Vec::new();
            let filled = self.l1[sm].fill(self.now, reply, &mut self.out, &mut waiters, p);
            for waiter in waiters {
                let at = self.at.iter().position(|(w, _)| *w == waiter);
                let addr = at.map_or(0, |i| self.at.swap_remove(i).1);
                let line = addr & !127;
                let (bytes, lanes) = match &filled {
                    Filled::Line(row) => {
                        let sector = 0xffff_ffff << ((addr - line) & !31);
                        self.l1[sm].note_read(self.now, *row, line, sector, p);
                        (self.whole(sm, *row, line, 1 << (addr - line), p), vec![])
                    }
                    Filled::Packet { bytes, flight, .. } => {
                        let mut bytes = **bytes;
                        self.haunt(Origin::flight(*flight, 0), &mut bytes, p);
                        (bytes, vec![])
                    }
                    Filled::Atomic(batch) => ([0; 128], self.haunt_lanes(batch, p)),
                    Filled::Done => ([0; 128], vec![]),
                    Filled::Nothing => panic!("a waiter without bytes"),
                };
                done.push(Done { waiter, bytes, lanes });
            }
            match filled {
                Filled::Packet { bytes, flight, over } => {
                    if over {
                        end_flight(p, flight);
                    }
                    self.l1[sm].give_back(bytes);
                }
                Filled::Atomic(batch) => end_batch(p, batch.flight),
                Filled::Line(_) | Filled::Done | Filled::Nothing => {}
            }
        }
        self.send(p);
    }

    /// Until nothing is under way.
    pub fn drain<P: Probe>(&mut self, p: &mut P, done: &mut Vec<Done>) {
        let mut steps = 0;
        while self.step(p, done) {
            steps += 1;
            assert!(steps < 1_000_000, "it never ends");
        }
        assert!(self.mem.idle() && self.l1.iter().all(FirstLevel::idle));
    }

    /// First-level caches forget what was written below.
    pub fn boundary<P: Probe>(&mut self, everything: bool, p: &mut P) {
        for l1 in &mut self.l1 {
            if everything {
                l1.invalidate_all(self.now, &mut self.out, p);
            } else {
                l1.drop_stale(self.now, self.mem.stale(), &mut self.out, p);
            }
        }
        self.mem.stale().clear();
        self.send(p);
    }
}

impl Visit for Machine {
    fn visit(&mut self, v: &mut dyn Visitor) {
        for (i, l1) in self.l1.iter_mut().enumerate() {
            l1.visit(&format!("sm{i}"), v);
        }
        self.mem.visit(v);
    }
}
