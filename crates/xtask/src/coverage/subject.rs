//! A program as an application, and its runs.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use upset_apps::{App, AppError, Files, FolderApp, Manifest, Scale, Target};
use upset_chip::ChipSpec;
use upset_device::Device;
use upset_fault::{Residency, Space, Structure};
use upset_metrics::{Class, Sdc};
use upset_state::{Access, Change, Event, Registry, Site, Watch};
use upset_trial::{End, Reference, judge, residency};

use super::programs::Program;
use super::timeline::{Held, Timeline};
use crate::Outcome;

/// The launch that is studied; the one before it fills the instruction cache.
pub const LAUNCH: usize = 1;
/// A faulty run may take this many times the fault-free run's cycles.
const LIMIT: u64 = 2;

/// A program with its fault-free run.
pub struct Subject {
    /// The program.
    pub program: Program,
    app: FolderApp,
    chip: ChipSpec,
    reference: Reference,
    /// The bits of its array.
    pub space: Space,
    /// Who owned what.
    pub residency: Residency,
    row_bits: u64,
    /// What happened to its array in the launch that is studied.
    pub timeline: Timeline,
    /// The bits that matter, by the program's formula.
    pub held: Vec<Held>,
}

/// The program as an application's manifest.
pub fn manifest(p: &Program) -> String {
    let (words, shared) = (32 * p.lines, p.shared_bytes);
    let buffer = |name: &str, init: &str| {
        format!("[[buffers]]\nname = \"{name}\"\ntype = \"u32\"\ncount = {words}\ninit = {init}\n")
    };
    let random = "{ random = [1, 16777216] }";
    let launch = |input: &str, output: &str| {
        format!(
            "[[launches]]\nkernel = \"{}\"\ngrid = [1]\nblock = [32]\nshared = {shared}\n\
             args = [{{ buffer = \"{input}\" }}, {{ buffer = \"{output}\" }}]\n",
            p.kernel.name
        )
    };
    [
        format!("id = \"{0}\"\nname = \"{0}\"\n", p.name),
        "description = \"Keeps words in an array\"\nsuite = \"coverage\"\n".into(),
        "[scales.small]\n".into(),
        buffer("first_input", random),
        buffer("first_output", "\"zero\""),
        buffer("input", random),
        buffer("output", "\"zero\""),
        launch("first_input", "first_output"),
        launch("input", "output"),
        "[[outputs]]\nbuffer = \"output\"\n".into(),
    ]
    .join("\n")
}

fn told(e: impl std::fmt::Display) -> String {
    e.to_string()
}

impl Subject {
    /// Runs a program without faults.
    pub fn new(program: Program) -> Outcome<Subject> {
        let manifest = Manifest::parse(&manifest(&program)).map_err(told)?;
        let code = vec![(Target::Sm(75), program.kernel.image())];
        let app = FolderApp::from_parts(manifest, code, Files::new()).map_err(told)?;
        let chip = ChipSpec::load("rtx2060", &program.chip).map_err(told)?;
        let mut device = device(&chip)?;
        device.start_trace();
        let seen: Arc<Mutex<Vec<Event>>> = Arc::default();
        let log = Arc::clone(&seen);
        device.watch(Watch::observe(move |e| {
            log.lock().unwrap_or_else(PoisonError::into_inner).push(*e);
        }));
        run(&app, &mut device).map_err(told)?;
        let registry = device.machine_mut().map(|m| Registry::of(m)).unwrap_or_default();
        let structure: Structure = program.structure.parse().map_err(told)?;
        let space = Space::of(&registry, &structure, None).map_err(told)?;
        let array = space.site(0).array;
        if space.site(space.bits() - 1).array != array {
            return Err(format!("{structure} is more than one array"));
        }
        let row_bits = registry.layout(array).map_or(1, |l| l.row_bits().max(1));
        let span = device.launches().get(LAUNCH).ok_or("there is no second launch")?;
        let window = span.start..span.end;
        let events = seen.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = |e: &&Event| !matches!(e.access, Access::Allocate | Access::Release);
        let events = events.iter().filter(|e| e.array == array && e.cycle >= window.start);
        let timeline = Timeline { events: events.filter(moved).copied().collect(), window };
        let places = residency::Places::of(&chip);
        let residency = device.trace().map(|t| residency::of(t, places)).unwrap_or_default();
        let reference = Reference {
            cycles: device.cycles().unwrap_or(0),
            output_digest: device.outputs().digest(),
        };
        let held = (program.held)(&timeline).map_err(|e| format!("{}: {e}", program.name))?;
        Ok(Subject { program, app, chip, reference, space, residency, row_bits, timeline, held })
    }

    /// Cycles that are studied.
    pub fn window(&self) -> Range<u64> {
        self.timeline.window.clone()
    }

    /// All bits x all cycles.
    pub fn area(&self) -> u128 {
        u128::from(self.space.bits()) * u128::from(self.window().end - self.window().start)
    }

    /// Bits x cycles in which a flip matters, by the formula.
    pub fn held_area(&self) -> u128 {
        self.held.iter().map(Held::area).sum()
    }

    /// Cycles of a range in which a flip of a bit matters, by the formula.
    pub fn held_cycles(&self, bit: u64, cycles: Range<u64>) -> u64 {
        let overlap = |h: &Held| {
            let (start, end) = (h.cycles.start.max(cycles.start), h.cycles.end.min(cycles.end));
            end.saturating_sub(start)
        };
        self.held.iter().filter(|h| h.bits.contains(&bit)).map(overlap).sum()
    }

    /// The AVF, by the formula.
    pub fn truth(&self) -> f64 {
        self.held_area() as f64 / self.area() as f64
    }

    /// Bits of a row of the array, as accesses count rows.
    pub fn row_bits(&self) -> u64 {
        self.row_bits
    }

    /// Runs the program with a flip, and judges the run as a campaign does.
    pub fn class(&self, bit: u64, cycle: u64) -> Outcome<Class> {
        let mut device = device(&self.chip)?;
        device.limit_cycles(LIMIT * self.reference.cycles);
        let site = Site { array: self.space.site(0).array, bit };
        device.plan(cycle, Change::Flip(site));
        let end = match run(&self.app, &mut device) {
            Ok(()) => End::Done,
            Err(AppError::Device(e)) => End::of(&e),
            Err(e) => End::Crash(e.to_string()),
        };
        let digest = device.outputs().digest();
        let wrong = digest != self.reference.output_digest;
        let cycles = device.cycles().unwrap_or(0);
        let sdc = || wrong.then(Sdc::default);
        Ok(judge(&self.reference, end, cycles, digest, sdc).class)
    }
}

fn device(chip: &ChipSpec) -> Outcome<Device> {
    Device::timed(chip).map_err(told)
}

fn run(app: &FolderApp, device: &mut Device) -> Result<(), AppError> {
    app.run(device, Scale::Small, app.default_seed()).map(|_| ())
}
