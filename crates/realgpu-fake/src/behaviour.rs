//! What the fake GPU does wrong.

/// The n-th of some calls, from 1.
pub type Nth = u32;

/// Which warps move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// The first one of that copy.
    First(Nth),
    /// All, always.
    All,
}

/// Every way to go wrong; the default is a GPU in good order.
#[derive(Clone, Debug, PartialEq)]
pub struct Behaviour {
    /// `cuInit` returns this.
    pub init: i32,
    /// `cuDriverGetVersion`.
    pub version: i32,
    /// Devices the driver sees.
    pub devices: i32,
    /// Compute capability it claims.
    pub capability: (i32, i32),
    /// SMs it claims beyond those it has.
    pub extra_sms: i32,
    /// Page-locked memory is refused.
    pub no_page_locked: bool,
    /// Context creation returns this.
    pub context: i32,
    /// That allocation returns "out of memory".
    pub alloc_fails: Option<Nth>,
    /// Loading a module returns this.
    pub load: i32,
    /// Looking a kernel up returns this.
    pub function: i32,
    /// That launch returns this status at once.
    pub launch: Option<(Nth, i32)>,
    /// That launch is told of with this status when it is waited for.
    pub ends_with: Option<(Nth, i32)>,
    /// That launch never ends.
    pub hangs: Option<Nth>,
    /// That copy to the host has the byte at this offset changed by these bits.
    pub copy: Option<(Nth, usize, u8)>,
    /// That copy to the host returns this status.
    pub copy_fails: Option<(Nth, i32)>,
    /// Bits of the chip that are broken, by their names.
    pub broken: Option<&'static str>,
    /// That copy to the host, or every one, tells of its first warp, or of every
    /// one, that its SM was another one at the end.
    pub moves: Option<Moves>,
    /// A context that failed cannot be followed by another.
    pub lost: bool,
    /// The process gets this signal at that launch.
    pub signal: Option<(Nth, i32)>,
    /// Some milliseconds later the same signal comes again.
    pub signal_again: bool,
    /// What the linker makes of PTX: a status, or the PTX's own machine code.
    pub link: i32,
    /// NVML.
    pub nvml: NvmlBehaviour,
}

/// What NVML says.
#[derive(Clone, Debug, PartialEq)]
pub struct NvmlBehaviour {
    /// `nvmlInit` returns this.
    pub init: i32,
    /// It does not know the GPU.
    pub unknown: bool,
    /// Everything optional returns "not supported".
    pub silent: bool,
    /// Degrees.
    pub temperature: u32,
    /// Milliwatts, and the limit.
    pub power: (u32, u32),
    /// MHz of the SMs.
    pub clock: u32,
    /// Why it is no more.
    pub reasons: u64,
    /// An Xid comes with that launch.
    pub xid: Option<(Nth, u64)>,
    /// Corrected errors of device memory from that launch on.
    pub corrected: Option<(Nth, u64)>,
    /// Uncorrected errors.
    pub uncorrected: Option<(Nth, u64)>,
    /// Rows are remapped from that launch on.
    pub remapped: Option<Nth>,
    /// Corrected errors there were all along.
    pub old_errors: u64,
    /// MIG is on.
    pub mig: bool,
    /// Another process computes through MPS.
    pub mps: bool,
    /// GPU is lost from that launch on.
    pub lost: Option<Nth>,
}

impl Default for Behaviour {
    fn default() -> Behaviour {
        Behaviour {
            init: 0,
            version: 12_080,
            devices: 1,
            capability: (7, 5),
            extra_sms: 0,
            no_page_locked: false,
            context: 0,
            alloc_fails: None,
            load: 0,
            function: 0,
            launch: None,
            ends_with: None,
            hangs: None,
            copy: None,
            copy_fails: None,
            broken: None,
            moves: None,
            lost: false,
            signal: None,
            signal_again: false,
            link: 0,
            nvml: NvmlBehaviour::default(),
        }
    }
}

impl Default for NvmlBehaviour {
    fn default() -> NvmlBehaviour {
        NvmlBehaviour {
            init: 0,
            unknown: false,
            silent: false,
            temperature: 41,
            power: (75_000, 170_000),
            clock: 1365,
            reasons: 0,
            xid: None,
            corrected: None,
            uncorrected: None,
            remapped: None,
            old_errors: 0,
            mig: false,
            mps: false,
            lost: None,
        }
    }
}
