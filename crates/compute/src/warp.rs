//! A warp slot: everything a resident warp owns beside its register rows.

use upset_isa::codes::FLAGS;
use upset_isa::control::barriers::Convergence;
use upset_isa::{Codes, Mask, PT};
use upset_state::{Array, ArrayId, Kind, Place, Probe};

use crate::code::Op;
use crate::depend::counters::Counters;
use crate::depend::scoreboard::Scoreboard;
use crate::fetch::ibuf::Ibuf;
use crate::share::share;
use crate::units::hazard::Unwritten;

/// Predicates of a warp that hold something.
pub const PRED_ROWS: u32 = 7;
/// Uniform registers of a warp that hold something.
pub const UNIFORM_ROWS: u32 = 63;

/// Condition codes of a warp.
pub const CODE_ROWS: u32 = FLAGS.len() as u32;

/// Where a warp slot belongs: asked several times per instruction, worked out once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Home {
    /// Its scheduler.
    pub scheduler: u8,
    /// Its number there.
    pub number: u8,
    /// Its register file.
    pub file: u8,
}

impl Home {
    /// Of a slot, where so many schedulers and register files share all slots.
    pub fn new(slot: u32, schedulers: u32, files: u32) -> Home {
        let (scheduler, number) = share(slot, schedulers);
        let (file, _) = share(slot, files);
        Home { scheduler: scheduler as u8, number: number as u8, file: file as u8 }
    }
}

/// How many threads a warp's masks name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// The masks: of those that are active, and of those that live.
    pub of: (Mask, Mask),
    /// How many are active.
    pub active: u8,
    /// How many more live.
    pub inactive: u8,
}

impl Counted {
    /// Counts them.
    pub fn new(active: Mask, live: Mask) -> Counted {
        let (threads, all) = (active.count_ones() as u8, live.count_ones() as u8);
        Counted { of: (active, live), active: threads, inactive: all.saturating_sub(threads) }
    }
}

/// A warp slot. What every attempt to issue looks at comes first and lies
/// together: a chip's warps do not fit into the host's nearest caches.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Warp {
    /// A warp lives here.
    pub resident: bool,
    /// The scheduler may take it.
    pub ready: bool,
    /// It waits at a CTA barrier, and none of its threads can run.
    pub waiting: bool,
    /// Its CTA need not wait for it.
    pub finished: bool,
    /// A CTA holds the slot (and its rows) until all its warps are done.
    pub held: bool,
    /// Where its slot belongs.
    pub home: Home,
    /// Dependence counters.
    pub counters: Counters,
    /// Instructions whose results have not been written.
    pub in_flight: u32,
    /// Of these, loads from shared memory that name no counter.
    pub unnamed: u32,
    /// First register row in its sub-core.
    pub first_row: u32,
    /// Register rows it owns.
    pub rows: u32,
    /// CTA slot it belongs to.
    pub cta: u32,
    /// Number within the CTA.
    pub id: u32,
    /// Instruction buffer.
    pub ibuf: Ibuf,
    /// Predicates; the last reads true.
    pub preds: Array<Mask, [Mask; 8]>,
    /// Program counters, masks, convergence barriers.
    pub flow: Convergence,
    /// Condition codes, of chips that have them.
    pub codes: Option<Codes>,
    /// Its threads as they were counted last.
    pub counted: Counted,
    /// What results are on their way to, where the code names no counters.
    pub scoreboard: Scoreboard,
    /// Of these, what the instruction that was refused by them needs.
    pub awaited: Scoreboard,
    /// The SM and the slot, by which ghosts know condition codes.
    pub(crate) codes_of: (u32, u32),
    /// Uniform predicates, each all ones or all zeroes.
    pub upreds: Array<Mask, [Mask; 8]>,
    /// Uniform registers; the last reads zero.
    pub uregs: Array<u32, [u32; 64]>,
    /// Threads it began with.
    pub began: Mask,
    /// Result of the last barrier reduction.
    pub bar_result: u32,
    /// When it started.
    pub since: u64,
    /// Fixed-latency results on their way (debug builds only).
    pub unwritten: Unwritten,
}

/// Where ghosts know a condition code of a warp slot.
pub(crate) fn code_place(sm: u32, slot: u32, flag: usize) -> Place {
    Place::of_row(ArrayId::data(Kind::Cc, sm), slot * CODE_ROWS + flag as u32)
}

impl Warp {
    /// Lanes of a condition code were written alike for all ghosts.
    #[inline]
    pub fn agree_on_code<P: Probe>(&self, flag: usize, lanes: Mask, probe: &mut P) {
        if P::GHOSTS
            && let Some(g) = probe.ghosts().filter(|g| !g.is_calm_in(&[Kind::Cc]))
        {
            let words = std::array::from_fn(|word| if word == 0 { lanes } else { 0 });
            let (sm, slot) = self.codes_of;
            g.clear(code_place(sm, slot, flag), &words);
        }
    }

