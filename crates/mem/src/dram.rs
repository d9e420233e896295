//! One DRAM channel: banks, rows and the data bus, in command cycles.
//!
//! Every bank prepares one request at a time (its row is opened while other
//! banks use the bus): of those waiting for the bank the oldest that hits the
//! open row, else the oldest. The bus takes the prepared request whose column
//! command can go first, the oldest of equals.

use std::collections::VecDeque;

use upset_chip::{BankGroupBits, DramScheduler, DramSpec};

use crate::SECTOR;

pub(crate) const NONE: u32 = u32::MAX;
const CLOSED: u64 = u64::MAX;

/// One access to the row of a bank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job {
    pub(crate) bank: u32,
    pub(crate) row: u64,
    pub(crate) write: bool,
    /// 32-byte sectors.
    pub(crate) sectors: u8,
    /// Slice that is told when a read is done.
    pub(crate) slice: u32,
    /// What the slice knows it by.
    pub(crate) entry: u32,
}

/// Parameters in command cycles.
#[derive(Clone, Debug)]
pub(crate) struct Timing {
    rrd: u64,
    rcd: u64,
    rcd_write: u64,
    ras: u64,
    rp: u64,
    rc: u64,
    cl: u64,
    /// Read to write and write to read.
    read_to_write: u64,
    write_to_read: u64,
    write_to_precharge: u64,
    read_to_precharge: u64,
    ccd: u64,
    ccd_group: u64,
    /// Data bus, per access.
    burst: u64,
    atom: u64,
}

impl Timing {
    fn accesses(&self, sectors: u8) -> u64 {
        (u64::from(sectors.count_ones()) * SECTOR).div_ceil(self.atom).max(1)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) job: Job,
    pub(crate) age: u64,
    pub(crate) next: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Bank {
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// Prepared request.
    pub(crate) prepared: u32,
    pub(crate) row: u64,
    pub(crate) activate_ok: u64,
    pub(crate) precharge_ok: u64,
    pub(crate) column_ok: u64,
    pub(crate) group: usize,
}

/// What the bus must know of a bank's prepared request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    /// When its column command may go; `u64::MAX` without request.
    pub(crate) ready: u64,
    pub(crate) age: u64,
    pub(crate) write: bool,
    pub(crate) group: u8,
}

const NO_OFFER: Offer = Offer { ready: u64::MAX, age: u64::MAX, write: false, group: 0 };

/// A channel.
#[derive(Clone, Debug)]
pub(crate) struct Channel {
    pub(crate) t: Timing,
    pub(crate) banks: Vec<Bank>,
    pub(crate) offers: Vec<Offer>,
    pub(crate) jobs: Vec<Waiting>,
    pub(crate) free: u32,
    /// Requests the scheduler sees, and how many it can see.
    pub(crate) seen: usize,
    pub(crate) limit: usize,
    pub(crate) backlog: VecDeque<Job>,
    pub(crate) age: u64,
    pub(crate) groups: Vec<u64>,
    pub(crate) activate_ok: u64,
    pub(crate) column_ok: u64,
    pub(crate) read_ok: u64,
    pub(crate) write_ok: u64,
    /// Tick of the next column command and age of its request.
    pub(crate) next: (u64, u64),
    pub(crate) next_bank: usize,
    /// Cycle of the event that will issue it; kept by the owner.
    pub(crate) event_at: u64,
    pub(crate) row_hits: u64,
}

impl Channel {
    pub(crate) fn new(spec: &DramSpec) -> Channel {
        let u = u64::from;
        let burst = u(spec.burst).div_ceil(u(spec.data_per_command));
        let t = Timing {
            rrd: u(spec.rrd),
            rcd: u(spec.rcd),
            rcd_write: u(spec.rcd).saturating_sub(u(spec.wl) + 1),
            ras: u(spec.ras),
            rp: u(spec.rp),
            rc: u(spec.rc),
            cl: u(spec.cl),
            read_to_write: (u(spec.cl) + burst + 2).saturating_sub(u(spec.wl)),
            write_to_read: u(spec.wl) + burst + u(spec.cdlr),
            write_to_precharge: u(spec.wl) + burst + u(spec.wr),
            read_to_precharge: u(spec.rtpl),
            ccd: u(spec.ccd),
            ccd_group: u(spec.ccdl),
            burst,
            atom: spec.atom_bytes(),
        };
        let groups = spec.bank_groups;
        let bank = |i: u32| Bank {
            first: NONE,
            last: NONE,
            prepared: NONE,
            row: CLOSED,
            activate_ok: 0,
            precharge_ok: 0,
            column_ok: 0,
            group: match spec.bank_group_bits {
                BankGroupBits::Low => i % groups,
                BankGroupBits::High => i / (spec.banks / groups) % groups,
            } as usize,
        };
        Channel {
            t,
            banks: (0..spec.banks).map(bank).collect(),
            offers: vec![NO_OFFER; spec.banks as usize],
            jobs: Vec::new(),
            free: NONE,
            seen: 0,
            limit: match (spec.scheduler, spec.queue) {
                (DramScheduler::Fifo, _) => 1,
                (DramScheduler::FrFcfs, 0) => usize::MAX,
                (DramScheduler::FrFcfs, n) => n as usize,
            },
            backlog: VecDeque::new(),
            age: 0,
            groups: vec![0; groups as usize],
            activate_ok: 0,
            column_ok: 0,
            read_ok: 0,
            write_ok: 0,
            next: (u64::MAX, u64::MAX),
            next_bank: 0,
            event_at: u64::MAX,
            row_hits: 0,
        }
    }

