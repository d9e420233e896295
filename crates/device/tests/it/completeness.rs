//! Every use and every overwrite of a bit is told.
//!
//! Random programs run on random chips with bits flipped. What a watched
//! fault-free run tells of a bit must foretell the outcome:
//! - overwritten, dropped or never touched: the run is the fault-free one, to
//!   the last digit. That holds for any number of such bits together, so one
//!   run checks hundreds of claims;
//! - used: a flip at any cycle since the access before is a flip at the use.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use upset_chip::ChipSpec;
use upset_device::{Change, Device, DeviceError, TexFormat, Texture};
use upset_sass::Arch;
use upset_state::{Access, ArrayId, Event, Part, Registry, Site, Watch};
use upset_testkit::Rng;
use upset_testkit::generate::{Program, chip, run};

use crate::propagation::lab::{ID, Lab, SECOND, THIRD, WORDS, X, ramp, store, texel_fetch};

/// Arrays whose bits are only ever looked at by value.
pub(crate) const KINDS: [&str; 13] = [
    "rf", "pred", "ureg", "upred", "smem", "ibuf", "l1d", "l1t", "l1c", "l1i", "l2", "lmem", "gmem",
];

/// Samples of each kind of array that are used and run alone.
const FEW: usize = 1;

/// Rows with the cycles of their first and last access.
pub(crate) type Used = BTreeMap<(ArrayId, u32), (u64, u64)>;

/// What happens first to a bit from a cycle on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Untouched,
    Overwritten(u64),
    Used(u64),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) site: Site,
    row: u32,
    in_row: u64,
    pub(crate) cycle: u64,
    pub(crate) fate: Fate,
}

impl Sample {
    /// An access to its row.
    fn hear(&mut self, e: &Event) {
        let concerned = e.cycle >= self.cycle && e.covers(self.in_row);
        if self.fate != Fate::Untouched || !concerned {
            return;
        }
        match e.access {
            Access::Read | Access::WriteBack | Access::CopyOut => self.fate = Fate::Used(e.cycle),
            Access::Write | Access::Fill | Access::Evict => {
                self.fate = Fate::Overwritten(e.cycle);
            }
            Access::Allocate | Access::Release => {}
        }
    }
}

/// What a run shows: how it ended, outputs, cycles, statistics.
#[derive(Debug, PartialEq)]
struct Shown {
    visible: String,
    /// Of everything, memory that the host did not look at included.
    digest: String,
}

/// Something that runs on a device: its name, its chip, and what it gives.
pub(crate) struct Subject<'a> {
    pub(crate) name: String,
    pub(crate) chip: ChipSpec,
    pub(crate) run: &'a dyn Fn(&mut Device) -> Result<String, DeviceError>,
}

fn shown(subject: &Subject<'_>, flips: &[(u64, Site)], limit: u64) -> Shown {
    let mut device = Device::timed(&subject.chip).expect("a device");
    device.limit_cycles(limit);
    for &(cycle, site) in flips {
        device.plan(cycle, Change::Flip(site));
    }
    let ended = (subject.run)(&mut device);
    let visible = format!("{ended:?} {:?} {:?}", device.cycles(), device.stats());
    Shown { visible, digest: device.digest() }
}

fn shown_cycles(subject: &Subject<'_>) -> u64 {
    watched(subject, |_| ()).cycles().expect("cycles")
}

fn watched(subject: &Subject<'_>, hear: impl FnMut(&Event) + Send + 'static) -> Device {
    let mut device = Device::timed(&subject.chip).expect("a device");
    device.watch(Watch::observe(hear));
    (subject.run)(&mut device).expect("it runs");
    device
}

/// The rows that a run uses, and the arrays at its end.
pub(crate) fn used_rows(
    chip: &ChipSpec,
    run: &dyn Fn(&mut Device) -> Result<String, DeviceError>,
) -> (Used, Registry) {
    let subject = Subject { name: String::new(), chip: chip.clone(), run };
    let rows: Arc<Mutex<Used>> = Arc::default();
    let log = rows.clone();
    let mut device = watched(&subject, move |e| {
        let mut rows = log.lock().unwrap();
        rows.entry((e.array, e.row)).or_insert((e.cycle, 0)).1 = e.cycle;
    });
    let registry = Registry::of(device.machine_mut().expect("a machine"));
    let rows = rows.lock().unwrap().clone();
    (rows, registry)
}

