//! The machine with the smallest core there is: a work-group counts down in a
//! byte of shared memory, one instruction a cycle, and ends at zero.

mod counting;

use upset_chip::{ChipError, ChipSpec};
use upset_mem::{LinesInUse, Reply, Request};
use upset_state::bits::Bytes;
use upset_state::{
    ArrayId, Axis, Change, Digest, Ghosts, Haunted, Kind, Layout, Probe, Quiet, Site, Visitor,
};

use crate::Stale;
use crate::pmu::{self, Counts};
use crate::{
    Attendant, Begun, Core, Cx, GivenUp, Held, Kernel, Limits, Look, Machine, Owner, Rules,
    Standing, Stands, Tally,
};

const CORES: u32 = 3;
const KERNEL_LATENCY: u32 = 10;

#[derive(Clone, Debug, Default, PartialEq)]
struct Count {
    issued: u64,
    active: u64,
}

impl Tally for Count {
    fn plus(&self, o: &Count) -> Count {
        Count { issued: self.issued + o.issued, active: self.active + o.active }
    }
    fn minus(&self, o: &Count) -> Count {
        Count { issued: self.issued - o.issued, active: self.active - o.active }
    }
    fn issued(&self) -> u64 {
        self.issued
    }
    fn active_cycles(&self) -> u64 {
        self.active
    }
    fn show(&self, caches: bool, to: &mut std::fmt::DebugStruct<'_, '_>) {
        if !caches {
            to.field("core", self);
        }
    }
}

struct Countdown {
    groups: u64,
    /// Local memory of each slot.
    local: u64,
    /// What each begins at; zero counts from 255 down.
    from: u8,
    /// Cores that wait for ever instead.
    sleeps: bool,
}

impl Kernel for Countdown {
    fn name(&self) -> &str {
        "countdown"
    }
    fn base(&self) -> u64 {
        0x1000
    }
    fn groups(&self) -> u64 {
        self.groups
    }
    fn grid(&self) -> [u32; 3] {
        [self.groups as u32, 1, 1]
    }
    fn block(&self) -> [u32; 3] {
        [4, 2, 1]
    }
    fn local_bytes(&self) -> u32 {
        0
    }
    fn local_memory(&self) -> (u64, u64) {
        (0x100, self.local)
    }
    fn accesses_words(&self) -> bool {
        true
    }
    fn digest(&self, d: &mut Digest) {
        d.put(self.groups);
    }
}

#[derive(Clone)]
struct Counter {
    id: u32,
    byte: Vec<u8>,
    group: Option<u64>,
    wake: u64,
    ended: u32,
    vacated: bool,
    count: Count,
    /// Which it was given, and when.
    taken: Vec<(u64, u64)>,
    /// Local memory that it was told is nobody's any more, by launch.
    dead: Vec<Option<(u64, u64)>>,
    /// How often it was told that its bits were changed.
    touched: u32,
}

impl Core for Counter {
    type Config = u32;
    type Kernel = Countdown;
    type Prepared = ();
    type Trap = (u32, GivenUp);
    type Witness = ();
    type Counters = Count;

