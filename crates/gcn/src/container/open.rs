//! Whatever holds AMD's machine code, told apart by the machine in its header.

use super::amd;
use super::error::ContainerError;
use super::hsa;
use super::module::Module;

/// Whether a file says that it is for AMD's GPUs.
pub fn is_amd(bytes: &[u8]) -> bool {
    hsa::is_hsa(bytes) || amd::is_app_sdk(bytes)
}

/// Reads a code object or a binary of the APP SDK.
pub fn parse(bytes: &[u8]) -> Result<Module, ContainerError> {
    if amd::is_app_sdk(bytes) { amd::parse(bytes) } else { hsa::parse(bytes) }
}
