//! Random programs on NVIDIA's chips.

use upset_sass::Arch;
use upset_testkit::generate::{Program, chip, run};

use crate::claims::{Bench, Tried};

/// Arrays that are analysed.
const KINDS: [(&str, usize); 11] = [
    ("rf", 1500),
    ("pred", 150),
    ("ureg", 150),
    ("upred", 150),
    ("smem", 1500),
    ("l1d", 150),
    ("l1t", 150),
    ("l1c", 150),
    ("l1i", 150),
    ("l2", 150),
    ("ibuf", 150),
];

fn check(seed: u64, arch: Arch, most: usize) -> Tried {
    let program = Program::with_size(seed, arch, 24);
    let chip = chip(&program).expect("a chip");
    let bench = Bench {
        name: format!("program {seed} for {arch:?}"),
        chip: &chip,
        run: &|device| run(&program, device).ok().map(|m| m.digest),
        kinds: &KINDS,
    };
    bench.check(seed, most)
}

#[test]
fn what_is_not_counted_does_no_harm() {
    // More programs: UPSET_PROGRAMS=first..last.
    let range = std::env::var("UPSET_PROGRAMS").ok();
    let (first, last) = range
        .as_deref()
        .and_then(|r| r.split_once(".."))
        .and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)))
        .unwrap_or((0, 3));
    let (mut refined, mut harm) = (0, 0);
    for seed in first..last {
        let arch = [Arch::Sm75, Arch::Sm70, Arch::Sm90][seed as usize % 3];
        let tried = check(seed, arch, 20);
        refined += tried.refined;
        harm += tried.counted.1;
    }
    assert!(refined > 0 && harm > 0, "{refined} claims, {harm} harmful");
}
