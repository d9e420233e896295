//! What was loaded of what the program registered.

use std::collections::BTreeMap;

use upset_device::ModuleId;

use crate::error::Error;

/// Fat binaries that were loaded, or why they were not.
#[derive(Default)]
pub struct Modules {
    pub(super) by_binary: BTreeMap<usize, std::result::Result<ModuleId, (Error, String)>>,
}
