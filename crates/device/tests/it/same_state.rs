//! Equal digests, equal future.
//!
//! Random programs run with random bits flipped, and their state is digested
//! every few cycles. Where it is the fault-free run's, it must stay so at every
//! later look, and the runs must end alike: a part of the state that the
//! digests forget would show as a run that leaves again.

use std::sync::{Arc, Mutex};

use upset_device::{Change, Checks, Device, Stands};
use upset_sass::Arch;
use upset_state::{Registry, Site};
use upset_testkit::Rng;
use upset_testkit::generate::{Program, chip, run};

use crate::completeness::{Subject, programs};

/// One look at a run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Look {
    launch: u64,
    offset: u64,
    start: u64,
    heard: u128,
    parts: Vec<u128>,
}

impl Look {
    /// Whether it is the same state in the same place of the run.
    fn is(&self, other: &Look) -> bool {
        let of = |l: &Look| (l.launch, l.offset, l.heard);
        of(self) == of(other) && self.parts == other.parts
    }
}

/// Looks every `stride` cycles of a launch.
struct Looks {
    stride: u64,
    launch: u64,
    start: u64,
    next: u64,
    list: Arc<Mutex<Vec<Look>>>,
    sees_time: Arc<Mutex<bool>>,
}

impl Checks for Looks {
    fn begin(&mut self, launch: u64, cycle: u64, sees_time: bool) {
        (self.launch, self.start, self.next) = (launch, cycle, cycle);
        *self.sees_time.lock().unwrap() |= sees_time;
    }

    fn next(&self) -> u64 {
        self.next
    }

    fn check(&mut self, standing: &dyn Stands, heard: u128) {
        let offset = standing.cycle() - self.start;
        if standing.cycle() == self.next && standing.is_left_alone() {
            let parts = (0..standing.parts()).map(|p| standing.digest(p)).collect();
            let (launch, start) = (self.launch, self.start);
            self.list.lock().unwrap().push(Look { launch, offset, start, heard, parts });
        }
        self.next = self.start + (offset / self.stride + 1) * self.stride;
    }
}

/// What a run showed, and how it ended.
struct Run {
    looks: Vec<Look>,
    ended: String,
    cycles: u64,
    sees_time: bool,
    registry: Registry,
    memory: Vec<u8>,
}

fn observed(subject: &Subject<'_>, flip: Option<(u64, Site)>, limit: u64, stride: u64) -> Run {
    let mut device = Device::timed(&subject.chip).expect("a device");
    device.limit_cycles(limit);
    if let Some((cycle, site)) = flip {
        device.plan(cycle, Change::Flip(site));
    }
    let (list, sees_time) = (Arc::default(), Arc::default());
    device.on_check(Box::new(Looks {
        stride,
        launch: 0,
        start: 0,
        next: 0,
        list: Arc::clone(&list),
        sees_time: Arc::clone(&sees_time),
    }));
    let ended = format!("{:?}", (subject.run)(&mut device));
    let looks = std::mem::take(&mut *list.lock().unwrap());
    let sees_time = *sees_time.lock().unwrap();
    let machine = device.machine_mut().expect("a machine");
    let registry = Registry::of(machine);
    let memory = machine.mem().global().storage().to_vec();
    Run { looks, ended, cycles: device.cycles().unwrap_or(0), sees_time, registry, memory }
}

/// A bit of a random array in a random cycle.
pub(crate) fn draw(registry: &Registry, cycles: u64, rng: &mut Rng) -> (u64, Site) {
    // Kinds first: most bits are in a few large arrays.
    let mut kinds: Vec<(String, upset_state::Part)> =
        registry.arrays.iter().map(|l| (l.kind.clone(), l.id.part)).collect();
    kinds.dedup();
    let (kind, part) = &kinds[rng.below(kinds.len() as u32) as usize];
    let of_kind: Vec<_> =
        registry.arrays.iter().filter(|l| l.kind == *kind && l.id.part == *part).collect();
    let layout = of_kind[rng.below(of_kind.len() as u32) as usize];
    // The low end of an array is what small programs use.
    let bits = layout.bits() >> rng.below(8);
    (1 + rng.u64() % cycles, Site { array: layout.id, bit: rng.u64() % bits.max(1) })
}

