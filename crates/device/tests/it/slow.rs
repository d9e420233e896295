//! A machine that steps every cycle, and looks in it at whatever could do
//! anything, does the same as one that skips what it need not look at: without
//! faults, and with any bit of any array stuck, wires and latches included.

use rayon::prelude::*;
use upset_device::{Change, Device};
use upset_sass::Arch;
use upset_state::{Force, Quirk, Registry};
use upset_testkit::Rng;
use upset_testkit::generate::{Program, chip, run};

use crate::completeness::{Subject, programs};

/// What a run shows: end, cycles, statistics, and the state at its end.
fn shown(subject: &Subject<'_>, holds: &[(u64, Change)], limit: u64, slow: bool) -> [String; 2] {
    let mut device = Device::timed(&subject.chip).expect("a device");
    device.limit_cycles(limit);
    if slow {
        device.go_slowly();
    }
    for &(cycle, change) in holds {
        device.plan(cycle, change);
    }
    let ended = (subject.run)(&mut device);
    [format!("{ended:?} {:?} {:?}", device.cycles(), device.stats()), device.digest()]
}

fn registry(subject: &Subject<'_>) -> (Registry, u64) {
    let mut device = Device::timed(&subject.chip).expect("a device");
    (subject.run)(&mut device).expect("it runs");
    let cycles = device.cycles().expect("cycles");
    (Registry::of(device.machine_mut().expect("a machine")), cycles)
}

/// Kinds whose bits steer or are wires.
fn logic(registry: &Registry) -> Vec<String> {
    let mut kinds: Vec<String> = registry
        .arrays
        .iter()
        .filter(|l| l.id.kind.about().wire || l.id.kind.about().steers)
        .map(|l| l.kind.clone())
        .collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// A bit of a kind that sticks from a cycle on, for a time or for good.
fn draw(kind: &str, registry: &Registry, cycles: u64, rng: &mut Rng) -> Vec<(u64, Change)> {
    // The first SM has work whatever the program.
    let first = |path: &str| path.split('.').next() == Some("sm0");
    let arrays: Vec<_> =
        registry.arrays.iter().filter(|l| l.kind == kind && first(&l.path)).collect();
    let layout = arrays[rng.below(arrays.len() as u32) as usize];
    // Slots in use come first.
    let bits = (layout.bits() >> rng.below(6)).max(1);
    let force = Force { array: layout.id, bit: rng.u64() % bits, value: rng.below(2) == 1 };
    let from = if rng.below(3) == 0 { 0 } else { rng.u64() % cycles };
    let mut changes = vec![(from, Change::Hold(force))];
    if rng.below(3) == 0 {
        changes.push((from + 1 + rng.u64() % cycles, Change::LetGo(force)));
    }
    changes
}

/// A few bits of a kind that misbehave from a cycle on, for a time or for good;
/// stuck ones where such a bit can only stick.
fn misbehave(kind: &str, registry: &Registry, cycles: u64, rng: &mut Rng) -> Vec<(u64, Change)> {
    let stuck = draw(kind, registry, cycles, rng);
    let Change::Hold(Force { array, bit, .. }) = stuck[0].1 else { return stuck };
    if !array.kind.about().wire || array.kind.about().looked_through {
        return stuck;
    }
    let seed = rng.below(1000);
    let how = [
        "invert".into(),
        format!("stuck0(rate=0.5,seed={seed})"),
        format!("stuck1(rate=0.5,seed={seed})"),
        format!("invert(rate=0.02,seed={seed})"),
        format!("syndrome(units,rate=0.5,seed={seed})"),
        "stuck1(if a&0x1=0x1)".into(),
    ];
    let operands = usize::from(array.kind.about().operands);
    let how = &how[rng.below((5 + operands) as u32) as usize];
    let quirk = Quirk { array, bit, how: how.parse().expect("a way to misbehave") };
    let part = |(cycle, change)| match change {
        Change::LetGo(_) => (cycle, Change::End(quirk)),
        _ => (cycle, Change::Begin(quirk)),
    };
    stuck.into_iter().map(part).collect()
}

/// Draws a fault of a kind.
type Draw = fn(&str, &Registry, u64, &mut Rng) -> Vec<(u64, Change)>;

/// Faults tried, and those that changed the run.
fn check(subject: &Subject<'_>, each: usize, seed: u64, draw: Draw) -> [usize; 2] {
    let mut rng = Rng::new(seed ^ 0x0510);
    let (registry, cycles) = registry(subject);
    let limit = cycles + cycles / 4 + 1000;
    let golden = shown(subject, &[], limit, false);
    assert_eq!(golden, shown(subject, &[], limit, true), "{}", subject.name);
    let (mut tried, mut changed) = (0, 0);
    for kind in logic(&registry) {
        for _ in 0..each {
            let holds = draw(&kind, &registry, cycles, &mut rng);
            let fast = shown(subject, &holds, limit, false);
            let slow = shown(subject, &holds, limit, true);
            let name = holds[0].1.site().name(&registry);
            assert_eq!(fast, slow, "{}: {name:?} {holds:?}", subject.name);
            tried += 1;
            changed += usize::from(fast != golden);
        }
    }
    [tried, changed]
}

fn check_programs((first, last): (u64, u64), each: usize, draw: Draw) -> [usize; 2] {
    let one = |seed: u64| {
        let arch = [Arch::Sm75, Arch::Sm90, Arch::Sm70][seed as usize % 3];
        let program = Program::with_size(seed, arch, 24);
        let subject = Subject {
            name: format!("program {seed} for {arch:?}"),
            // A slow machine steps every SM: few of them, each with more to do.
            chip: chip(&program).and_then(|c| c.with(&["sm.count=4"])).expect("a chip"),
            run: &|device| run(&program, device).map(|m| m.digest),
        };
        check(&subject, each, seed, draw)
    };
    let add = |a: [usize; 2], b: [usize; 2]| [a[0] + b[0], a[1] + b[1]];
    let sums = (first..last).into_par_iter().map(one).reduce(|| [0; 2], add);
    println!("{} broken bits, {} of them changed the run: fast and slow agree", sums[0], sums[1]);
    sums
}

#[test]
fn a_machine_that_skips_nothing_does_the_same() {
    let [tried, changed] = check_programs(programs((0, 6)), 4, draw);
    assert!(tried >= 300 && changed > tried / 10, "{tried} {changed}");
}

/// Wires that misbehave now and then, too: the scheduler looks at them in every cycle.
#[test]
fn a_machine_that_skips_nothing_misbehaves_alike() {
    let [tried, changed] = check_programs(programs((20, 24)), 4, misbehave);
    assert!(tried >= 150 && changed > tried / 10, "{tried} {changed}");
}

/// At least 5,000 over all kinds (docs/exactness.md).
#[test]
#[ignore = "takes minutes"]
fn a_machine_that_skips_nothing_does_the_same_thousands_of_times() {
    let [tried, changed] = check_programs(programs((100, 160)), 6, draw);
    assert!(tried >= 5000 && changed > tried / 10, "{tried} {changed}");
}
