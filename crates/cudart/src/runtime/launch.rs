//! Launching kernels.

use upset_device::{Args, FunctionId, Launch};

use super::{Runtime, error_of};
use crate::abi::{Address, In};
use crate::error::{Error, Result};
use crate::report::{self, Record};

/// Largest grid in x, y, z; the same on all supported chips (CUDA C++
/// programming guide, technical specifications per compute capability).
pub const MAX_GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Largest block in x, y, z.
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];

impl Runtime {
    /// Launches the kernel behind a host function. What the kernel does wrong
    /// shows later; what is wrong with the launch itself shows now.
    pub fn launch(&mut self, host: Address, launch: Launch, args: In<Address>) -> Result<()> {
        if self.fault.is_set() {
            return Ok(());
        }
        self.flush_messages();
        let function = self.function(host)?;
        self.check(function, &launch)?;
        let args = self.arguments(function, args)?;
        self.mapped.to_device(&mut self.device)?;
        if let Some(most) = self.config.kernel_cycles {
            self.device.limit_cycles(self.now().saturating_add(most));
        }
        let done = self.device.launch(function, &launch, &args);
        self.collect_messages();
        self.mapped.to_host(&mut self.device);
        match done {
            Ok(()) => {
                let name = self.device.kernel(function).name;
                if report::is_heard()
                    && let Some(k) = self.device.stats().kernels.iter().find(|k| k.name == name)
                {
                    report::send(Record::Kernel(Box::new(k.clone())));
                }
            }
            Err(e) => {
                let error = error_of(&e);
                let lacking = e.is_lacking();
                let message = e.to_string();
                eprintln!("upset: {message}");
                let error_name = crate::api::error_name(error.code()).to_string();
                report::send(Record::Trap { message, error: error_name, lacking });
                self.fault.set(error);
            }
        }
        Ok(())
    }

    /// Refuses what hardware refuses before it runs anything.
    fn check(&self, function: FunctionId, launch: &Launch) -> Result<()> {
        let within = |n: [u32; 3], most: [u32; 3]| (0..3).all(|i| n[i] >= 1 && n[i] <= most[i]);
        let threads: u64 = launch.block.iter().map(|&n| u64::from(n)).product();
        let chip = self.device.chip();
        if !within(launch.grid, MAX_GRID)
            || !within(launch.block, MAX_BLOCK)
            || threads > u64::from(chip.sm.threads_per_cta)
        {
            return Err(Error::INVALID_CONFIGURATION);
        }
        let kernel = self.device.kernel(function);
        let shared = u64::from(kernel.shared_bytes) + u64::from(launch.shared_bytes);
        if shared > u64::from(chip.shared.per_cta) {
            return Err(Error::INVALID_VALUE);
        }
        let fit = self.device.occupancy(function, threads as u32, launch.shared_bytes);
        if fit.ctas_per_sm == 0 {
            return Err(Error::LAUNCH_OUT_OF_RESOURCES);
        }
        Ok(())
    }

    /// The arguments' bytes, as long as the kernel says they are.
    fn arguments(&self, function: FunctionId, args: In<Address>) -> Result<Args> {
        let mut all = Args::new();
        for (i, &(_, size)) in self.device.kernel(function).params.iter().enumerate() {
            let at = args.at(i)?;
            if at.0 == 0 {
                return Err(Error::INVALID_VALUE);
            }
            // SAFETY: the i-th argument of this kernel, whose size its code states.
            all = all.bytes(unsafe { at.host_bytes(size as usize) });
        }
        Ok(all)
    }
}
