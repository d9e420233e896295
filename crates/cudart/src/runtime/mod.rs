//! What the calls mean: one device, its modules, and the host memory it shares.

mod array;
mod copy;
mod fault;
pub mod graph;
mod handles;
mod launch;
mod mapped;
mod messages;
mod modules;
pub mod pitched;
mod properties;
pub mod registry;
pub mod session;
mod split;
mod streams;
mod surface;
mod texture;
mod trace;
mod trial;

use upset_device::{DevPtr, Device, FunctionId, History};
use upset_trial::order::Underway;

use crate::abi::Address;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::report::{self, Record};
use crate::say::say;
use fault::Fault;
use mapped::Mapped;
use modules::Modules;

pub use copy::Side;
pub use fault::error_of;
pub use graph::Op;
pub use mapped::Sort;
pub use streams::{Event, HIGHEST_PRIORITY, Stream};
pub use texture::Object as TextureObject;

/// `cudaEventDisableTiming`.
const DISABLE_TIMING: u32 = 2;

/// The runtime of a process.
pub struct Runtime {
    /// The device.
    pub device: Device,
    /// How it was set up.
    pub config: Config,
    /// Modules loaded so far.
    pub modules: Modules,
    /// What a kernel left behind.
    pub fault: Fault,
    /// Host memory that kernels can reach.
    pub mapped: Mapped,
    /// Streams and events.
    pub streams: streams::Streams,
    /// Graphs.
    pub graphs: graph::Graphs,
    /// Arrays and textures.
    pub images: texture::Images,
    /// Attributes of the memory pool: the release threshold and three switches.
    pub pool: [u64; 4],
    /// What is to be broken and found out.
    trial: Option<Underway>,
    told: Vec<String>,
    /// Kernels that may use more dynamic shared memory than by default.
    dynamic_limits: Vec<(FunctionId, u32)>,
}

impl Runtime {
    /// Makes the device as the environment says and loads what is registered.
    fn start(past: Option<Past>) -> std::result::Result<Runtime, (Error, String)> {
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
        let mut trial = match past {
            Some(past) => {
                device.continue_from(past.history);
                past.trial
            }
            None => trial::take(&config),
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
            streams: streams::Streams::default(),
            graphs: graph::Graphs::default(),
            images: texture::Images::default(),
            dynamic_limits: Vec::new(),
            pool: [0, 1, 1, 1],
            told: Vec::new(),
            trial,
        };
        rt.load_registered();
        Ok(rt)
    }

    /// Cycles so far; without time, warp instructions stand for them.
    pub fn now(&self) -> u64 {
        self.device.cycles().unwrap_or_else(|| self.device.stats().total().1)
    }

    /// Tells the user something once.
    pub fn tell(&mut self, message: String, lacking: bool) {
        if !self.told.contains(&message) {
            say(&message);
            report::send(Record::Note { message: message.clone(), lacking });
            self.told.push(message);
        }
    }

    /// Device memory, aligned as asked.
    pub fn malloc(&mut self, bytes: u64) -> Result<u64> {
        self.device.malloc(bytes).map(|p| p.0).map_err(|_| Error::MEMORY_ALLOCATION)
    }

    /// Memory that belongs to graphs: a graph may be launched again after the
    /// memory was freed, and then expects it at the same address; so it stays.
    pub fn malloc_for_graphs(&mut self, bytes: u64) -> Result<u64> {
        let at = self.malloc(bytes)?;
        self.graphs.memory.insert(at);
        Ok(at)
    }

    /// Bytes that belong to graphs.
    pub fn graph_memory(&mut self) -> u64 {
        let device = &mut self.device;
        let size = |&at: &u64| device.allocation(DevPtr(at)).map_or(0, |(_, len)| len);
        self.graphs.memory.iter().map(size).sum()
    }

    /// Frees what `cudaMalloc` or `cudaMallocManaged` gave.
    pub fn free(&mut self, at: Address) -> Result<()> {
        if at.0 == 0 || self.graphs.memory.contains(&at.0) {
            return Ok(());
        }
        match self.mapped.find(at) {
            Some((start, region)) if start == at.0 && region.sort == Sort::Managed => {
                self.mapped.release(&mut self.device, at);
                Ok(())
            }
            Some(_) => Err(Error::INVALID_VALUE),
            None => self.device.free(DevPtr(at.0)).map_err(|_| Error::INVALID_VALUE),
        }
    }

    /// Gives back host memory that kernels could reach.
    pub fn free_shared(&mut self, at: Address, sort: Sort, otherwise: Error) -> Result<()> {
        if at.0 == 0 {
            return Ok(());
        }
        match self.mapped.find(at) {
            Some((start, region)) if start == at.0 && region.sort == sort => {
                self.mapped.release(&mut self.device, at);
                Ok(())
            }
            _ => Err(otherwise),
        }
    }

    /// The orderly end of the process.
    fn end(&mut self) {
        self.flush_messages();
        self.write_trace();
        match &mut self.trial {
            Some(trial) => trial::told(trial.end(Some(&mut self.device))),
            None => ended(self.device.outputs().digest(), self.device.digest()),
        }
    }

    /// Leaves the device; what it did stays known.
    fn retire(mut self) -> Past {
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
struct Past {
    /// Of the device; none where an order was given.
    digest: String,
    history: History,
    trial: Option<Underway>,
    /// A kernel had gone wrong: resetting does not bring the device back.
    dead: bool,
}

impl Past {
    /// The orderly end of a process that has not used the device since.
    fn end(&mut self) {
        match &mut self.trial {
            Some(trial) => trial::told(trial.end(None)),
            None => ended(self.history.output_digest(), self.digest.clone()),
        }
    }
}

fn ended(output_digest: String, digest: String) {
    report::send(Record::Ended { output_digest, digest });
}
