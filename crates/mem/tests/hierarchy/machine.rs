//! A small machine for tests: SMs that issue loads, stores and atomics.

use upset_chip::ChipSpec;
use upset_mem::{
    AtomicBatch, Filled, FirstLevel, LaneOp, MemorySystem, Port, Read, Reply, Request, Segment,
    WriteData,
};
use upset_state::{Kind, Probe, Visit, Visitor};

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
        "sm.count=3",
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
        let sms = chip.sm.count as u16;
        let port = |core| Port { core, client: 0 };
        let l1 = (0..sms).map(|sm| FirstLevel::new(&chip.caches[index], kind, port(sm))).collect();
        Machine { now: 0, mem, l1, out: Vec::new(), at: Vec::new() }
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
            Read::Hit(row) => Some(Ok(self.whole(sm, row, line, bytes))),
            Read::Miss => {
                self.at.push((waiter, line + u64::from(bytes.trailing_zeros())));
                Some(Err(()))
            }
            Read::Blocked => None,
        }
    }

    fn whole(&self, sm: usize, row: u32, line: u64, bytes: u128) -> [u8; 128] {
        let first = u64::from(bytes.trailing_zeros());
        let size = u64::from(self.l1[sm].line_bytes());
        let start = (line + first) / size * size;
        let mut all = [0; 128];
        let at = (start - line) as usize;
        self.l1[sm].read_bytes(row, start, &mut all[at..at + size as usize]);
        all
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
                        (self.whole(sm, *row, line, 1 << (addr - line)), vec![])
                    }
                    Filled::Packet { bytes, .. } => (**bytes, vec![]),
                    Filled::Atomic(batch) => ([0; 128], batch.lanes.clone()),
                    Filled::Nothing => panic!("a waiter without bytes"),
                };
                done.push(Done { waiter, bytes, lanes });
            }
            if let Filled::Packet { bytes: packet, .. } = filled {
                self.l1[sm].give_back(packet);
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