    /// Its state does not keep it from issuing.
    #[inline]
    pub fn may_run(&self) -> bool {
        // One comparison: this is asked at every attempt to issue.
        let state = [self.resident, self.ready, self.waiting, self.finished].map(u8::from);
        u32::from_le_bytes(state) == u32::from_le_bytes([1, 1, 0, 0])
    }

    /// It has threads that go on as they are.
    #[inline]
    pub fn runs(&self) -> bool {
        self.may_run() && self.flow.active != 0
    }

    /// How many of its threads are active, and how many more live.
    #[inline]
    pub fn threads(&mut self) -> Counted {
        let masks = (self.flow.active, self.flow.live);
        // Counting takes older hosts a while, and most instructions have the same
        // threads as the one before.
        if self.counted.of != masks {
            self.counted = Counted::new(masks.0, masks.1);
        }
        self.counted
    }

    /// None of its threads is left, or its state says so: an attempt may let it
    /// leave, which changes when others may issue.
    #[inline]
    pub fn is_leaving(&self) -> bool {
        self.finished || self.flow.live == 0
    }

    /// None of its threads is left, or its state says so, and nothing of it is on its way.
    #[inline]
    pub fn may_end(&self) -> bool {
        self.in_flight == 0 && self.resident && self.is_leaving()
    }

    /// Whether nothing that an instruction waits for is on its way.
    #[inline]
    pub fn is_clear_for(&self, op: &Op) -> bool {
        self.counters.are_clear(op.inst.ctl.wait)
            && op.marks.as_ref().is_none_or(|marks| !self.scoreboard.meets(&marks.touched))
    }

    /// An instruction was refused: a scoreboard lets it look again when what it
    /// needs has come, or after each result where it counts something else.
    pub fn refuse(&mut self, op: &Op) {
        if let Some(marks) = &op.marks {
            let waits = self.scoreboard.meets(&marks.touched);
            self.awaited = if waits { marks.touched } else { Scoreboard::default() };
        }
    }

    /// Whether what the scoreboard refused an instruction for has come.
    #[inline]
    pub fn has_awaited(&self) -> bool {
        !self.scoreboard.meets(&self.awaited)
    }

    /// The result of an instruction is on its way.
    #[inline]
    pub fn awaits(&mut self, op: &Op) {
        self.counters.raise(op.inst.ctl.write_sb);
        if let Some(marks) = &op.marks {
            self.scoreboard.begin(&marks.written);
        }
    }

    /// An empty slot of an SM whose instruction buffer has `entries` entries and
    /// whose warps may have a `stack`.
    pub fn new(sm: u32, slot: u32, home: Home, entries: u32, stack: bool) -> Warp {
        let mut predicates = [0; 8];
        predicates[usize::from(PT)] = Mask::MAX;
        let set =
            |kind| Array::part(ArrayId::data(kind, sm), slot * PRED_ROWS, PRED_ROWS, predicates);
        let uregs = ArrayId::data(Kind::Ureg, sm);
        Warp {
            flow: if stack { Convergence::with_stack(0, 0) } else { Convergence::new(0, 0) },
            preds: set(Kind::Pred),
            codes: stack.then(Codes::default),
            codes_of: (sm, slot),
            upreds: set(Kind::Upred),
            uregs: Array::part(uregs, slot * UNIFORM_ROWS, UNIFORM_ROWS, [0; 64]),
            home,
            counters: Counters::default(),
            scoreboard: Scoreboard::default(),
            awaited: Scoreboard::default(),
            ibuf: Ibuf::new(sm, slot, entries),
            first_row: 0,
            rows: 0,
            counted: Counted::default(),
            began: 0,
            cta: 0,
            id: 0,
            held: false,
            resident: false,
            ready: false,
            waiting: false,
            finished: false,
            in_flight: 0,
            unnamed: 0,
            bar_result: 0,
            since: 0,
            unwritten: Unwritten::default(),
        }
    }

    /// A warp starts whose threads are as `flow` says. Registers keep what is in
    /// their rows.
    pub fn start<P: Probe>(
        &mut self,
        flow: Convergence,
        (cta, id): (u32, u32),
        now: u64,
        probe: &mut P,
    ) {
        self.preds.reset(now, probe);
        self.upreds.reset(now, probe);
        self.uregs.reset(now, probe);
        self.since = now;
        self.began = flow.live;
        self.codes = flow.stack().map(|_| Codes::default());
        (0..CODE_ROWS as usize).for_each(|flag| self.agree_on_code(flag, Mask::MAX, probe));
        self.ibuf.restart(flow.pc);
        self.flow = flow;
        self.counters = Counters::default();
        (self.scoreboard, self.awaited) = (Scoreboard::default(), Scoreboard::default());
        self.cta = cta;
        self.id = id;
        self.held = true;
        self.resident = true;
        self.ready = true;
        self.waiting = false;
        self.finished = false;
        self.in_flight = 0;
        self.unnamed = 0;
        self.bar_result = 0;
        self.unwritten = Unwritten::default();
    }
}