/// Samples of one program with their fates: bits of rows that are in use.
pub(crate) fn samples(
    subject: &Subject<'_>,
    kinds: &[&str],
    per_kind: usize,
    rng: &mut Rng,
) -> (Vec<Sample>, u64) {
    let (rows, registry) = used_rows(&subject.chip, subject.run);
    let end = shown_cycles(subject);
    let mut samples = Vec::new();
    for &kind in kinds {
        let used: Vec<_> = rows
            .iter()
            .filter_map(|((id, row), cycles)| {
                let layout = registry.layout(*id)?;
                (layout.kind == kind && id.part == Part::Data).then_some((layout, *row, *cycles))
            })
            .collect();
        for _ in 0..if used.is_empty() { 0 } else { per_kind } {
            let (layout, row, (first, last)) = used[rng.below(used.len() as u32) as usize];
            let in_row = rng.u64() % layout.row_bits();
            let bit = u64::from(row) * layout.row_bits() + in_row;
            let cycle = first + rng.u64() % (last - first + 1);
            let site = Site { array: layout.id, bit };
            samples.push(Sample { site, row, in_row, cycle, fate: Fate::Untouched });
        }
    }
    // One flip of a bit: two might cancel.
    samples.sort_by_key(|s| s.site);
    samples.dedup_by_key(|s| s.site);
    let mut of_row: HashMap<(ArrayId, u32), Vec<usize>> = HashMap::new();
    for (i, s) in samples.iter().enumerate() {
        of_row.entry((s.site.array, s.row)).or_default().push(i);
    }
    let shared = Arc::new(Mutex::new(samples));
    let log = shared.clone();
    watched(subject, move |e| {
        if let Some(some) = of_row.get(&(e.array, e.row)) {
            let mut samples = log.lock().unwrap();
            some.iter().for_each(|&i| samples[i].hear(e));
        }
    });
    let samples = shared.lock().unwrap().clone();
    (samples, end)
}

/// The samples among `some` that a run with all of them flipped betrays; few
/// are left of many that are.
fn betrayed(some: &[Sample], right: &dyn Fn(&[Sample]) -> bool) -> Vec<Sample> {
    if right(some) {
        return Vec::new();
    }
    if let [_] = some {
        return some.to_vec();
    }
    let (a, b) = some.split_at(some.len() / 2);
    let found = betrayed(a, right);
    let found = if found.is_empty() { betrayed(b, right) } else { found };
    if found.is_empty() { some.to_vec() } else { found }
}

/// Checks the samples of one program, of those that are used the first few of
/// each kind; how many there were of each fate, and how many were visible.
pub(crate) fn check(
    subject: &Subject<'_>,
    kinds: &[&str],
    per_kind: usize,
    seed: u64,
) -> [usize; 4] {
    let mut rng = Rng::new(seed ^ 0xc0de);
    let (samples, end) = samples(subject, kinds, per_kind, &mut rng);
    let registry = {
        let mut device = Device::timed(&subject.chip).expect("a device");
        Registry::of(device.machine_mut().expect("a machine"))
    };
    let about = |s: &Sample| {
        let name = s.site.name(&registry).unwrap_or_else(|| format!("{:?}", s.site));
        format!("{}: {name}@{}: {:?}", subject.name, s.cycle, s.fate)
    };
    let golden = shown(subject, &[], u64::MAX);
    let limit = 4 * end + 1000;
    let run = |some: &[Sample]| {
        let flips: Vec<_> = some.iter().map(|s| (s.cycle, s.site)).collect();
        shown(subject, &flips, limit)
    };
    let list = |some: Vec<Sample>| some.iter().map(about).collect::<Vec<_>>().join("\n");
    let (untouched, touched): (Vec<_>, Vec<_>) =
        samples.into_iter().partition(|s| s.fate == Fate::Untouched);
    let (overwritten, used): (Vec<_>, Vec<_>) =
        touched.into_iter().partition(|s| matches!(s.fate, Fate::Overwritten(_)));
    let noticed = list(betrayed(&overwritten, &|some| run(some) == golden));
    assert!(noticed.is_empty(), "nobody can have noticed, but\n{noticed}");
    // Nobody looked at these, so bits of memory may still be wrong at the end.
    let noticed = list(betrayed(&untouched, &|some| run(some).visible == golden.visible));
    assert!(noticed.is_empty(), "nobody can have noticed, but\n{noticed}");
    let mut visible = 0;
    let mut tried: BTreeMap<_, usize> = BTreeMap::new();
    for s in &used {
        let Fate::Used(cycle) = s.fate else { continue };
        let tries = tried.entry(s.site.array.kind).or_default();
        *tries += 1;
        if *tries > FEW {
            continue;
        }
        let faulty = run(&[*s]);
        let late = shown(subject, &[(cycle, s.site)], limit);
        assert_eq!(faulty, late, "{}: the same as a flip at its use", about(s));
        visible += usize::from(faulty != golden);
    }
    [untouched.len(), overwritten.len(), used.len(), visible]
}

