//! A ghost counts as used only where a watched run tells a use of its bit.
//!
//! HVF counts flips that got out of their arrays. What moves differences along
//! copies whole rows and lines; only the lanes and bytes that take part are
//! uses. (The other way round a use may be told that makes no difference: a line
//! comes from memory for those of its bytes that were not written meanwhile.)

use upset_chip::ChipSpec;
use upset_device::Device;
use upset_sass::Arch;
use upset_state::Ghosts;
use upset_testkit::Rng;
use upset_testkit::generate::{Program, chip, run};

use crate::completeness::{Fate, KINDS, Sample, Subject, samples, texels};

/// How many ghosts were used and how many were not.
fn check(subject: &Subject<'_>, kinds: &[&str], per_kind: usize, seed: u64) -> [usize; 2] {
    let (samples, _) = samples(subject, kinds, per_kind, &mut Rng::new(seed ^ 0x05ed));
    // In cycle 0 the host's copies come before the flip, in all others after it.
    let samples: Vec<Sample> = samples.into_iter().filter(|s| s.cycle > 0).collect();
    let mut device = Device::timed(&subject.chip).expect("a device");
    let list = samples.iter().map(|s| (s.cycle, vec![s.site])).collect();
    device.haunt(Ghosts::of(list), Box::new(|_, _| false));
    (subject.run)(&mut device).expect("it runs");
    let ghosts = device.ghosts().expect("ghosts");
    let mut sums = [0; 2];
    for (i, s) in samples.iter().enumerate() {
        let (found, told) = (ghosts.was_used(i as u32), matches!(s.fate, Fate::Used(_)));
        let about = || format!("{}: {:?}@{}: {:?}", subject.name, s.site, s.cycle, s.fate);
        assert!(told || !found, "{}", about());
        sums[usize::from(found)] += 1;
    }
    sums
}

#[test]
fn a_ghost_is_used_where_its_bit_is() {
    let mut sums = [0; 2];
    for seed in 0..9 {
        let arch = [Arch::Sm75, Arch::Sm70, Arch::Sm90][seed as usize % 3];
        let program = Program::with_size(seed, arch, 24);
        let subject = Subject {
            name: format!("program {seed} for {arch:?}"),
            chip: chip(&program).expect("a chip"),
            run: &|device| run(&program, device).map(|m| m.digest),
        };
        let counts = check(&subject, &KINDS, 300, seed);
        (0..2).for_each(|i| sums[i] += counts[i]);
    }
    println!("{} not used, {} used", sums[0], sums[1]);
    assert!(sums.iter().all(|n| *n > 100), "{sums:?}");
}

#[test]
fn a_ghost_of_a_texel_is_used_where_its_bit_is() {
    let settings = ["sm.count=1", "cache.l1t.sets=1", "cache.l1t.ways=2"];
    let chip = ChipSpec::load("rtx2060", &settings).expect("a chip");
    let subject = Subject { name: "texels".into(), chip, run: &texels };
    let sums = check(&subject, &["l1t", "l2", "rf"], 200, 1);
    assert!(sums.iter().all(|n| *n > 10), "{sums:?}");
}