/// Checks one program with random flips: looks at which a run was another one,
/// runs that came back, and those of them that were late.
pub(crate) fn check(subject: &Subject<'_>, seed: u64) -> [usize; 3] {
    let (mut away, mut back, mut later) = (0, 0, 0);
    let mut rng = Rng::new(seed ^ 0x5a3e);
    let stride = 64 + u64::from(rng.below(200));
    let golden = observed(subject, None, u64::MAX, stride);
    let again = observed(subject, None, u64::MAX, stride);
    assert_eq!(golden.looks, again.looks, "{}: the same twice", subject.name);
    for _ in 0..15 {
        let (cycle, site) = draw(&golden.registry, golden.cycles, &mut rng);
        let faulty = observed(subject, Some((cycle, site)), 4 * golden.cycles, stride);
        let name = site.name(&golden.registry).unwrap_or_default();
        let about = format!("{}: {name}@{cycle}", subject.name);
        let find = |l: &Look| golden.looks.iter().position(|g| g.is(l));
        // The first look after the flip at which it is the fault-free run.
        let after = |l: &&Look| l.start + l.offset >= cycle;
        let mut since = faulty.looks.iter().filter(after).skip_while(|l| {
            let met = find(l).is_some();
            away += usize::from(!met);
            !met
        });
        let Some(met) = since.next() else { continue };
        let at = find(met).expect("it was found");
        let shift = met.start as i64 - golden.looks[at].start as i64;
        if shift != 0 && golden.sees_time {
            continue;
        }
        back += 1;
        later += usize::from(shift != 0);
        for (l, g) in since.zip(&golden.looks[at + 1..]) {
            let parts: Vec<usize> =
                (0..g.parts.len()).filter(|&p| l.parts.get(p) != g.parts.get(p)).collect();
            let place = (l.launch, l.offset, l.start - met.start, g.start - golden.looks[at].start);
            assert!(l.is(g), "{about}: back at {met:?}, left again: {place:?} {parts:?}");
        }
        assert_eq!(faulty.ended, golden.ended, "{about}");
        assert_eq!(faulty.cycles as i64, golden.cycles as i64 + shift, "{about}");
        assert!(faulty.memory == golden.memory, "{about}: memory differs at the end");
    }
    [away, back, later]
}

#[test]
fn a_run_that_is_the_fault_free_one_stays_so() {
    let (first, last) = programs((0, 4));
    let mut sums = [0; 3];
    for seed in first..last {
        let arch = [Arch::Sm75, Arch::Sm70, Arch::Sm90][seed as usize % 3];
        let program = Program::with_size(seed, arch, 24);
        let subject = Subject {
            name: format!("program {seed}, {arch:?}"),
            chip: chip(&program).expect("a chip"),
            run: &|device| run(&program, device).map(|m| m.digest),
        };
        let counts = check(&subject, seed);
        (0..3).for_each(|i| sums[i] += counts[i]);
    }
    let [away, back, later] = sums;
    println!("{away} looks away, {back} runs back, {later} of them later");
    assert!(away > 0 && back > 0, "{away} {back}");
}

/// Digests the state at one cycle.
struct Once {
    at: u64,
    digests: Arc<Mutex<Vec<u128>>>,
}

impl Checks for Once {
    fn begin(&mut self, _: u64, _: u64, _: bool) {}
    fn next(&self) -> u64 {
        self.at
    }
    fn check(&mut self, standing: &dyn Stands, _: u128) {
        self.digests.lock().unwrap().extend((0..standing.parts()).map(|p| standing.digest(p)));
        self.at = u64::MAX;
    }
}

/// Registers and memories count whether somebody owns them or not.
#[test]
fn a_flipped_bit_shows_in_one_part_of_the_state() {
    let program = Program::with_size(3, Arch::Sm75, 24);
    let state = |flip: Option<Site>, at: u64| {
        let mut device = Device::timed(&chip(&program).expect("a chip")).expect("a device");
        if let Some(site) = flip {
            device.plan(at, Change::Flip(site));
        }
        let digests = Arc::default();
        device.on_check(Box::new(Once { at, digests: Arc::clone(&digests) }));
        device.limit_cycles(at + 1);
        let _ = run(&program, &mut device);
        let digests = digests.lock().unwrap().clone();
        (digests, device)
    };
    let at = 400;
    let (right, mut device) = state(None, at);
    assert!(!right.is_empty(), "the program is still running");
    let machine = device.machine_mut().expect("a machine");
    let registry = Registry::of(machine);
    let mut rng = Rng::new(9);
    for kind in ["rf", "smem", "gmem"] {
        let of_kind: Vec<_> = registry.arrays.iter().filter(|l| l.kind == kind).collect();
        for _ in 0..3 {
            let layout = of_kind[rng.below(of_kind.len() as u32) as usize];
            let site = Site { array: layout.id, bit: rng.u64() % layout.bits() };
            let (wrong, _) = state(Some(site), at);
            let differs = right.iter().zip(&wrong).filter(|(a, b)| a != b).count();
            assert_eq!(differs, 1, "{:?}", site.name(&registry));
        }
    }
}