/// Seeds of programs: more than the default by UPSET_PROGRAMS=first..last.
pub(crate) fn programs(default: (u64, u64)) -> (u64, u64) {
    let range = std::env::var("UPSET_PROGRAMS").ok();
    let parts = range.as_deref().and_then(|r| r.split_once(".."));
    parts.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?))).unwrap_or(default)
}

#[test]
fn what_is_told_of_a_bit_foretells_the_outcome() {
    let (first, last) = programs((0, 6));
    let mut sums = [0; 4];
    for seed in first..last {
        let arch = [Arch::Sm75, Arch::Sm70, Arch::Sm90][seed as usize % 3];
        let program = Program::with_size(seed, arch, 24);
        let subject = Subject {
            name: format!("program {seed} for {arch:?}"),
            chip: chip(&program).expect("a chip"),
            run: &|device| run(&program, device).map(|m| m.digest),
        };
        let counts = check(&subject, &KINDS, 300, seed);
        (0..4).for_each(|i| sums[i] += counts[i]);
    }
    let [untouched, overwritten, used, visible] = sums;
    println!("{untouched} untouched, {overwritten} overwritten, {used} used, {visible} visible");
    assert!(untouched > 0 && overwritten > 0 && used > 0 && visible > 0, "{sums:?}");
}

/// Three launches read two textures by turns: through a cache of two lines.
pub(crate) fn texels(device: &mut Device) -> Result<String, DeviceError> {
    let body = [texel_fetch(X, ID), store(SECOND, X), texel_fetch(X, ID), store(THIRD, X)];
    let mut lab = Lab { device: std::mem::replace(device, spare()) };
    let program = lab.kernel_with(&body, |k| k.params = vec![8, 8, 8, 8]);
    let out = lab.buffer(&[0; 2 * WORDS]);
    let mut seen = Vec::new();
    let mut result = Ok(());
    for i in 0..3 {
        let texels = lab.buffer(&ramp(WORDS, i + 2));
        let texture = Texture::linear(texels.0, 4 * WORDS as u64, TexFormat::F32);
        let handle = lab.device.texture_object(texture);
        let args = [texels.0, out.0, out.0 + 128, handle];
        result = result.and_then(|()| lab.run_with(program, &args));
        seen.extend(lab.words(out, 2 * WORDS));
    }
    *device = lab.device;
    result.map(|()| format!("{seen:?}"))
}

#[test]
fn what_is_told_of_texels_foretells_the_outcome() {
    let settings = ["sm.count=1", "cache.l1t.sets=1", "cache.l1t.ways=2"];
    let chip = ChipSpec::load("rtx2060", &settings).expect("a chip");
    let subject = Subject { name: "texels".into(), chip, run: &texels };
    let [_, overwritten, used, visible] = check(&subject, &["l1t", "l2", "rf"], 200, 1);
    assert!(overwritten > 0 && used > 0 && visible > 0, "{overwritten} {used} {visible}");
}

/// A device to leave in another's place for a while.
pub(crate) fn spare() -> Device {
    let chip = ChipSpec::load("rtx2060", &["sm.count=1"]).expect("a chip");
    Device::new(&chip).expect("a device")
}