    fn config(_: &ChipSpec) -> Result<u32, ChipError> {
        Ok(CORES)
    }
    fn rules(config: &u32) -> Rules {
        Rules {
            cores: *config,
            kernel_latency: KERNEL_LATENCY,
            flush_l2: false,
            apart: false,
            room_is_told: false,
        }
    }
    fn new(_: &ChipSpec, _: &u32, id: u32) -> Counter {
        Counter {
            id,
            byte: vec![0],
            group: None,
            wake: u64::MAX,
            ended: 0,
            vacated: false,
            count: Count::default(),
            taken: Vec::new(),
            dead: Vec::new(),
            touched: 0,
        }
    }
    fn prepare(_: &Countdown) {}
    fn begin(_: &(), _: u64, _: &Countdown) {}
    fn enter_kernel<P: Probe>(
        &mut self,
        _: u64,
        _: &u32,
        stale: &Stale<'_>,
        _: &mut Vec<Request>,
        _: &mut P,
    ) {
        self.dead.push(stale.local);
    }
    fn admit<P: Probe>(&mut self, index: u64, cx: &mut Cx<'_, Self, P>) -> bool {
        if self.group.is_some() {
            return false;
        }
        self.group = Some(index);
        self.taken.push((index, cx.now));
        self.byte[0] = cx.kernel.from;
        self.wake = if cx.kernel.sleeps { u64::MAX } else { cx.now + 1 };
        true
    }
    fn next_admission(&self) -> u64 {
        0
    }
    fn step<P: Probe>(&mut self, cx: &mut Cx<'_, Self, P>) -> Result<(), (u32, GivenUp)> {
        self.count.issued += 1;
        self.count.active += 1;
        self.byte[0] = self.byte[0].wrapping_sub(1);
        self.wake = cx.now + 1;
        if self.byte[0] == 0 {
            self.group = None;
            self.ended += 1;
            self.vacated = true;
            self.wake = u64::MAX;
        }
        Ok(())
    }
    fn receive<P: Probe>(&mut self, _: Reply, _: &mut Cx<'_, Self, P>) {}
    fn fill<P: Probe>(&mut self, _: u64, _: Reply, _: &mut Vec<Request>, _: &mut P) {}
    fn wake(&self) -> u64 {
        self.wake
    }
    fn take_ended(&mut self) -> u32 {
        std::mem::take(&mut self.ended)
    }
    fn take_vacated(&mut self) -> bool {
        std::mem::take(&mut self.vacated)
    }
    fn rouse(&mut self, _: Kind, now: u64) {
        self.wake = now;
    }
    fn touched(&mut self, _: u64) {
        self.touched += 1;
    }
    fn abandon(&mut self, _: u64) {
        self.group = None;
        self.wake = u64::MAX;
    }
    fn idle_until(&mut self, _: u64) {}
    fn account(&mut self, _: u64) {}
    fn counters(&self) -> Count {
        self.count.clone()
    }
    fn schedulers(_: &u32) -> u32 {
        1
    }
    fn counts(&self, at: u64) -> Counts {
        let mut counts = Counts::default();
        counts.set(pmu::Counter::WarpInsts, self.count.issued);
        counts.set(pmu::Counter::CtasLaunched, self.taken.len() as u64);
        // Something that time alone moves.
        counts.set(pmu::Counter::StallNoWarp, at);
        counts
    }
    fn give_up(cores: &[Self], why: GivenUp) -> (u32, GivenUp) {
        (cores.iter().find(|c| c.group.is_some()).map_or(u32::MAX, |c| c.id), why)
    }
    fn visit(&mut self, v: &mut dyn Visitor) {
        let id = ArrayId::data(Kind::Smem, self.id);
        if v.wants(id) {
            let axes = vec![Axis::new("byte", 1), Axis::new("bit", 8)];
            let (kind, path) = ("smem".to_string(), format!("sm{}", self.id));
            let layout = Layout { id, kind, path, axes, parted: false };
            v.array(&layout, &mut Bytes(&mut self.byte));
        }
    }
    fn core_of(_: &u32, array: ArrayId) -> usize {
        array.instance as usize
    }
    fn digest(&self, now: u64, d: &mut Digest) {
        d.bytes(&self.byte);
        d.time(now, self.wake);
    }
    fn token(&self, _: u8, _: u32, _: bool) -> u64 {
        0
    }
    fn owner(&self, _: Site, running: Option<&Begun>) -> Owner {
        let cta = self.group.map(|g| [g as u32, 0, 0]);
        Owner { cta, offset: running.map(|r| r.base), ..Owner::default() }
    }
    fn local_owner(_: &[Self], _: &u32, _: u64, _: &Begun, _: &mut Owner) {}
    fn count_in_use(&mut self) {}
    fn held(&self) -> Vec<&Held> {
        Vec::new()
    }
    fn lines_in_use(&self) -> Vec<(&str, &LinesInUse)> {
        Vec::new()
    }
    fn become_ghost_in_flight(&mut self, _: &Ghosts, _: u32) {}
    fn forget_ghosts(&mut self) {}
}

fn machine() -> Machine<Counter> {
    Machine::new(&ChipSpec::preset("rtx2060").expect("a chip")).expect("a machine")
}

fn down(groups: u64, from: u8) -> Countdown {
    Countdown { local: 0, groups, from, sleeps: false }
}

/// Does nothing but note what it saw.
#[derive(Default)]
struct Notes {
    check_every: u64,
    next: u64,
    seen: Vec<(u64, Vec<u128>)>,
}

impl Attendant<Counter> for Notes {
    fn progress(&mut self, _: u64, _: u64) {}
    fn next_check(&self) -> u64 {
        if self.check_every == 0 { u64::MAX } else { self.next }
    }
    fn check(&mut self, standing: &Standing<'_, Counter>) {
        let digests = (0..standing.parts()).map(|part| standing.digest(part)).collect();
        self.seen.push((standing.cycle() - standing.start(), digests));
        self.next = standing.cycle() + self.check_every;
    }
}

fn bit(core: u32, bit: u64) -> Site {
    Site { array: ArrayId::data(Kind::Smem, core), bit }
}

#[test]
fn work_groups_go_to_cores_in_turn_and_time_is_the_longest_of_them() {
    let mut m = machine();
    let c = m.run(&down(7, 20), Limits::default(), &mut Quiet, &mut Notes::default()).unwrap();
    // The first three at once; a core that ended is free a cycle later.
    let first = u64::from(KERNEL_LATENCY);
    let taken: Vec<_> = m.cores.iter().map(|c| c.taken.clone()).collect();
    let again = first + 20 + 1;
    assert_eq!(taken[0], [(0, first), (3, again), (6, again + 21)]);
    assert_eq!(taken[1], [(1, first), (4, again)]);
    assert_eq!(taken[2], [(2, first), (5, again)]);
    assert_eq!(c.cycles, again + 21 + 20);
    assert_eq!((c.cores.issued, c.busiest, c.sms_used), (7 * 20, 3 * 20, 3));
    // The next launch counts its own.
    let c = m.run(&down(1, 5), Limits::default(), &mut Quiet, &mut Notes::default()).unwrap();
    assert_eq!((c.cores.issued, c.busiest, c.sms_used), (5, 5, 1));
    assert_eq!(
        m.begun().iter().map(|b| (b.launch, b.base)).collect::<Vec<_>>(),
        [(0, 0x1000), (1, 0x1000)]
    );
}

#[test]
fn local_memory_that_lies_otherwise_is_nobodys() {
    let mut m = machine();
    for local in [0, 8, 8, 0, 8, 16, 8] {
        let kernel = Countdown { local, ..down(1, 5) };
        m.run(&kernel, Limits::default(), &mut Quiet, &mut Notes::default()).unwrap();
    }
    let told = [None, None, None, None, None, Some((0x100, 8)), Some((0x100, 16))];
    assert!(m.cores.iter().all(|c| c.dead == told), "{:?}", m.cores[0].dead);
}

#[test]
fn what_cannot_go_on_is_given_up_where_a_warp_is() {
    let mut m = machine();
    let sleeps = Countdown { local: 0, groups: 1, from: 9, sleeps: true };
    let stuck = m.run(&sleeps, Limits::default(), &mut Quiet, &mut Notes::default());
    assert_eq!(stuck.unwrap_err(), (0, GivenUp::Deadlock));
    // Nothing of it is left.
    assert!(m.run(&down(3, 4), Limits::default(), &mut Quiet, &mut Notes::default()).is_ok());
}

#[test]
fn a_launch_may_take_up_to_its_limit() {
    let whole = u64::from(KERNEL_LATENCY) + 100;
    let run = |cycle| {
        let limits = Limits { cycle, ..Limits::default() };
        let mut m = machine();
        let ran = m.run(&down(1, 100), limits, &mut Quiet, &mut Notes::default());
        (ran.map(|c| c.cycles), m.cycle())
    };
    assert_eq!(run(whole), (Ok(whole), whole));
    assert_eq!(run(whole - 1), (Err((0, GivenUp::Cycles(whole - 1))), whole - 1));
}

#[test]
fn a_change_comes_before_anything_else_in_its_cycle() {
    // The countdown of core 0 stands at 100 - n before it does anything in
    // cycle KERNEL_LATENCY + 1 + n.
    let at = u64::from(KERNEL_LATENCY) + 1 + 36;
    let cycles = |change: Option<Change>| {
        let mut m = machine();
        m.record_hits();
        change.into_iter().for_each(|c| m.plan(at, c));
        let c = m.run(&down(1, 100), Limits::default(), &mut Quiet, &mut Notes::default());
        (c.unwrap().cycles, m)
    };
    let (right, m) = cycles(None);
    assert_eq!(m.cores.iter().map(|c| c.touched).sum::<u32>(), 0);
    // 64 with bit 6 flipped is 0, which counts all the way down again.
    let (wrong, m) = cycles(Some(Change::Flip(bit(0, 6))));
    assert_eq!(wrong, right + (256 - 64));
    assert_eq!(m.cores[0].touched, 1);
    let hits = m.hits().expect("recorded");
    assert_eq!((hits.all.len(), hits.allocated), (1, 1));
    assert_eq!((hits.first[0].cycle, hits.first[0].before), (at, Some(true)));
    assert_eq!(hits.first[0].owner.cta, Some([0, 0, 0]));
    assert_eq!(hits.first[0].owner.kernel.as_deref(), Some("countdown"));
}

#[test]
fn digests_tell_states_apart_and_know_only_times_from_now_on() {
    let look = |m: &mut Machine<Counter>| {
        let mut notes = Notes { check_every: 7, next: m.cycle(), ..Notes::default() };
        m.run(&down(2, 50), Limits::default(), &mut Quiet, &mut notes).unwrap();
        notes.seen
    };
    let mut m = machine();
    let first = look(&mut m);
    assert!(first.len() > 5);
    // Another launch of the same from the same state, later.
    m.next_core = 0;
    let second = look(&mut m);
    let same = first.iter().zip(&second).filter(|(a, b)| a.1[1..] == b.1[1..]).count();
    assert_eq!(same, first.len());
    // Two cores that are one apart differ; so do two moments.
    let mut other = machine();
    other.plan(20, Change::Flip(bit(1, 0)));
    let third = look(&mut other);
    let last = |seen: &[(u64, Vec<u128>)]| seen.iter().find(|(at, _)| *at == 21).unwrap().1.clone();
    let (a, b) = (last(&first), last(&third));
    assert_eq!((a[1] == b[1], a[2] == b[2]), (true, false));
    assert!(first.windows(2).skip(2).take(4).all(|w| w[0].1[1] != w[1].1[1]));
}

#[test]
fn looks_see_the_moment_and_change_nothing() {
    use std::ops::ControlFlow::{Break, Continue};
    let mut plain = machine();
    let right = plain.run(&down(4, 30), Limits::default(), &mut Quiet, &mut Notes::default());
    let mut m = machine();
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let own = std::sync::Arc::clone(&seen);
    let looks = [(1, 3), (2, 15), (3, 30), (4, 31)]
        .map(|(id, cycle)| Look { id, cycle, site: bit(0, 0) })
        .to_vec();
    m.look(
        looks,
        std::sync::Arc::new(std::sync::Mutex::new(move |id, seen: crate::Seen| {
            own.lock().unwrap().push((id, seen.allocated));
            if id < 3 { Continue(()) } else { Break(()) }
        })),
    );
    let looked = m.run(&down(4, 30), Limits::default(), &mut Quiet, &mut Notes::default());
    assert_eq!(looked.unwrap(), right.unwrap());
    assert_eq!(*seen.lock().unwrap(), [(1, false), (2, true), (3, true)]);
}

#[test]
fn a_run_becomes_a_ghost_by_flipping_the_bits_in_which_it_differs() {
    let mut m = machine();
    let mut probe = Haunted::default();
    let leaving = probe.ghosts.add(0, vec![bit(1, 3), bit(2, 0)]);
    let staying = probe.ghosts.add(0, vec![bit(1, 4)]);
    m.apply_due(&mut probe);
    // Followed by their differences: the machine's own bits are as they were.
    assert_eq!(bit(1, 3).read(&mut m), Some(false));
    probe.ghosts.leave(leaving);
    // Whoever forks stays behind here, without it.
    let mut parent = (m.clone(), probe.clone());
    parent.0.let_ghosts_go(&mut parent.1, &mut |_, _| false);
    assert_eq!(bit(1, 3).read(&mut parent.0), Some(false));
    assert!(parent.1.ghosts.is_followed(staying) && !parent.1.ghosts.is_followed(leaving));
    // The child is the one that left, and follows nobody.
    m.let_ghosts_go(&mut probe, &mut |_, _| true);
    let bits = [bit(1, 3), bit(2, 0), bit(1, 4), bit(0, 3)];
    assert_eq!(bits.map(|b| b.read(&mut m)), [Some(true), Some(true), Some(false), Some(false)]);
    assert!(probe.ghosts.is_calm());
}

#[test]
fn work_groups_keep_to_the_cores_they_are_told() {
    let mut m = machine();
    let mut run = |cores: &[usize]| {
        m.keep_to(cores);
        m.cores.iter_mut().for_each(|c| c.taken.clear());
        m.run(&down(7, 3), Limits::default(), &mut Quiet, &mut Notes::default()).unwrap();
        m.cores.iter().map(|c| c.taken.len()).collect::<Vec<_>>()
    };
    assert_eq!(run(&[1])[..2], [0, 7]);
    // Nobody waits for a core that is not there.
    let all = run(&[99]);
    assert!(all.iter().all(|&n| n > 0) && all.iter().sum::<usize>() == 7, "{all:?}");
}
