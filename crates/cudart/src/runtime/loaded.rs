//! What was loaded: of what the program registered, and by its own calls.

use std::collections::BTreeMap;
use std::ffi::CString;

use upset_device::{FunctionId, ModuleId};
use upset_ptx::Piece;

use super::handles::Handles;
use crate::abi::{Handle, Options};
use crate::error::Error;

/// Code that was loaded.
pub struct Modules {
    /// Fat binaries that were loaded, or why they were not.
    pub(super) by_binary: BTreeMap<usize, std::result::Result<ModuleId, (Error, String)>>,
    /// Modules that the program loaded itself.
    pub(super) own: Handles<OwnModule>,
    /// Their functions.
    pub(super) functions: Handles<OwnFunction>,
    /// Code that is being linked.
    pub(super) links: Handles<Link>,
    /// What the code of each module was made for.
    pub(super) versions: Vec<(ModuleId, Versions)>,
}

/// Architectures of code, 75 for compute_75 and sm_75. Templates choose between their
/// variants by the first: the host must take the one that the kernel was compiled as.
#[derive(Clone, Copy, Debug, Default)]
pub struct Versions {
    /// What it was compiled for: the PTX's.
    pub ptx: u32,
    /// What its machine code is for.
    pub binary: u32,
}

/// A module that the program loaded itself.
pub(super) struct OwnModule {
    pub id: ModuleId,
    /// Handles given out so far: a function has one, however often it is asked for.
    pub functions: BTreeMap<String, Handle>,
}

/// A function of such a module.
pub(super) struct OwnFunction {
    pub id: FunctionId,
    pub module: Handle,
    /// For programs that ask for it.
    pub name: CString,
}

/// Code that is being linked.
pub(super) struct Link {
    pub pieces: Vec<Piece<'static>>,
    pub options: Options,
    /// The code, which the program may read until it ends the link.
    pub made: Option<Vec<u8>>,
    /// A piece cannot be linked: from then on everything fails.
    pub broken: Option<Error>,
}

impl Default for Modules {
    fn default() -> Self {
        Modules {
            by_binary: BTreeMap::new(),
            own: Handles::from(0x8000_0000),
            functions: Handles::from(0x9000_0000),
            links: Handles::from(0xc000_0000),
            versions: Vec::new(),
        }
    }
}
