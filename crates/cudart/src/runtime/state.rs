//! The runtime of a process: one device, its modules, and the host memory it
//! shares.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::Arc;

use upset_agent::config::Config;
use upset_agent::order;
use upset_agent::report::{self, Record};
use upset_agent::say::say;
use upset_device::{DevPtr, Device, FunctionId};
use upset_trial::underway::Underway;

use super::fault::Fault;
use super::graph::{self, Graphs};
use super::hints::Hints;
use super::images::Images;
use super::loaded::Modules;
use super::mapped::{Mapped, Sort};
use super::spaces::Spaces;
use super::streams::Streams;
use crate::abi::{Address, Handle};
use crate::error::{Error, Result};

/// Work for the device.
pub type Work = Arc<dyn Fn(&mut Runtime) -> Result<()> + Send + Sync>;
/// What a node of a graph does.
pub type Op = graph::Op<Work>;

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
    pub streams: Streams,
    /// Graphs.
    pub graphs: Graphs<Work>,
    /// What the program said of its managed memory.
    pub hints: Hints,
    /// Names that the program asked for.
    pub names: Vec<(FunctionId, CString)>,
    /// Arrays and textures.
    pub images: Images,
    /// How many bytes were asked for, where the device gave more.
    pub(super) asked: BTreeMap<u64, u64>,
    /// Attributes of the memory pool: the release threshold and three switches.
    pub pool: [u64; 4],
    /// Addresses set aside, and memory to be mapped there.
    pub(super) spaces: Spaces,
    /// What is to be broken and found out.
    pub(super) trial: Option<Underway>,
    pub(super) told: Vec<String>,
    /// Readings of the device's counters that were written.
    pub(super) counted: usize,
    /// Kernels that may use more dynamic shared memory than by default.
    pub(super) dynamic_limits: Vec<(FunctionId, u32)>,
}

impl Runtime {
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
        let at = self.device.malloc(bytes).map_err(|_| Error::MEMORY_ALLOCATION)?.0;
        self.asked.insert(at, bytes);
        Ok(at)
    }

    /// Start and length of the device memory that holds an address, as it was asked for.
    pub fn allocation(&mut self, at: Address) -> Option<(u64, u64)> {
        let (start, len) = self.device.allocation(DevPtr(at.0))?;
        Some((start.0, self.asked.get(&start.0).copied().unwrap_or(len)))
    }

    /// Memory that belongs to graphs, for a node after others: a graph may be launched
    /// again after the memory was freed, and then expects it at the same address; so it
    /// stays.
    pub fn malloc_for_graphs(&mut self, bytes: u64, after: &[Handle]) -> Result<u64> {
        if let Some(at) = self.graphs.freed_before(after, bytes) {
            return Ok(at);
        }
        let at = self.malloc(bytes)?;
        self.graphs.memory.give(at, bytes);
        Ok(at)
    }

    /// Frees what `cudaMalloc` or `cudaMallocManaged` gave.
    pub fn free(&mut self, at: Address) -> Result<()> {
        if at.0 == 0 {
            return Ok(());
        }
        if self.graphs.memory.bytes_at(at.0).is_some() {
            return self.graphs.memory.free(at.0);
        }
        match self.mapped.find(at) {
            Some((start, region)) if start == at.0 && region.sort == Sort::Managed => {
                self.hints.forget(start..start + region.len);
                self.mapped.release(&mut self.device, at);
                Ok(())
            }
            Some(_) => Err(Error::INVALID_VALUE),
            None => {
                self.device.free(DevPtr(at.0)).map_err(|_| Error::INVALID_VALUE)?;
                self.asked.remove(&at.0);
                Ok(())
            }
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

    /// Writes what a call has copied to the host, where that is wanted: it is
    /// known then, however the process ends.
    pub fn note_copies(&mut self) {
        if let Some(trial) = &mut self.trial {
            order::told(trial.copied(&self.device));
        }
    }
}
