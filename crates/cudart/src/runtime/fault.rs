//! Errors of kernels: they come late and stay.

use upset_device::{DeviceError, TrapKind};

use crate::error::{Error, Result};

/// What a kernel left behind. Launches are asynchronous, so the error shows at
/// the next call that waits; from then on every call returns it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fault {
    error: Option<Error>,
    seen: bool,
}

impl Fault {
    /// Notes an error; the first one stays.
    pub fn set(&mut self, error: Error) {
        self.error.get_or_insert(error);
    }

    /// Whether the device is dead.
    pub fn is_set(&self) -> bool {
        self.error.is_some()
    }

    /// Reports the error, now and from now on.
    pub fn surface(&mut self) -> Result<()> {
        self.seen = self.error.is_some();
        self.surfaced()
    }

    /// The error, if it was reported already.
    pub fn surfaced(&self) -> Result<()> {
        match self.error {
            Some(e) if self.seen => Err(e),
            _ => Ok(()),
        }
    }
}

/// The CUDA error that hardware gives for what a kernel did, as an H200 answered.
pub fn error_of(e: &DeviceError) -> Error {
    match e {
        DeviceError::Trap { trap, .. } => of_trap(&trap.kind),
        DeviceError::Memory(_) => Error::INVALID_VALUE,
        DeviceError::NoKernel { .. } => Error::INVALID_DEVICE_FUNCTION,
        DeviceError::NoSymbol { .. } => Error::INVALID_SYMBOL,
        DeviceError::SymbolRange { .. } => Error::INVALID_VALUE,
        DeviceError::Launch { .. } => Error::LAUNCH_OUT_OF_RESOURCES,
        DeviceError::UnsupportedArch { .. } | DeviceError::Chip(_) => Error::NOT_SUPPORTED,
        DeviceError::Container(_) | DeviceError::CodeObject(_) => Error::INVALID_KERNEL_IMAGE,
        DeviceError::OtherVendor { .. }
        | DeviceError::NoCounters { .. }
        | DeviceError::NoCycles => Error::NOT_SUPPORTED,
        DeviceError::Assert { .. } => Error::ASSERT,
        DeviceError::NotResident { .. } => Error::COOPERATIVE_LAUNCH_TOO_LARGE,
        DeviceError::Limit { .. } => Error::INVALID_VALUE,
    }
}

fn of_trap(kind: &TrapKind) -> Error {
    match kind {
        TrapKind::IllegalEncoding
        | TrapKind::MisalignedRegister(_)
        | TrapKind::RegisterOutOfRange(_) => Error::ILLEGAL_INSTRUCTION,
        TrapKind::Unimplemented(_) => Error::NOT_SUPPORTED,
        TrapKind::MisalignedPc(_) => Error::INVALID_PC,
        TrapKind::MisalignedAddress { .. } => Error::MISALIGNED_ADDRESS,
        // Jumping to memory that is not there included.
        TrapKind::AddressOutOfRange { .. } | TrapKind::PcOutOfRange(_) => Error::ILLEGAL_ADDRESS,
        TrapKind::InvalidAddressSpace { .. } => Error::INVALID_ADDRESS_SPACE,
        TrapKind::InstructionLimit(_) | TrapKind::CycleLimit(_) | TrapKind::Deadlock => {
            Error::LAUNCH_TIMEOUT
        }
        TrapKind::Stack(_) => Error::HARDWARE_STACK_ERROR,
        TrapKind::InvalidConstant { .. }
        | TrapKind::BarrierMisuse(_)
        | TrapKind::TrapInstruction
        | TrapKind::InvalidTexture(_) => Error::LAUNCH_FAILURE,
    }
}
