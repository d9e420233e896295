//! What the calls mean: one device, its modules, and the host memory it shares.

mod copy;
mod fault;
mod launch;
mod mapped;
mod messages;
mod modules;
pub mod registry;
pub mod session;

use upset_device::{DevPtr, Device, DeviceError};

use crate::abi::Address;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::report::{self, Record};
use fault::Fault;
use mapped::Mapped;
use modules::Modules;

pub use fault::error_of;
pub use mapped::Sort;

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
    messages: Vec<messages::Message>,
    told: Vec<String>,
}

impl Runtime {
    /// Makes the device as the environment says and loads what is registered.
    fn start() -> std::result::Result<Runtime, (Error, String)> {
        let config = Config::from_environment().map_err(|m| (Error::NO_DEVICE, m))?;
        let mut device = Device::in_mode(&config.chip, config.mode)
            .map_err(|e| (Error::NOT_SUPPORTED, e.to_string()))?;
        if config.trace.is_some() {
            device.start_trace();
        }
        let mut rt = Runtime {
            device,
            config,
            modules: Modules::default(),
            fault: Fault::default(),
            mapped: Mapped::default(),
            messages: Vec::new(),
            told: Vec::new(),
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
            eprintln!("upset: {message}");
            report::send(Record::Note { message: message.clone(), lacking });
            self.told.push(message);
        }
    }

    /// The CUDA error of a device error. What we lack is told.
    pub fn refused(&mut self, e: &DeviceError) -> Error {
        if e.is_lacking() {
            self.tell(e.to_string(), true);
        }
        error_of(e)
    }

    /// Device memory, aligned as asked.
    pub fn malloc(&mut self, bytes: u64) -> Result<u64> {
        self.device.malloc(bytes).map(|p| p.0).map_err(|_| Error::MEMORY_ALLOCATION)
    }

    /// Frees what `cudaMalloc` or `cudaMallocManaged` gave.
    pub fn free(&mut self, at: Address) -> Result<()> {
        if at.0 == 0 {
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
    pub fn free_shared(&mut self, at: Address, sort: Sort) -> Result<()> {
        if at.0 == 0 {
            return Ok(());
        }
        match self.mapped.find(at) {
            Some((start, region)) if start == at.0 && region.sort == sort => {
                self.mapped.release(&mut self.device, at);
                Ok(())
            }
            _ => Err(Error::INVALID_VALUE),
        }
    }

    /// The orderly end of the process.
    fn end(&mut self) {
        report::send(Record::Ended {
            output_digest: self.device.outputs().digest(),
            digest: self.device.digest(),
        });
    }
}
