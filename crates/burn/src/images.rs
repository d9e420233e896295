//! Code of the kernels, compiled in by `cargo xtask kernels`.

use crate::{Image, MachineCode};

/// An image from the files beside its source in `kernels/burn`.
macro_rules! image {
    ($name:literal) => {
        Image {
            name: $name,
            cubins: &[
                code!(70, $name, "sm_70"),
                code!(75, $name, "sm_75"),
                code!(80, $name, "sm_80"),
                code!(90, $name, "sm_90"),
            ],
            ptx: include_str!(concat!("../../../kernels/burn/", $name, ".ptx")),
            opencl: "",
        }
    };
    // The variant that makes errors: machine code only, it tests the tester.
    ($name:literal, inject) => {
        Image {
            name: concat!($name, "-inject"),
            cubins: &[
                code!(70, $name, "inject.sm_70"),
                code!(75, $name, "inject.sm_75"),
                code!(80, $name, "inject.sm_80"),
                code!(90, $name, "inject.sm_90"),
            ],
            ptx: "",
            opencl: "",
        }
    };
}

macro_rules! code {
    ($sm:literal, $name:literal, $form:literal) => {
        MachineCode {
            sm: $sm,
            bytes: include_bytes!(concat!("../../../kernels/burn/", $name, ".", $form, ".cubin")),
        }
    };
}

/// Arithmetic units.
pub static ARITHMETIC: Image = image!("arithmetic");
/// The same with errors made on purpose.
pub static ARITHMETIC_INJECT: Image = image!("arithmetic", inject);

/// A pair of statics for each source of the storage, memory, control and stress tests.
macro_rules! images {
    ($($(#[$about:meta])* $plain:ident $inject:ident $name:literal;)*) => {$(
        $(#[$about])*
        pub static $plain: Image = image!($name);
        /// The same with errors made on purpose.
        pub static $inject: Image = image!($name, inject);
    )*};
}

images! {
    /// Tensor cores.
    TENSOR TENSOR_INJECT "tensor";
    /// Register file.
    REGISTERS REGISTERS_INJECT "registers";
    /// Predicate registers.
    PREDICATES PREDICATES_INJECT "predicates";
    /// Shared memory.
    SHAREDMEM SHAREDMEM_INJECT "sharedmem";
    /// First-level data cache, L2, constant cache.
    CACHES CACHES_INJECT "caches";
    /// Device memory.
    DEVMEM DEVMEM_INJECT "devmem";
    /// Divergence, exchange between lanes, barriers.
    CONTROL CONTROL_INJECT "control";
    /// Atomic operations.
    ATOMICS ATOMICS_INJECT "atomics";
    /// Load that comes and goes.
    PULSES PULSES_INJECT "pulses";
}

/// Instruction caches: it has no variant that makes errors.
pub static ICACHE: Image = image!("icache");

/// Comparisons of what other SMs computed.
pub static JUDGE: Image = image!("judge");
