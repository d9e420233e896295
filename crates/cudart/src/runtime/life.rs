//! How a runtime begins and ends.

use std::collections::BTreeMap;

use upset_agent::config::Config;
use upset_agent::report::{self, Record};
use upset_agent::{order, split};
use upset_device::{Device, History};
use upset_trial::underway::Underway;

use super::fault::Fault;
use super::graph::Graphs;
use super::hints::Hints;
use super::images::Images;
use super::loaded::Modules;
use super::mapped::Mapped;
use super::spaces::Spaces;
use super::state::Runtime;
use super::streams::Streams;
use crate::error::Error;

impl Runtime {
    /// Makes the device as the environment says and loads what is registered.
    pub(super) fn start(past: Option<Past>) -> std::result::Result<Runtime, (Error, String)> {
        if past.as_ref().is_some_and(|p| p.dead) {
            let why = "the device cannot be used again in this process after a kernel went wrong";
            return Err((Error::DEVICES_UNAVAILABLE, why.into()));
        }
        let config = Config::from_environment().map_err(|m| (Error::NO_DEVICE, m))?;
        let mut device = Device::in_mode(&config.chip, config.mode)
            .map_err(|e| (Error::NOT_SUPPORTED, e.to_string()))?;
        if config.trace.is_some() {
            device.start_trace();
        }
        if let Some((_, sampling)) = &config.counters {
            let counts = device.start_counting(*sampling);
            counts.map_err(|e| (Error::NOT_SUPPORTED, e.to_string()))?;
        }
        let mut trial = match past {
            Some(past) => {
                device.continue_from(past.history);
                past.trial
            }
            None => order::take(&config),
        };
        if let Some(trial) = &mut trial {
            // Whoever gave the order asks for other things.
            device.forgo_digest();
            trial.arm(&mut device);
            split::walk(trial, &mut device);
        }
        let mut rt = Runtime {
            device,
            config,
            modules: Modules::default(),
            fault: Fault::default(),
            mapped: Mapped::default(),
            streams: Streams::default(),
            graphs: Graphs::default(),
            hints: Hints::default(),
            names: Vec::new(),
            images: Images::default(),
            spaces: Spaces::default(),
            dynamic_limits: Vec::new(),
            asked: BTreeMap::new(),
            pool: [0, 1, 1, 1],
            told: Vec::new(),
            counted: 0,
            trial,
        };
        rt.load_registered();
        Ok(rt)
    }

    /// The orderly end of the process.
    pub(super) fn end(&mut self) {
        self.flush_messages();
        self.write_trace();
        match &mut self.trial {
            Some(trial) => order::told(trial.end(Some(&mut self.device))),
            None => ended(self.device.outputs().digest(), self.device.digest()),
        }
    }

    /// Leaves the device; what it did stays known.
    pub(super) fn retire(mut self) -> Past {
        self.flush_messages();
        self.write_trace();
        self.mapped.release_all(&mut self.device);
        self.note_copies();
        let digest = match &mut self.trial {
            Some(trial) => {
                trial.leave(&mut self.device);
                String::new()
            }
            None => self.device.digest(),
        };
        let (trial, dead) = (self.trial, self.fault.is_set());
        Past { digest, history: self.device.into_history(), trial, dead }
    }
}

/// What is left of a runtime after `cudaDeviceReset`.
pub(super) struct Past {
    /// Of the device; none where an order was given.
    digest: String,
    history: History,
    trial: Option<Underway>,
    /// A kernel had gone wrong: resetting does not bring the device back.
    dead: bool,
}

impl Past {
    /// The orderly end of a process that has not used the device since.
    pub(super) fn end(&mut self) {
        match &mut self.trial {
            Some(trial) => order::told(trial.end(None)),
            None => ended(self.history.output_digest(), self.digest.clone()),
        }
    }
}

fn ended(output_digest: String, digest: String) {
    report::send(Record::Ended { output_digest, digest });
}
