//! One run of a program, and what became of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use upset_cudart::launcher::{self, Confined, End as HostEnd, Launch, Limits};
use upset_device::Outputs;
use upset_fault::Experiment;
use upset_trial::order::{Answer, Files, Order};
use upset_trial::{End, Layouts, Notes, Outcome, Reference, judge};

use super::{ProgramBench, mirror, wall};
use crate::CampaignError;
use crate::golden::{Array, Golden};
use crate::wire::{GoldenOutputs, Setup};

/// Bytes of a run's standard error that are kept.
const STDERR: usize = 2000;

/// A run that is over.
pub struct Ran {
    /// What the host's processes did.
    pub host: launcher::Ran,
    /// Everything is to end.
    pub stopped: bool,
    /// A process made a device and was told what to do in it.
    pub taken: bool,
    /// What that process found, if it came to an orderly end.
    pub answer: Option<Answer>,
    /// What it noted of its state, if it was to.
    pub notes: Notes,
    /// Every copy to the host.
    pub copies: Vec<Vec<u8>>,
    /// Digest of the copies.
    pub output_digest: String,
    /// The program came to a result.
    pub has_result: bool,
    /// What is compared besides the copies.
    pub results: Vec<Array>,
    /// What the program or the user's command says is wrong with the result.
    pub wrong: Option<String>,
    /// Processes that made a device.
    pub processes: usize,
}

impl Ran {
    /// Cycles of the run.
    pub fn cycles(&self) -> u64 {
        self.answer.as_ref().map_or(self.host.records.cycles, |a| a.cycles)
    }

    /// Whether somebody else ended it.
    pub fn was_killed(&self) -> bool {
        self.host.was_killed()
    }

    /// What the program needs and is not there.
    pub fn lacks(&self) -> Option<String> {
        let records = &self.host.records;
        match records.missing.is_empty() {
            false => Some(format!("functions of the runtime: {}", records.missing.join(", "))),
            true => records.lacking.first().cloned(),
        }
    }

    /// How it ended, results aside.
    fn end(&self, processor_seconds: u64) -> End {
        let host = &self.host;
        if let Some(failure) = host.records.failures.first() {
            return End::Tool(failure.clone());
        }
        let lacking = |t: &&launcher::Trapped| matches!(t.end, End::Tool(_));
        if let Some(trap) = host.records.traps.iter().find(lacking) {
            return trap.end.clone();
        }
        if let Some(lacks) = self.lacks() {
            return End::Tool(format!("not supported: {lacks}"));
        }
        if host.was_too_long() {
            let text = format!("the host used more than {processor_seconds} s of processor time");
            return End::Tool(match host.end {
                Some(_) => text,
                None => "the host does not end".into(),
            });
        }
        if host.was_killed() {
            return End::Tool("the program was killed".into());
        }
        if !self.taken {
            return End::Tool("no CUDA call arrived".into());
        }
        // What the program does after that is its reaction.
        if let Some(trap) = host.records.traps.first() {
            return trap.end.clone();
        }
        match host.end {
            _ if self.has_result => End::Done,
            Some(HostEnd::Exit(0)) | None => End::Done,
            Some(HostEnd::Exit(code)) => End::Crash(format!("exit code {code}")),
            Some(HostEnd::Signal(s)) => End::Crash(launcher::signal_name(s)),
        }
    }
}

impl ProgramBench {
    /// Runs the program once, in a folder of its own.
    pub(super) fn run(
        &self,
        order: &Order,
        processor_seconds: u64,
        stdout: usize,
        stop: Option<&AtomicBool>,
    ) -> Result<Ran, CampaignError> {
        let own = Own::new(&self.folder).map_err(cannot)?;
        let folder = mirror::mirror(&own.0.join("root"), &self.home, &self.private);
        let folder = folder.map_err(cannot)?;
        let files = Files::of(&own.0.join("order"));
        files.give(order).map_err(cannot)?;
        let confined = Confined {
            launch: self.launch()?,
            folder: &folder,
            order: files.order(),
            limits: limits(processor_seconds, stdout),
            stop,
        };
        let host = confined.run()?;
        self.look_at(host, &files, &folder, &own.0.join("stdout"))
    }

