//! Cores that go beside each other in threads of the host make the run that they make
//! one after the other: without faults, and with any bit of any array flipped.

use rayon::prelude::*;
use upset_device::{Change, Device};
use upset_sass::Arch;
use upset_state::{Registry, Site};
use upset_testkit::Rng;
use upset_testkit::generate::{Program, chip, run};

use crate::completeness::{Subject, programs};
use crate::same_state::draw;

/// What a run shows: end, cycles, statistics, and the state at its end; and how often
/// threads were used.
fn shown(
    subject: &Subject<'_>,
    flip: Option<(u64, Site)>,
    limit: u64,
    in_threads: bool,
) -> ([String; 2], u64) {
    let mut device = Device::timed(&subject.chip).expect("a device");
    device.limit_cycles(limit);
    if in_threads {
        device.use_threads_from(0);
    }
    if let Some((cycle, site)) = flip {
        device.plan(cycle, Change::Flip(site));
    }
    let ended = (subject.run)(&mut device);
    let visible = format!("{ended:?} {:?} {:?}", device.cycles(), device.stats());
    let digest = device.digest();
    ([visible, digest], device.machine().map_or(0, |m| m.went_beside()))
}

/// Flips tried, those that changed the run, and how often threads were used.
fn check(subject: &Subject<'_>, flips: usize, seed: u64) -> [u64; 3] {
    let mut rng = Rng::new(seed ^ 0x7ead);
    let mut device = Device::timed(&subject.chip).expect("a device");
    (subject.run)(&mut device).expect("it runs");
    let cycles = device.cycles().expect("cycles");
    let registry = Registry::of(device.machine_mut().expect("a machine"));
    let limit = 3 * cycles + 10_000;
    let (golden, none) = shown(subject, None, limit, false);
    let (same, mut beside) = shown(subject, None, limit, true);
    assert_eq!((&golden, none), (&same, 0), "{}", subject.name);
    let mut changed = 0;
    for _ in 0..flips {
        let flip = draw(&registry, cycles, &mut rng);
        let (one, _) = shown(subject, Some(flip), limit, false);
        let (other, times) = shown(subject, Some(flip), limit, true);
        assert_eq!(one, other, "{} {:?}@{}", subject.name, flip.1.name(&registry), flip.0);
        changed += u64::from(one != golden);
        beside += times;
    }
    [flips as u64, changed, beside]
}

#[test]
fn threads_change_nothing() {
    let one = |seed: u64| {
        let arch = [Arch::Sm75, Arch::Sm90, Arch::Sm70][seed as usize % 3];
        let program = Program::with_size(seed, arch, 24);
        let subject = Subject {
            name: format!("program {seed} for {arch:?}"),
            chip: chip(&program).expect("a chip"),
            run: &|device| run(&program, device).map(|m| m.digest),
        };
        check(&subject, 40, seed)
    };
    let (first, last) = programs((300, 312));
    let add = |a: [u64; 3], b: [u64; 3]| std::array::from_fn(|i| a[i] + b[i]);
    let sums = (first..last).into_par_iter().map(one).reduce(|| [0; 3], add);
    let [tried, changed, beside] = sums;
    println!("{tried} flips, {changed} changed the run, {beside} stretches in threads: all alike");
    assert!(changed > tried / 20 && beside > tried, "{sums:?}");
}
