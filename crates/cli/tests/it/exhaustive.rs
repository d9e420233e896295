//! Exact counts against every flip for itself.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use upset_apps::{AppError, Scale};
use upset_campaign::golden::Bench;
use upset_chip::ChipSpec;
use upset_fault::{Space, Structure};
use upset_metrics::{Class, Counts, Sdc};
use upset_state::{Access, Change, Event, Site, Watch};
use upset_trial::{End, Reference, judge};

use crate::{code, stderr, stdout, upset};

const SAXPY: &str = "docs/examples/saxpy";
/// One SM with two warps, one line of constant cache.
const SMALL: [&str; 13] = [
    "sm.count=1",
    "sm.subcores=1",
    "sm.warps=2",
    "sm.threads=64",
    "sm.threads_per_cta=64",
    "sm.ctas=1",
    "scheduler.per_sm=1",
    "registers.partitions=1",
    "registers.per_sm=2048",
    "registers.per_cta=2048",
    "cache.l1c.sets=1",
    "cache.l1c.ways=1",
    "cache.l1i.ways=8",
];

fn exhaustive(args: &[&str]) -> std::process::Output {
    let mut all = vec!["exhaustive", "--quiet", "--chip", "rtx2060"];
    all.extend(SMALL.iter().flat_map(|set| ["--set", set]));
    all.extend(args);
    upset(&all)
}

fn row(args: &[&str]) -> Value {
    let out = exhaustive(&[args, &["--json", "-"]].concat());
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    let all: Value = serde_json::from_str(&stdout(&out)).expect("JSON");
    all["rows"][0].clone()
}

/// The application on its chip, with its fault-free run.
struct Naive {
    bench: Bench,
    reference: Reference,
    space: Space,
    events: Vec<Event>,
}

impl Naive {
    fn new(structure: &str) -> Naive {
        let chip = ChipSpec::load("rtx2060", &SMALL).expect("a chip");
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
        let bench = Bench::open(&format!("{root}{SAXPY}"), Scale::Small, None, chip);
        let bench = bench.expect("an application");
        let seen: Arc<Mutex<Vec<Event>>> = Arc::default();
        let log = Arc::clone(&seen);
        let watch = Watch::observe(move |e| log.lock().expect("a list").push(*e));
        let golden = bench.golden(Some(watch)).expect("a fault-free run");
        let structure: Structure = structure.parse().expect("a structure");
        let space = Space::of(&golden.registry, &structure, None).expect("bits");
        let array = space.site(0).array;
        let start = golden.launches.last().expect("launches").start;
        let mut events = seen.lock().expect("a list").clone();
        events.retain(|e| e.array == array && e.cycle > start);
        let reference =
            Reference { cycles: golden.cycles, output_digest: golden.output_digest.clone() };
        Naive { bench, reference, space, events }
    }

    /// Cycles in which bits are in use: up to and after the last read in the last
    /// launch, of a row that nothing touched just before.
    fn lively(&self) -> Range<u64> {
        let moved = |e: &&Event| !matches!(e.access, Access::Allocate | Access::Release);
        let quiet = |read: &&Event| {
            let near =
                |e: &&Event| e.row == read.row && (read.cycle - 2..read.cycle).contains(&e.cycle);
            let at_once = |e: &&Event| e.row == read.row && e.cycle == read.cycle;
            let events = || self.events.iter().filter(moved);
            read.access == Access::Read
                && !events().any(|e| near(&e))
                && events().filter(at_once).all(|e| e.access == Access::Read)
        };
        let read = self.events.iter().rfind(quiet).expect("a use").cycle;
        read - 1..read + 2
    }

    fn class(&self, site: Site, cycle: u64) -> Class {
        let mut device = self.bench.device().expect("a device");
        device.limit_cycles(2 * self.reference.cycles);
        device.plan(cycle, Change::Flip(site));
        let ran = self.bench.app().run(&mut device, Scale::Small, self.bench.seed);
        let end = match ran {
            Ok(_) => End::Done,
            Err(AppError::Device(e)) => End::of(&e),
            Err(e) => End::Crash(e.to_string()),
        };
        let digest = device.outputs().digest();
        let wrong = digest != self.reference.output_digest;
        let cycles = device.cycles().unwrap_or(0);
        judge(&self.reference, end, cycles, digest, || wrong.then(Sdc::default)).class
    }

    /// Every bit in every cycle of a range, from cycle 0 to the end.
    fn count(&self, cycles: Range<u64>) -> Counts {
        let mut counts = Counts::default();
        for cycle in cycles {
            (0..self.space.bits()).for_each(|n| counts.add(self.class(self.space.site(n), cycle)));
        }
        counts
    }
}

#[test]
fn classes_count_what_every_flip_does() {
    for structure in ["pred", "l1c.data"] {
        let naive = Naive::new(structure);
        let window = naive.lively();
        let right = naive.count(window.clone());
        assert!(right.failures() > 0 && right.masked > 0, "{structure}: {right:?}");
        let asked = format!("{}..{}", window.start, window.end);
        let row = row(&[SAXPY, "--structure", structure, "--cycles", &asked]);
        assert_eq!(row["bit_cycles"], right.runs(), "{structure}");
        for class in Class::ALL {
            assert_eq!(row[class.name()], right.of(class), "{structure}, {}", class.name());
        }
        assert_eq!(row["failures"], right.failures(), "{structure}");
    }
}

#[test]
fn a_count_as_people_read_it() {
    let args = [SAXPY, "--structure", "pred", "--kernel", "saxpy", "--raw-fit", "12nm"];
    let out = exhaustive(&args);
    assert_eq!(code(&out), 0, "{}", stderr(&out));
    insta::assert_snapshot!(stdout(&out));
}

#[test]
fn windows_add_up_whatever_the_number_of_processes() {
    let parts: Vec<Value> = (0..3)
        .map(|n: u32| row(&[SAXPY, "--structure", "pred", "--launch", &n.to_string()]))
        .collect();
    let whole = row(&[SAXPY, "--structure", "pred", "--jobs", "1"]);
    let again = row(&[SAXPY, "--structure", "pred", "--jobs", "3"]);
    assert_eq!(whole, again);
    let sum = |key: &str| parts.iter().filter_map(|p| p[key].as_u64()).sum::<u64>();
    for key in ["cycles", "bit_cycles", "failures", "masked", "performance", "sdc"] {
        assert_eq!(whole[key], sum(key), "{key}");
    }
}

#[test]
fn what_cannot_be_counted_is_refused() {
    for structure in ["pc", "l2", "l1d.tag", "gmem", "nothing"] {
        let out = exhaustive(&[SAXPY, "--structure", structure]);
        let told = stderr(&out);
        assert_eq!(code(&out), 2, "{told}");
        assert!(told.contains("exhaustive mode works for rf, pred"), "{told}");
    }
    let out = exhaustive(&["--structure", "rf", "--", "/bin/true"]);
    assert_eq!(code(&out), 3, "{}", stderr(&out));
    assert!(stderr(&out).contains("CUDA program"));
}
