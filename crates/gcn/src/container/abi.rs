//! The two ways in which kernels are told what hardware must know.

use super::amd::AppSdk;
use super::descriptor::Descriptor;
use super::rsrc2::Rsrc2;

/// What hardware is told of a kernel, by its container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Abi {
    /// LLVM and AMD's open runtime.
    Hsa(Descriptor),
    /// AMD's APP SDK 2.x.
    AppSdk(AppSdk),
}

impl Abi {
    /// Vector registers of a work-item, as hardware gives them out.
    pub fn vgprs(&self) -> u32 {
        match self {
            Abi::Hsa(d) => d.vgprs(),
            Abi::AppSdk(a) => a.vgprs(),
        }
    }

    /// Scalar registers of a wavefront, VCC among them, as hardware gives them out.
    pub fn sgprs(&self) -> u32 {
        match self {
            Abi::Hsa(d) => d.sgprs(),
            Abi::AppSdk(a) => a.sgprs(),
        }
    }

    /// Bytes of LDS that a work-group takes whatever its arguments are.
    pub fn lds_bytes(&self) -> u32 {
        match self {
            Abi::Hsa(d) => d.lds_bytes,
            Abi::AppSdk(a) => a.lds_bytes,
        }
    }

    /// Bytes of scratch of a work-item.
    pub fn scratch_bytes(&self) -> u32 {
        match self {
            Abi::Hsa(d) => d.scratch_bytes,
            Abi::AppSdk(a) => a.scratch_bytes,
        }
    }

    /// Bytes of arguments.
    pub fn argument_bytes(&self) -> u32 {
        match self {
            Abi::Hsa(d) => d.kernarg_bytes,
            Abi::AppSdk(a) => a.argument_bytes,
        }
    }

    /// Rounding and denormals that MODE begins with.
    pub fn float_mode(&self) -> u8 {
        match self {
            Abi::Hsa(d) => d.float_mode(),
            Abi::AppSdk(a) => a.float_mode,
        }
    }

    /// NaNs are clamped to zero. The older container has no such field: its
    /// driver decided, and all later ABIs of AMD say yes.
    pub fn dx10_clamp(&self) -> bool {
        match self {
            Abi::Hsa(d) => d.dx10_clamp(),
            Abi::AppSdk(_) => true,
        }
    }

    /// Signalling NaNs are made quiet, minima and maxima follow IEEE 754.
    pub fn ieee(&self) -> bool {
        match self {
            Abi::Hsa(d) => d.ieee(),
            Abi::AppSdk(a) => a.ieee,
        }
    }

    /// What a wavefront finds in its registers.
    pub fn rsrc2(&self) -> Rsrc2 {
        match self {
            Abi::Hsa(d) => Rsrc2(d.rsrc2),
            Abi::AppSdk(a) => a.rsrc2,
        }
    }
}
