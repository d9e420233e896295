//! The fault-free run of a program, and what it tells.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use upset_device::{LaunchSpan, Look, Stats};
use upset_launcher::{self as launcher, Clock, End as HostEnd};
use upset_state::Registry;
use upset_trial::order::{Order, Wanted};
use upset_trial::{Layouts, Sample};

use super::bench::ProgramBench;
use super::limits::{GOLDEN_SECONDS, STDOUT};
use super::mirror;
use super::ran::Ran;
use crate::CampaignError;
use crate::found::Found;
use crate::golden::Golden;

/// Two moments this far apart have other seconds.
const ANOTHER_SECOND: Duration = Duration::from_millis(1100);

impl ProgramBench {
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
            converted: second.host.records.converted.into_iter().collect(),
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
