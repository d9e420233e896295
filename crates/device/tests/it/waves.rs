//! What is claimed of faults holds for AMD's machine too: random programs of
//! waves, on random chips, with random bits flipped.

use upset_device::{Device, DeviceError};
use upset_testkit::waves::{WaveProgram, chip, run};

use crate::completeness::{self, Subject, programs};
use crate::{ghosts, same_state};

/// Arrays whose bits are only ever looked at by value.
const KINDS: [&str; 11] =
    ["vrf", "srf", "lds", "scc", "m0", "ibuf", "l1v", "l1s", "l1i", "l2", "gmem"];

/// Something to do with each program.
fn each<const N: usize>(
    default: (u64, u64),
    mut check: impl FnMut(&Subject<'_>, u64) -> [usize; N],
) -> [usize; N] {
    let (first, last) = programs(default);
    let mut sums = [0; N];
    for seed in first..last {
        let program = WaveProgram::with_size(seed, 12);
        let ended = |device: &mut Device| -> Result<String, DeviceError> {
            run(&program, device).map(|m| m.digest)
        };
        let subject = Subject {
            name: format!("waves {seed} on {}", program.shape.chip),
            chip: chip(&program).expect("a chip"),
            run: &ended,
        };
        let counts = check(&subject, seed);
        (0..N).for_each(|i| sums[i] += counts[i]);
    }
    sums
}

#[test]
fn a_ghost_of_a_wave_is_the_faulty_run() {
    let [never, vain, otherwise] = each((0, 3), |subject, seed| {
        let list = ghosts::draw(&subject.chip, subject.run, &KINDS, 8, seed);
        ghosts::check(&subject.name, &subject.chip, subject.run, &list)
    });
    println!("{never} never left, {vain} left in vain, {otherwise} ended otherwise");
    assert!(never > 0 && otherwise > 0, "{never} {vain} {otherwise}");
}

#[test]
fn what_is_told_of_a_waves_bit_foretells_the_outcome() {
    let sums = each((0, 3), |subject, seed| completeness::check(subject, &KINDS, 300, seed));
    let [untouched, overwritten, used, visible] = sums;
    println!("{untouched} untouched, {overwritten} overwritten, {used} used, {visible} visible");
    assert!(sums.iter().all(|n| *n > 0), "{sums:?}");
}

#[test]
fn a_run_of_waves_that_is_the_fault_free_one_stays_so() {
    let [away, back, later] = each((0, 2), |subject, seed| {
        // Digests of all units of a large chip take long.
        let chip = &subject.chip;
        let chip = chip.with(&["cu.count=2"]).unwrap_or_else(|_| chip.clone());
        same_state::check(&Subject { name: subject.name.clone(), chip, run: subject.run }, seed)
    });
    println!("{away} looks away, {back} runs back, {later} of them later");
    assert!(away > 0 && back > 0, "{away} {back}");
}