    /// Ticks count from `by` ticks later on; what is before that is over.
    pub(crate) fn rebase(&mut self, by: u64) {
        let moved = |t: &mut u64| {
            if *t != u64::MAX {
                *t = t.saturating_sub(by);
            }
        };
        for bank in &mut self.banks {
            let own = [&mut bank.activate_ok, &mut bank.precharge_ok, &mut bank.column_ok];
            own.into_iter().for_each(moved);
        }
        self.offers.iter_mut().for_each(|o| moved(&mut o.ready));
        self.groups.iter_mut().for_each(moved);
        let own = [
            &mut self.activate_ok,
            &mut self.column_ok,
            &mut self.read_ok,
            &mut self.write_ok,
            &mut self.next.0,
        ];
        own.into_iter().for_each(moved);
    }

    /// Tick of the next column command; `u64::MAX` when none waits.
    pub(crate) fn next(&self) -> u64 {
        self.next.0
    }

    /// Bytes that `sectors` move.
    pub(crate) fn bytes(&self, sectors: u8) -> u64 {
        self.t.accesses(sectors) * self.t.atom
    }

    /// A request arrives.
    pub(crate) fn push(&mut self, tick: u64, job: Job) {
        if self.seen < self.limit {
            let bank = self.admit(tick, job);
            self.consider(bank);
        } else {
            self.backlog.push_back(job);
        }
    }

    /// Lets the scheduler see a request; gives back its bank.
    fn admit(&mut self, tick: u64, job: Job) -> usize {
        let mut job = job;
        job.bank %= self.banks.len() as u32;
        let waiting = Waiting { job, age: self.age, next: NONE };
        self.age += 1;
        self.seen += 1;
        let index = if self.free == NONE {
            self.jobs.push(waiting);
            (self.jobs.len() - 1) as u32
        } else {
            let index = self.free;
            self.free = self.jobs[index as usize].next;
            self.jobs[index as usize] = waiting;
            index
        };
        let bank = &mut self.banks[job.bank as usize];
        if bank.last == NONE {
            bank.first = index;
        } else {
            self.jobs[bank.last as usize].next = index;
        }
        bank.last = index;
        if bank.prepared == NONE {
            self.prepare(tick, job.bank as usize);
        }
        job.bank as usize
    }

    /// Opens the row of a bank's next request.
    fn prepare(&mut self, tick: u64, index: usize) {
        let bank = &mut self.banks[index];
        if bank.first == NONE {
            return;
        }
        // The first that hits the open row, else the first.
        let (mut before, mut at) = (NONE, bank.first);
        while at != NONE && self.jobs[at as usize].job.row != bank.row {
            before = at;
            at = self.jobs[at as usize].next;
        }
        if at == NONE {
            (before, at) = (NONE, bank.first);
        }
        let after = self.jobs[at as usize].next;
        match before {
            NONE => bank.first = after,
            b => self.jobs[b as usize].next = after,
        }
        if bank.last == at {
            bank.last = before;
        }
        let Waiting { job, age, .. } = self.jobs[at as usize];
        bank.prepared = at;
        let offer = &mut self.offers[index];
        *offer = Offer { ready: 0, age, write: job.write, group: bank.group as u8 };
        if bank.row == job.row {
            self.row_hits += 1;
            offer.ready = tick.max(bank.column_ok);
            return;
        }
        let mut activate = tick.max(bank.activate_ok).max(self.activate_ok);
        if bank.row != CLOSED {
            activate = activate.max(tick.max(bank.precharge_ok) + self.t.rp);
        }
        self.activate_ok = activate + self.t.rrd;
        bank.row = job.row;
        bank.activate_ok = activate + self.t.rc;
        bank.precharge_ok = activate + self.t.ras;
        offer.ready = activate + if job.write { self.t.rcd_write } else { self.t.rcd };
    }

    /// Finds the next column command.
    fn choose(&mut self) {
        self.next = (u64::MAX, u64::MAX);
        for bank in 0..self.offers.len() {
            self.consider(bank);
        }
    }

    /// Makes a bank's prepared request the next if it can go first.
    #[inline]
    fn consider(&mut self, bank: usize) {
        let offer = self.offers[bank];
        let turn = if offer.write { self.write_ok } else { self.read_ok };
        let group = self.groups[usize::from(offer.group)];
        let at = offer.ready.max(turn).max(self.column_ok).max(group);
        if at < self.next.0 || at == self.next.0 && offer.age < self.next.1 {
            self.next = (at, offer.age);
            self.next_bank = bank;
        }
    }

    /// Issues the next column command; gives back the request and the tick of
    /// its last data.
    pub(crate) fn issue(&mut self) -> Option<(u64, Job)> {
        let at = self.next.0;
        let bank = self.banks.get_mut(self.next_bank)?;
        let index = std::mem::replace(&mut bank.prepared, NONE);
        self.offers[self.next_bank] = NO_OFFER;
        let job = self.jobs.get(index as usize)?.job;
        self.jobs[index as usize].next = self.free;
        self.free = index;
        self.seen -= 1;
        let t = &self.t;
        let n = t.accesses(job.sectors);
        let step = t.ccd_group.max(t.burst);
        let last = at + (n - 1) * step;
        bank.column_ok = last + step;
        self.groups[bank.group] = last + step;
        self.column_ok = at + t.ccd.max(n * t.burst);
        if job.write {
            bank.precharge_ok = bank.precharge_ok.max(last + t.write_to_precharge);
            self.read_ok = self.read_ok.max(last + t.write_to_read);
        } else {
            bank.precharge_ok = bank.precharge_ok.max(last + t.read_to_precharge);
            self.write_ok = self.write_ok.max(last + t.read_to_write);
        }
        let end = last + t.cl + t.burst;
        self.prepare(at, job.bank as usize);
        if let Some(job) = self.backlog.pop_front() {
            self.admit(at, job);
        }
        self.choose();
        Some((end, job))
    }
}
