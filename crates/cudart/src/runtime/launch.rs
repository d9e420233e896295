//! Launching kernels.

use std::sync::Arc;

use upset_agent::order;
use upset_agent::report::{self, Record};
use upset_agent::say::say;
use upset_device::{Args, DeviceError, FunctionId, Launch};
use upset_trial::End;
use upset_trial::underway::Underway;

use super::fault::error_of;
use super::graph::kind;
use super::graph_told::{Kernel, Told};
use super::limits::{DEFAULT_SHARED, MAX_BLOCK, MAX_GRID};
use super::state::{Op, Runtime, Work};
use crate::abi::{Address, Handle, In};
use crate::error::{Error, Result};
use crate::error_names::error_name;

/// `cudaDevAttrCooperativeLaunch`.
const COOPERATIVE_LAUNCH: i32 = 95;

/// How arguments are handed over.
#[derive(Clone, Copy)]
pub enum Given {
    /// A pointer to each.
    Each(In<Address>),
    /// All of them in one piece, laid out as the kernel wants them.
    Packed(Address, usize),
}

impl Runtime {
    /// Puts a launch into a stream.
    pub fn submit_launch(
        &mut self,
        stream: Handle,
        host: Address,
        launch: Launch,
        args: Given,
    ) -> Result<()> {
        if self.fault.is_set() {
            return Ok(());
        }
        let work = self.prepare_launch(host, launch, args)?;
        match self.streams.get_mut(stream)?.capture {
            Some(graph) => {
                let node = self.capture(graph, kind::KERNEL, Op::Device(work))?;
                self.graphs.nodes.get_mut(node)?.told = Some(self.told_of(host, launch, args)?);
                Ok(())
            }
            None => work(self),
        }
    }

    /// A launch as the program may ask for it again.
    pub fn told_of(&mut self, host: Address, launch: Launch, args: Given) -> Result<Told> {
        let function = self.function(host)?;
        let args = self.arguments(function, args)?;
        let bytes = args.iter().map(|arg| &arg.bytes[..]);
        Ok(Told::Kernel(Arc::new(Kernel::new(host, launch, bytes))))
    }

    /// A launch with its arguments, to be done now or later. What is wrong
    /// with the launch itself shows now; what the kernel does wrong, later.
    pub fn prepare_launch(&mut self, host: Address, launch: Launch, args: Given) -> Result<Work> {
        let function = self.function(host)?;
        if launch.cooperative && self.attribute(COOPERATIVE_LAUNCH) == Some(0) {
            return Err(Error::NOT_SUPPORTED);
        }
        self.check(function, &launch)?;
        let args = self.arguments(function, args)?;
        Ok(Arc::new(move |rt| rt.launch(function, &launch, &args)))
    }

    fn launch(&mut self, function: FunctionId, launch: &Launch, args: &Args) -> Result<()> {
        self.mapped.update_device(&mut self.device)?;
        if let Some(most) = self.config.kernel_cycles {
            let last = self.trial.as_ref().map_or(u64::MAX, Underway::last_cycle);
            self.device.limit_cycles(self.now().saturating_add(most).min(last));
        }
        let done = self.device.launch(function, launch, args);
        self.write_counters();
        self.mapped.update_host(&mut self.device);
        if let Some(trial) = &self.trial {
            report::send(Record::Cycles { cycles: trial.cycles(&self.device) });
        }
        match done {
            Ok(()) => {
                let name = self.device.kernel(function).name;
                if report::is_heard()
                    && let Some(k) = self.device.stats().kernels.iter().find(|k| k.name == name)
                {
                    report::send(Record::Kernel(Box::new(k.clone())));
                }
            }
            // The launch itself was refused; nothing ran.
            Err(e) if !matches!(e, DeviceError::Trap { .. } | DeviceError::Assert { .. }) => {
                return Err(error_of(&e));
            }
            Err(e) => {
                let error = error_of(&e);
                let lacking = e.is_lacking();
                let message = e.to_string();
                say(&message);
                let error_name = error_name(error.code()).to_string();
                let end = End::of(&e);
                report::send(Record::Trap { message, error: error_name, lacking, end });
                if let Some(trial) = &mut self.trial {
                    order::told(trial.trapped(&mut self.device));
                }
                self.fault.set(error);
            }
        }
        Ok(())
    }

