//! Campaigns over CUDA programs.
//!
//! The device lives in the program's process. What is to be broken there, and
//! what is to be found out, goes to it as an order (`upset_trial::order`); what
//! it found comes back beside the order and over the launcher's socket. Every
//! run has a working folder of its own. Where it can be done without harm, runs
//! split from one that walks the fault-free run (`walk`).

mod compare;
mod copy;
mod mirror;
mod run;
mod scratch;
mod walk;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use upset_chip::ChipSpec;
use upset_cudart::launcher::{self, Clock, End as HostEnd, Installed};
use upset_device::{Device, LaunchSpan, Look, Stats};
use upset_state::{Change, Registry};
use upset_trial::order::{Order, Wanted};
use upset_trial::{Layouts, Sample};
use xxhash_rust::xxh3::xxh3_128;

use crate::CampaignError;
use crate::golden::Golden;
use crate::spec::Spec;
use crate::target::Found;
use crate::wire::{GoldenOutputs, ProgramSetup, Setup, ToCoordinator};
use crate::worker::Line;
use compare::Compare;
pub use run::Ran;
use scratch::Scratch;
pub(crate) use walk::walk;

/// Bytes of a fault-free run's standard output that are kept.
const STDOUT: usize = 64 << 20;
/// Processor time that a fault-free run may take: what hangs is told some day.
const GOLDEN_SECONDS: u64 = 24 * 3600;
/// Hosts that wait for ever are ended after this many times the processor time
/// that they may use.
const WALL: u32 = 10;
/// Two moments this far apart have other seconds.
const ANOTHER_SECOND: Duration = Duration::from_millis(1100);

/// A program with its arguments on a chip.
pub struct ProgramBench {
    /// The chip.
    pub chip: ChipSpec,
    command: Vec<OsString>,
    file: PathBuf,
    settings: launcher::Settings,
    installed: Installed,
    libraries: launcher::Libraries,
    compare: Compare,
    /// Where the user started it.
    home: PathBuf,
    /// Files that it writes: every run has its own.
    private: Vec<PathBuf>,
    /// Where runs have their folders.
    folder: PathBuf,
    /// Owned by the coordinator alone.
    scratch: Option<Scratch>,
}

impl ProgramBench {
    /// Finds the program and looks at it. Runs have their folders in a new
    /// temporary one.
    pub fn open(spec: &Spec, chip: &str) -> Result<ProgramBench, CampaignError> {
        let scratch = Scratch::new().map_err(|e| {
            CampaignError::Program(format!("cannot make a folder for temporary files: {e}"))
        })?;
        let mut bench = ProgramBench::within(spec, chip, scratch.path().to_path_buf())?;
        bench.scratch = Some(scratch);
        Ok(bench)
    }

    fn within(spec: &Spec, chip: &str, folder: PathBuf) -> Result<ProgramBench, CampaignError> {
        let command: Vec<OsString> = spec.program.iter().map(OsString::from).collect();
        let Some(name) = command.first() else {
            return Err(CampaignError::Spec("no program".into()));
        };
        let chip_spec = ChipSpec::load(chip, &spec.set)?;
        // Whether the chip can be simulated is known before the program starts.
        Device::supports(&chip_spec)?;
        let looked = launcher::inspect(Path::new(name))?;
        let installed = launcher::install()?;
        let libraries = launcher::libraries(&looked, &installed)?;
        let here = |e: std::io::Error| CampaignError::Program(format!("no working folder: {e}"));
        let home = std::env::current_dir().map_err(here)?;
        let compare = Compare::of(spec)?;
        let mut private = Vec::new();
        for file in &compare.files {
            let whole = mirror::absolute(&home, Path::new(file)).ok_or_else(|| {
                CampaignError::Spec(format!(
                    "`files` has {file}: it must be a path from the working folder, since every \
                     run writes its own"
                ))
            })?;
            private.push(whole);
        }
        Ok(ProgramBench {
            chip: chip_spec,
            file: std::path::absolute(&looked.file).map_err(here)?,
            command,
            settings: launcher::Settings {
                chip: chip.to_string(),
                set: spec.set.clone(),
                mode: upset_device::Mode::Timing,
                trace: None,
                kernel_cycles: None,
                clock: match spec.real_clock {
                    true => Clock::Real,
                    false => Clock::Held,
                },
            },
            installed,
            libraries,
            compare,
            home,
            private,
            folder,
            scratch: None,
        })
    }

