//! One run of a program, and what became of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use upset_device::Outputs;
use upset_fault::Experiment;
use upset_launcher::{self as launcher, Confined, Launch};
use upset_state::Change;
use upset_trial::order::{Files, Order};
use upset_trial::{Layouts, Outcome, Reference, judge};

use super::bench::ProgramBench;
use super::limits::{GOLDEN_SECONDS, STDOUT, limits};
use super::mirror;
use super::ran::Ran;
use crate::CampaignError;
use crate::golden::Golden;
use crate::wire::{GoldenOutputs, Setup};

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
        let ran = self.run(order, setup.processor_seconds, STDOUT, None);
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
        let ran = self.run(&order, GOLDEN_SECONDS, STDOUT, Some(stop))?;
        if ran.stopped {
            return Err(CampaignError::Interrupted);
        }
        let reference =
            Reference { cycles: golden.cycles, output_digest: golden.output_digest.clone() };
        let outputs =
            GoldenOutputs { copies: golden.copies.clone(), results: golden.results.clone() };
        let outcome = self.judge(&ran, GOLDEN_SECONDS, &reference, &outputs);
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

/// The order of a run of a campaign.
pub(super) fn order_of(changes: Vec<(u64, Change)>, setup: &Setup) -> Order {
    Order { changes, limit: Some(setup.limit), outputs: true, ..Order::default() }
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
