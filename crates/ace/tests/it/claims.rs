//! Bits flipped that the analysis calls harmless.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use upset_ace::{Answer, Listening};
use upset_chip::ChipSpec;
use upset_device::{Change, Device};
use upset_state::{ArrayId, Part, Registry, Site, Watch};
use upset_testkit::Rng;

/// Something that runs on a chip.
pub struct Bench<'a> {
    /// What it is.
    pub name: String,
    /// The chip.
    pub chip: &'a ChipSpec,
    /// Runs it: what the host sees, or none when it failed.
    pub run: &'a dyn Fn(&mut Device) -> Option<String>,
    /// Arrays that are analysed, and how many bits of each are asked about.
    pub kinds: &'a [(&'a str, usize)],
}

/// What was tried.
#[derive(Debug, Default, Clone, Copy)]
pub struct Tried {
    /// Flips that only the refined bound leaves out.
    pub refined: usize,
    /// Flips that both bounds leave out.
    pub plain: usize,
    /// Flips that count, and those of them that did harm.
    pub counted: (usize, usize),
}

impl Bench<'_> {
    fn device(&self) -> Device {
        Device::timed(self.chip).expect("a device")
    }

    /// Bits of rows that are in use, at cycles at which they are.
    fn samples(&self, rng: &mut Rng) -> (Vec<(Site, u64)>, Registry, u64) {
        type Used = BTreeMap<(ArrayId, u32), (u64, u64)>;
        let rows: Arc<Mutex<Used>> = Arc::default();
        let log = rows.clone();
        let mut device = self.device();
        device.watch(Watch::observe(move |e| {
            let mut rows = log.lock().expect("nobody panics");
            rows.entry((e.array, e.row)).or_insert((e.cycle, 0)).1 = e.cycle;
        }));
        (self.run)(&mut device).expect("it runs");
        let end = device.cycles().expect("cycles");
        let registry = Registry::of(device.machine_mut().expect("a machine"));
        let rows = rows.lock().expect("nobody panics");
        let mut samples = Vec::new();
        for &(kind, count) in self.kinds {
            let of_kind = |id: &ArrayId| registry.layout(*id).is_some_and(|l| l.kind == kind);
            let used: Vec<_> = rows.iter().filter(|((id, _), _)| of_kind(id)).collect();
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

    /// Checks the claims: flips up to `most` of each sort.
    pub fn check(&self, seed: u64, most: usize) -> Tried {
        let mut rng = Rng::new(seed ^ 0xace);
        let (samples, registry, end) = self.samples(&mut rng);
        let mut device = self.device();
        let listening = Listening::asking(&mut device, &registry, &samples);
        let golden = (self.run)(&mut device);
        let ace = listening.finish(&mut device);
        assert_eq!(ace.answers.len(), samples.len());
        for bound in &ace.bounds {
            assert!((0.0..=1.0).contains(&bound.avf), "{bound:?}");
            assert!(bound.refined <= bound.avf && bound.avf <= bound.avf_util, "{bound:?}");
        }
        let harmful = |i: usize| {
            let (site, cycle) = samples[i];
            let mut device = self.device();
            device.limit_cycles(4 * end + 1000);
            device.plan(cycle, Change::Flip(site));
            (self.run)(&mut device) != golden
        };
        let about = |i: usize| {
            let (site, cycle) = samples[i];
            format!("{}: {}@{cycle}", self.name, site.name(&registry).unwrap_or_default())
        };
        let refined = of(&ace.answers, |a| a.ace && !a.refined);
        let plain = of(&ace.answers, |a| !a.ace);
        let counted = of(&ace.answers, |a| a.refined);
        assert!(ace.answers.iter().all(|a| a.ace || !a.refined), "{}: refined alone", self.name);
        for &i in refined.iter().take(most) {
            assert!(!harmful(i), "{}: not in the refined bound, but harmful", about(i));
        }
        let few = plain.iter().step_by(plain.len() / most.max(1) + 1);
        for &i in few.clone() {
            assert!(!harmful(i), "{}: not in the bound, but harmful", about(i));
        }
        let some: Vec<usize> = counted.iter().copied().step_by(counted.len() / 12 + 1).collect();
        let harm = some.iter().filter(|&&i| harmful(i)).count();
        Tried { refined: refined.len().min(most), plain: few.count(), counted: (some.len(), harm) }
    }
}

fn of(answers: &[Answer], wanted: impl Fn(&Answer) -> bool) -> Vec<usize> {
    answers.iter().enumerate().filter(|(_, a)| wanted(a)).map(|(i, _)| i).collect()
}
