//! What the bounds do not count must do no harm: random programs, with bits
//! flipped that the analysis calls harmless.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use upset_ace::{Answer, Listening};
use upset_chip::ChipSpec;
use upset_device::{Change, Device};
use upset_sass::Arch;
use upset_state::{ArrayId, Part, Registry, Site, Watch};
use upset_testkit::Rng;
use upset_testkit::generate::{Program, chip, run};

/// Arrays that are analysed.
const KINDS: [&str; 11] =
    ["rf", "pred", "ureg", "upred", "smem", "l1d", "l1t", "l1c", "l1i", "l2", "ibuf"];

/// What the host sees of a run: the bytes, or that it failed.
fn outcome(
    program: &Program,
    chip: &ChipSpec,
    flip: Option<(Site, u64)>,
    limit: u64,
) -> Option<String> {
    let mut device = Device::timed(chip).expect("a device");
    device.limit_cycles(limit);
    if let Some((site, cycle)) = flip {
        device.plan(cycle, Change::Flip(site));
    }
    run(program, &mut device).ok().map(|m| m.digest)
}

/// Bits of rows that are in use, at cycles at which they are.
fn samples(program: &Program, chip: &ChipSpec, rng: &mut Rng) -> (Vec<(Site, u64)>, Registry, u64) {
    type Used = BTreeMap<(ArrayId, u32), (u64, u64)>;
    let rows: Arc<Mutex<Used>> = Arc::default();
    let log = rows.clone();
    let mut device = Device::timed(chip).expect("a device");
    device.watch(Watch::observe(move |e| {
        let mut rows = log.lock().expect("nobody panics");
        rows.entry((e.array, e.row)).or_insert((e.cycle, 0)).1 = e.cycle;
    }));
    run(program, &mut device).expect("it runs");
    let end = device.cycles().expect("cycles");
    let registry = Registry::of(device.machine_mut().expect("a machine"));
    let rows = rows.lock().expect("nobody panics");
    let mut samples = Vec::new();
    for kind in KINDS {
        let of_kind = |id: &ArrayId| registry.layout(*id).is_some_and(|l| l.kind == kind);
        let used: Vec<_> = rows.iter().filter(|((id, _), _)| of_kind(id)).collect();
        let count = if kind == "rf" || kind == "smem" { 1500 } else { 150 };
        for _ in 0..if used.is_empty() { 0 } else { count } {
            let ((id, row), (first, last)) = used[rng.below(used.len() as u32) as usize];
            let part = match rng.below(4) {
                0 => Part::Tag,
                1 => Part::State,
                _ => Part::Data,
            };
            let Some(layout) = registry.layout(id.with(part)) else { continue };
            let bit = u64::from(*row) * layout.row_bits() + rng.u64() % layout.row_bits();
            // Cycle 0 is special: the host's copies come first.
            let cycle = (first + rng.u64() % (last - first + 1)).max(1);
            if cycle < end && bit < layout.bits() {
                samples.push((Site { array: layout.id, bit }, cycle));
            }
        }
    }
    (samples, registry, end)
}

/// Checks the claims about one program: how many flips were tried that count,
/// and how many of them did harm.
fn check(seed: u64, arch: Arch, most: usize) -> (usize, usize, usize) {
    let program = Program::with_size(seed, arch, 24);
    let chip = chip(&program).expect("a chip");
    let mut rng = Rng::new(seed ^ 0xace);
    let (samples, registry, end) = samples(&program, &chip, &mut rng);
    let mut device = Device::timed(&chip).expect("a device");
    let listening = Listening::asking(&mut device, &registry, &samples);
    let golden = Some(run(&program, &mut device).expect("it runs").digest);
    let ace = listening.finish(&mut device);
    assert_eq!(ace.answers.len(), samples.len());
    for bound in &ace.bounds {
        assert!((0.0..=1.0).contains(&bound.avf), "{bound:?}");
        assert!(bound.refined <= bound.avf && bound.avf <= bound.avf_util, "{bound:?}");
    }
    let limit = 4 * end + 1000;
    let harmful = |i: usize| outcome(&program, &chip, Some(samples[i]), limit) != golden;
    let about = |i: usize| {
        let (site, cycle) = samples[i];
        format!("program {seed} for {arch:?}: {}@{cycle}", site.name(&registry).unwrap_or_default())
    };
    let refined: Vec<usize> = of(&ace.answers, |a| a.ace && !a.refined);
    let plain: Vec<usize> = of(&ace.answers, |a| !a.ace && !a.refined);
    let counted: Vec<usize> = of(&ace.answers, |a| a.refined);
    for &i in refined.iter().take(most) {
        assert!(!harmful(i), "{}: not in the refined bound, but harmful", about(i));
    }
    for &i in plain.iter().step_by(plain.len() / most.max(1) + 1) {
        assert!(!harmful(i), "{}: not in the bound, but harmful", about(i));
    }
    let some: Vec<usize> = counted.iter().copied().step_by(counted.len() / 12 + 1).collect();
    let harm = some.iter().filter(|&&i| harmful(i)).count();
    (refined.len().min(most), some.len(), harm)
}

fn of(answers: &[Answer], wanted: impl Fn(&Answer) -> bool) -> Vec<usize> {
    answers.iter().enumerate().filter(|(_, a)| wanted(a)).map(|(i, _)| i).collect()
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
        let sums = check(seed, arch, 20);
        refined += sums.0;
        harm += sums.2;
    }
    assert!(refined > 0 && harm > 0, "{refined} claims, {harm} harmful");
}