    /// How the program is started.
    pub(super) fn launch(&self) -> Result<Launch<'_>, CampaignError> {
        let [name, args @ ..] = self.command.as_slice() else {
            return Err(CampaignError::Spec("no program".into()));
        };
        Ok(Launch {
            file: &self.file,
            name,
            args,
            installed: &self.installed,
            preload: &self.libraries.preload,
            settings: &self.settings,
        })
    }

    /// What a run that is over has left.
    pub(super) fn look_at(
        &self,
        host: launcher::Ran,
        files: &Files,
        folder: &Path,
        stdout: &Path,
    ) -> Result<Ran, CampaignError> {
        let copies = files.read_outputs().map_err(cannot)?;
        let mut outputs = Outputs::default();
        copies.iter().for_each(|c| outputs.copied(c));
        let mut ran = Ran {
            stopped: host.stopped,
            taken: files.was_taken(),
            answer: files.read_answer().map_err(cannot)?,
            notes: files.read_notes().map_err(cannot)?,
            output_digest: outputs.digest(),
            copies,
            results: Vec::new(),
            has_result: false,
            wrong: None,
            processes: host.records.processes.len(),
            host,
        };
        if self.compare.has_result(&ran.host) {
            ran.has_result = true;
            self.compare.gather(&mut ran, folder, stdout)?;
        }
        Ok(ran)
    }

    /// Runs an experiment of a campaign; also says whether somebody killed it.
    pub(super) fn trial(
        &self,
        order: &Order,
        setup: &Setup,
        golden: &GoldenOutputs,
    ) -> (Outcome, bool) {
        let ran = self.run(order, setup.processor_seconds, super::STDOUT, None);
        self.outcome(ran, setup, golden)
    }

    /// What became of an experiment; also whether somebody killed it.
    pub(super) fn outcome(
        &self,
        ran: Result<Ran, CampaignError>,
        setup: &Setup,
        golden: &GoldenOutputs,
    ) -> (Outcome, bool) {
        let reference = setup.reference();
        match ran {
            Ok(ran) => {
                (self.judge(&ran, setup.processor_seconds, &reference, golden), ran.was_killed())
            }
            Err(e) => (Outcome::tool_error(e.to_string()), false),
        }
    }

    /// Runs one experiment and has its story told.
    pub fn inject(
        &self,
        golden: &Golden,
        experiment: &Experiment,
        limit: u64,
        stop: &AtomicBool,
    ) -> Result<(Ran, Outcome), CampaignError> {
        let order = Order {
            changes: experiment.changes(),
            limit: Some(limit),
            story: Some(Layouts::from(&golden.registry)),
            outputs: true,
            ..Order::default()
        };
        let ran = self.run(&order, super::GOLDEN_SECONDS, super::STDOUT, Some(stop))?;
        if ran.stopped {
            return Err(CampaignError::Interrupted);
        }
        let reference =
            Reference { cycles: golden.cycles, output_digest: golden.output_digest.clone() };
        let outputs =
            GoldenOutputs { copies: golden.copies.clone(), results: golden.results.clone() };
        let outcome = self.judge(&ran, super::GOLDEN_SECONDS, &reference, &outputs);
        Ok((ran, outcome))
    }

    fn judge(
        &self,
        ran: &Ran,
        processor_seconds: u64,
        reference: &Reference,
        golden: &GoldenOutputs,
    ) -> Outcome {
        let (end, digest) = (ran.end(processor_seconds), ran.output_digest.clone());
        judge(reference, end, ran.cycles(), digest, || self.compare.wrong(ran, golden, reference))
    }
}

/// What a run may use.
pub(super) fn limits(processor_seconds: u64, stdout: usize) -> Limits {
    Limits { processor_seconds, wall: wall(processor_seconds), stdout, stderr: STDERR }
}

pub(super) fn cannot(e: std::io::Error) -> CampaignError {
    CampaignError::Program(format!("cannot prepare a run of the program: {e}"))
}

/// A run's own folder, as long as the run goes on.
pub(super) struct Own(pub PathBuf);

impl Own {
    pub fn new(base: &Path) -> std::io::Result<Own> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = base.join(format!("{}-{number}", std::process::id()));
        fs::create_dir(&folder)?;
        Ok(Own(folder))
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // What cannot be removed now goes with the folder above.
        let _ = fs::remove_dir_all(&self.0);
    }
}