    /// Most dynamic shared memory a kernel may use: 48 KiB with its own, until
    /// the program asks for more.
    pub fn dynamic_limit(&self, function: FunctionId) -> u32 {
        match self.dynamic_limits.iter().find(|(f, _)| *f == function) {
            Some(&(_, bytes)) => bytes,
            None => DEFAULT_SHARED.saturating_sub(self.device.kernel(function).shared_bytes),
        }
    }

    /// Lets a kernel use more dynamic shared memory.
    pub fn set_dynamic_limit(&mut self, function: FunctionId, bytes: i32) -> Result<()> {
        let own = self.device.kernel(function).shared_bytes;
        let most = self.device.sm_core().shared.per_cta.saturating_sub(own);
        match u32::try_from(bytes) {
            Ok(bytes) if bytes <= most => {
                self.dynamic_limits.retain(|(f, _)| *f != function);
                self.dynamic_limits.push((function, bytes));
                Ok(())
            }
            _ => Err(Error::INVALID_VALUE),
        }
    }

    /// Refuses what hardware refuses before it runs anything.
    fn check(&self, function: FunctionId, launch: &Launch) -> Result<()> {
        let within = |n: [u32; 3], most: [u32; 3]| (0..3).all(|i| n[i] >= 1 && n[i] <= most[i]);
        let threads: u64 = launch.block.iter().map(|&n| u64::from(n)).product();
        let core = self.device.sm_core();
        if !within(launch.grid, MAX_GRID)
            || !within(launch.block, MAX_BLOCK)
            || threads > u64::from(core.sm.threads_per_cta)
        {
            return Err(Error::INVALID_CONFIGURATION);
        }
        let kernel = self.device.kernel(function);
        if kernel.max_threads.is_some_and(|most| threads > u64::from(most)) {
            return Err(Error::INVALID_VALUE);
        }
        let shared = u64::from(kernel.shared_bytes) + u64::from(launch.shared_bytes);
        if shared > u64::from(core.shared.per_cta)
            || launch.shared_bytes > self.dynamic_limit(function)
        {
            return Err(Error::INVALID_VALUE);
        }
        let fit = self.device.occupancy(function, threads as u32, launch.shared_bytes);
        if fit.ctas_per_sm == 0 {
            return Err(Error::LAUNCH_OUT_OF_RESOURCES);
        }
        Ok(())
    }

    /// The arguments' bytes, as long as the kernel says they are.
    fn arguments(&self, function: FunctionId, args: Given) -> Result<Args> {
        let mut all = Args::new();
        let params = self.device.kernel(function).params;
        let end = params.iter().map(|(offset, size)| (offset + size) as usize).max();
        if matches!(args, Given::Packed(_, len) if len > end.unwrap_or(0)) {
            return Err(Error::LAUNCH_OUT_OF_RESOURCES);
        }
        for (i, &(offset, size)) in params.iter().enumerate() {
            let (offset, size) = (offset as usize, size as usize);
            let (at, given) = match args {
                Given::Each(args) => (args.at(i)?, size),
                // What is not given is zero.
                Given::Packed(at, len) => {
                    (at.offset(offset as u64), len.saturating_sub(offset).min(size))
                }
            };
            if at.0 == 0 {
                return Err(Error::INVALID_VALUE);
            }
            let mut bytes = vec![0; size];
            // SAFETY: the i-th argument of this kernel, whose size its code states, or
            // as much of it as the program says it hands over.
            bytes[..given].copy_from_slice(unsafe { at.host_bytes(given) });
            all = all.bytes(&bytes);
        }
        Ok(all)
    }
}