    /// The program's file name.
    pub fn app(&self) -> String {
        let name = self.file.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Program and chip, for messages.
    pub fn name(&self) -> String {
        format!("{} on {}", self.app(), self.chip.chip.name)
    }

    /// Program and arguments.
    pub fn command(&self) -> Vec<String> {
        self.command.iter().map(|a| a.to_string_lossy().into_owned()).collect()
    }

    /// Digests of the program and of the libraries that came with it.
    pub fn binaries(&self) -> Result<Vec<(String, String)>, CampaignError> {
        let digest = |path: &PathBuf| {
            let bytes = std::fs::read(path).map_err(|e| {
                CampaignError::Program(format!("cannot read {}: {e}", path.display()))
            })?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            Ok((name, format!("{:032x}", xxh3_128(&bytes))))
        };
        std::iter::once(&self.file).chain(&self.libraries.own).map(digest).collect()
    }

    /// What a worker must know besides the specification.
    pub fn setup(&self) -> ProgramSetup {
        ProgramSetup { folder: self.folder.clone(), private: self.private.clone() }
    }

    /// Makes the fault-free run, twice: it must be the same both times. Where
    /// clocks and random bytes are held, the first of the two sees others, so
    /// that a program that depends on them is found out; held, it is as good as
    /// any, and a third run shows that.
    pub fn golden(
        &mut self,
        notes: &mut Vec<String>,
        stop: &AtomicBool,
    ) -> Result<Golden, CampaignError> {
        let order = Order { profile: true, outputs: true, notes: true, ..Order::default() };
        let before = mirror::Snapshot::of(&self.home);
        let started = Instant::now();
        let usual = self.settings.clock;
        if usual == Clock::Held {
            self.settings.clock = Clock::Other;
        }
        let first = self.sound(&order, stop);
        self.settings.clock = usual;
        let first = first?;
        // What it wrote into files that were there; new ones are in its own folder.
        let written = mirror::Snapshot::of(&self.home).written_since(&before);
        for path in written {
            if self.private.contains(&path) {
                continue;
            }
            let shown = path.strip_prefix(&self.home).unwrap_or(&path).display();
            notes.push(format!("{} writes {shown}: every run gets its own", self.app()));
            self.private.push(path);
        }
        if !self.libraries.beyond.is_empty() {
            notes.push(format!(
                "{} needs {}: what these do on the GPU is not simulated",
                self.app(),
                self.libraries.beyond.join(", ")
            ));
        }
        if first.processes > 1 {
            notes.push(format!(
                "{} uses the GPU in {} processes: faults are in the first one only",
                self.app(),
                first.processes
            ));
        }
        if usual == Clock::Real {
            // Two runs within a second would read the same time.
            std::thread::sleep(ANOTHER_SECOND.saturating_sub(started.elapsed()));
        }
        let second = self.sound(&order, stop)?;
        if let Some(what) = self.difference(&first, &second) {
            let held = &second.host.records.held;
            if held.is_empty() {
                return Err(self.changing(&what, held));
            }
            let third = self.sound(&order, stop)?;
            if let Some(what) = self.difference(&second, &third) {
                return Err(self.changing(&what, held));
            }
            notes.push(format!(
                "{} depends on the clock or on random bytes ({}): with others it {what}. Both are \
                 held, so every run sees the same ones; the results are those of this one input",
                self.app(),
                names(held),
            ));
        }
        let Some(answer) = second.answer else { return Err(self.unsound(DISORDERLY)) };
        Ok(Golden {
            cycles: answer.cycles,
            launches: answer
                .launches
                .into_iter()
                .map(|(kernel, start, end)| LaunchSpan { kernel, start, end })
                .collect(),
            stats: Stats { kernels: answer.kernels },
            output_digest: second.output_digest,
            copies: second.copies,
            results: second.results,
            residency: answer.residency,
            in_use: answer.in_use,
            registry: Registry::from(answer.registry),
            notes: second.notes,
            functions: answer.functions,
        })
    }

    /// Finds what happens to bits in the fault-free run, and what others belong
    /// to in it.
    pub fn fates(
        &self,
        golden: &Golden,
        samples: Vec<Sample>,
        looks: Vec<Look>,
        stop: &AtomicBool,
    ) -> Result<Found, CampaignError> {
        let wanted = samples.len();
        let registry = Layouts::from(&golden.registry);
        let lifetimes = (wanted > 0).then_some(Wanted { registry, samples });
        let order = Order { lifetimes, looks, outputs: true, profile: true, ..Order::default() };
        let again = self.sound(&order, stop)?;
        let Some(answer) = again.answer else { return Err(self.unsound(DISORDERLY)) };
        let same = answer.cycles == golden.cycles && again.output_digest == golden.output_digest;
        match same && answer.fates.len() == wanted {
            true => Ok(Found { fates: answer.fates, seen: answer.seen.into_iter().collect() }),
            false => Err(self.unsound(CHANGING)),
        }
    }

    /// A run without faults that did what it must.
    fn sound(&self, order: &Order, stop: &AtomicBool) -> Result<Ran, CampaignError> {
        let ran = self.run(order, GOLDEN_SECONDS, STDOUT, Some(stop))?;
        if ran.stopped {
            return Err(CampaignError::Interrupted);
        }
        let host = &ran.host;
        if let Some(failure) = host.records.failures.first() {
            return Err(CampaignError::Workers(format!("the simulation failed: {failure}")));
        }
        if let Some(lacks) = ran.lacks() {
            return Err(CampaignError::Lacking(format!("{} needs {lacks}", self.app())));
        }
        if let Some(trap) = host.records.traps.first() {
            return Err(self.unsound(&format!("goes wrong by itself: {}", trap.message)));
        }
        let ended = match host.end {
            Some(HostEnd::Exit(0)) => None,
            Some(HostEnd::Exit(code)) => Some(format!("ends with exit code {code}")),
            Some(HostEnd::Signal(s)) => Some(format!("is ended by {}", launcher::signal_name(s))),
            None => Some("does not end".to_string()),
        };
        if let Some(ended) = ended {
            let said = String::from_utf8_lossy(&host.stderr);
            let said = match said.trim() {
                "" => String::new(),
                text => format!("; it says:\n{text}"),
            };
            return Err(self.unsound(&format!("{ended}{said}")));
        }
        if !ran.taken {
            return Err(self.unsound(
                "makes no CUDA call that arrives: it has a runtime of its own, or something \
                 between cleared its environment",
            ));
        }
        if let Some(wrong) = &ran.wrong {
            return Err(self.unsound(wrong));
        }
        Ok(ran)
    }

    /// What differs between two fault-free runs.
    fn difference(&self, a: &Ran, b: &Ran) -> Option<String> {
        if a.cycles() != b.cycles() {
            Some(format!("took {} cycles once and {} the second time", a.cycles(), b.cycles()))
        } else if a.output_digest != b.output_digest {
            Some("copied other bytes from the GPU the second time".to_string())
        } else if a.results != b.results {
            Some(format!("gave other {} the second time", self.compare.way))
        } else {
            None
        }
    }

    /// The program is not the same from run to run, for another reason than what
    /// is held.
    fn changing(&self, what: &str, held: &BTreeSet<String>) -> CampaignError {
        let why = match (self.settings.clock, held.is_empty()) {
            (Clock::Real, _) => {
                "Without --real-clock the clock and the system's random bytes are the same in \
                 every run. "
                    .to_string()
            }
            (_, true) => String::new(),
            (_, false) => format!(
                "It is not the clock or the system's random bytes ({}): these are the same in \
                 every run. ",
                names(held)
            ),
        };
        self.unsound(&format!("{what}. {why}{DETERMINISTIC}"))
    }

    fn unsound(&self, what: &str) -> CampaignError {
        CampaignError::Golden { subject: self.name(), what: what.into() }
    }
}

const DISORDERLY: &str = "does not end in an orderly way (`_exit`, `quick_exit`): what it did \
                          on the GPU is told by an exit handler";
const CHANGING: &str = "was not the same another time. The program must be deterministic: fixed \
                        seeds, no time or process number in its input";
const DETERMINISTIC: &str = "A campaign compares with the fault-free run, so the program must be \
                             deterministic: fix its seeds (the processor's time stamp or random \
                             numbers, the process's number, addresses, /proc and files that \
                             change are no seeds), call the GPU from one thread, keep times and \
                             paths out of what is compared, or choose another --compare";

fn names(held: &BTreeSet<String>) -> String {
    let plain = |name: &String| match name.starts_with("_ZNSt13random_device") {
        true => "std::random_device".to_string(),
        false => name.clone(),
    };
    held.iter().map(plain).collect::<Vec<_>>().join(", ")
}

/// The program as a worker runs it.
pub(crate) fn for_worker(
    setup: &Setup,
    spec: &Spec,
    chip: &str,
) -> Result<ProgramBench, CampaignError> {
    let told = setup.program.as_ref();
    let told = told.ok_or_else(|| CampaignError::Workers("no folder for runs".into()))?;
    let mut bench = ProgramBench::within(spec, chip, told.folder.clone())?;
    bench.private = told.private.clone();
    Ok(bench)
}

/// Every run from cycle 0, in a process of its own.
pub(crate) fn one_by_one(
    line: &mut Line,
    bench: &ProgramBench,
    setup: &Setup,
    golden: &GoldenOutputs,
) -> Result<(), CampaignError> {
    while let Some(job) = line.next()? {
        let (outcome, killed) = bench.trial(&order_of(job.changes, setup), setup, golden);
        let outcome = Box::new(outcome);
        line.say(&ToCoordinator::Done { id: job.id, outcome, killed, left: false });
    }
    Ok(())
}

/// The order of a run of a campaign.
fn order_of(changes: Vec<(u64, Change)>, setup: &Setup) -> Order {
    Order { changes, limit: Some(setup.limit), outputs: true, ..Order::default() }
}

/// Time on the clock for a run that may use that much processor time.
fn wall(processor_seconds: u64) -> Duration {
    Duration::from_secs(processor_seconds).saturating_mul(WALL)
}
