//! What can go wrong between host and device.

use upset_chip::ChipError;
use upset_emu::memory::MemoryError;
use upset_emu::trap::Trap;
use upset_sass::container::{ContainerError, ErrorClass};

use crate::{Limit, Near};

/// An error of the device API.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The chip's instruction set has no engine here.
    #[error("chip `{chip}` runs {arch} code, which this version cannot execute{why}")]
    UnsupportedArch {
        /// Chip name.
        chip: String,
        /// Its architecture.
        arch: String,
        /// What is missing.
        why: &'static str,
    },
    /// The chip has other cores than the code needs.
    #[error(transparent)]
    Chip(#[from] ChipError),
    /// Code of another vendor.
    #[error(
        "chip `{chip}` runs {runs} machine code, and this is {given}: choose a chip of that vendor (`upset chips` lists them)"
    )]
    OtherVendor {
        /// Chip name.
        chip: String,
        /// Whose code it runs.
        runs: &'static str,
        /// Whose code was given.
        given: &'static str,
    },
    /// AMD's container could not be loaded.
    #[error(transparent)]
    CodeObject(#[from] upset_gcn::container::ContainerError),
    /// The container could not be loaded.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// Allocation or copy failed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The module has no such kernel.
    #[error("no kernel `{name}` in the module; it has: {available}")]
    NoKernel {
        /// What was asked for.
        name: String,
        /// What there is.
        available: String,
    },
    /// The module has no such variable or texture.
    #[error("no {what} `{name}` in the module")]
    NoSymbol {
        /// Variable or texture reference.
        what: &'static str,
        /// What was asked for.
        name: String,
    },
    /// A copy runs past a variable's end.
    #[error("bytes {start}..{end} are outside variable `{name}` of {size} bytes")]
    SymbolRange {
        /// Variable.
        name: String,
        /// First byte.
        start: u64,
        /// One past the last byte.
        end: u64,
        /// Its size.
        size: u64,
    },
    /// A launch the chip cannot hold.
    #[error("kernel `{kernel}` cannot be launched: {why}")]
    Launch {
        /// Kernel.
        kernel: String,
        /// Reason.
        why: String,
    },
    /// A cooperative launch with more CTAs than the chip holds at once.
    #[error("kernel `{kernel}` cannot be launched: {ctas} blocks, {resident} fit the chip at once")]
    NotResident {
        /// Kernel.
        kernel: String,
        /// CTAs of the launch.
        ctas: u64,
        /// CTAs the chip holds at once.
        resident: u64,
    },
    /// The kernel trapped.
    #[error("kernel `{kernel}`: {trap}{}", near.as_ref().map(|n| format!("; {n}")).unwrap_or_default())]
    Trap {
        /// Kernel.
        kernel: String,
        /// Cause and place.
        trap: Trap,
        /// Where its global address lies, as seen from the nearest allocation.
        near: Option<Near>,
    },
    /// An assertion failed in the kernel; the messages say which.
    #[error("kernel `{kernel}`: device-side assertion failed: {trap}")]
    Assert {
        /// Kernel.
        kernel: String,
        /// Where it stopped.
        trap: Trap,
    },
    /// A chip without performance counters.
    #[error(
        "chip `{chip}` has no performance counters here: those of AMD's compute units are not modelled; choose a chip of NVIDIA's (`upset chips` lists them)"
    )]
    NoCounters {
        /// Chip name.
        chip: String,
    },
    /// Readings within a launch, where there is no time.
    #[error("functional mode has no cycles: its counters are read at the end of each launch")]
    NoCycles,
    /// A size that cannot be chosen, or not any more.
    #[error("{limit:?} cannot be {bytes} bytes: {why}")]
    Limit {
        /// Which one.
        limit: Limit,
        /// What was asked for.
        bytes: u64,
        /// Reason.
        why: &'static str,
    },
}

impl DeviceError {
    /// True when a failed assertion stopped the kernel.
    pub fn is_assert(&self) -> bool {
        matches!(self, DeviceError::Assert { .. })
    }

    /// True when the program needs something this tool lacks, rather than being wrong.
    pub fn is_lacking(&self) -> bool {
        use upset_emu::trap::TrapKind::Unimplemented;
        matches!(
            self,
            DeviceError::UnsupportedArch { .. }
                | DeviceError::OtherVendor { .. }
                | DeviceError::Chip(_)
                | DeviceError::Trap { trap: Trap { kind: Unimplemented(_), .. }, .. }
        ) || matches!(self, DeviceError::Container(e) if e.class() == ErrorClass::Lacks)
    }
}
