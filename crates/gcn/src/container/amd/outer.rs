//! The outer ELF file: which kernels and constants there are.
//!
//! Symbols `__OpenCL_<kernel>_kernel` name inner files, `…_metadata` text;
//! `…_header` repeats sizes and is not read. `__OpenCL_<n>_global` is constant
//! buffer `n` of the program.

use std::collections::BTreeMap;

use super::app_sdk::AppSdk;
use super::chips;
use super::elf::{Elf, Symbol, half};
use super::inner::{self, Inner};
use super::metadata::{self, Metadata};
use crate::container::abi::Abi;
use crate::container::error::{ContainerError, malformed};
use crate::container::module::{ConstantBuffer, Kernel, Module, Segment};

const PLACE: &str = "ELF file";
const PREFIX: &str = "__OpenCL_";
/// Code begins at multiples of this: hardware keeps a start without its low bits.
const ALIGN: u64 = 256;

/// Whether a file says that it is for one of AMD's GPUs, as the APP SDK counts
/// machines.
pub fn is_app_sdk(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF") && half(bytes, 18).is_some_and(chips::is_gpu)
}

/// Reads a binary.
pub fn parse(bytes: &[u8]) -> Result<Module, ContainerError> {
    let elf = Elf::new(bytes, PLACE)?;
    let chip = chips::by_outer(elf.machine)
        .ok_or_else(|| ContainerError::OtherTarget { found: chips::other(elf.machine) })?;
    let mut symbols: BTreeMap<&str, Symbol<'_>> = BTreeMap::new();
    for symbol in elf.symbols()? {
        symbols.entry(symbol.name).or_insert(symbol);
    }
    let mut loader = Loader { left: 2 * bytes.len(), next: 0, module: Module::default() };
    for (symbol_name, symbol) in &symbols {
        let Some(name) = between(symbol_name, "_kernel") else { continue };
        let about_name = format!("{PREFIX}{name}_metadata");
        let about = symbols
            .get(about_name.as_str())
            .ok_or_else(|| ContainerError::Undefined { name: about_name.clone() })?;
        let (symbol, about) = (content(symbol)?, content(about)?);
        loader.spend(symbol.len() + about.len())?;
        let place = format!("inner file of {name}");
        let inner = inner::read(symbol, &place, chip)?;
        let about = metadata::read(about, &format!("metadata of {name}"), elf.wide)?;
        loader.kernel(name, inner, about);
    }
    if loader.module.kernels.is_empty() {
        let problem = "no symbol is named __OpenCL_…_kernel: it holds no machine code";
        return Err(malformed(PLACE, problem));
    }
    for (symbol_name, symbol) in &symbols {
        let number = between(symbol_name, "_global").and_then(|n| n.parse().ok());
        if let Some(number) = number {
            let bytes = content(symbol)?;
            loader.spend(bytes.len())?;
            loader.constants(number, bytes);
        }
    }
    let mut module = loader.module;
    module.constants.sort_by_key(|c| c.number);
    module.kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(module)
}

/// A symbol's bytes. Symbols that nobody asks for may lead anywhere.
fn content<'a>(symbol: &Symbol<'a>) -> Result<&'a [u8], ContainerError> {
    let beyond = || malformed(PLACE, format!("{} lies beyond its section", symbol.name));
    symbol.bytes.ok_or_else(beyond)
}

/// What stands between the prefix and a suffix.
fn between<'a>(symbol: &'a str, suffix: &str) -> Option<&'a str> {
    symbol.strip_prefix(PREFIX)?.strip_suffix(suffix).filter(|name| !name.is_empty())
}

struct Loader {
    /// Bytes that may yet be taken: symbols of a sound file do not overlap.
    left: usize,
    next: u64,
    module: Module,
}

impl Loader {
    fn spend(&mut self, bytes: usize) -> Result<(), ContainerError> {
        self.left =
            self.left.checked_sub(bytes).ok_or_else(|| malformed(PLACE, "symbols overlap"))?;
        Ok(())
    }

    /// Lays bytes behind what is there.
    fn load(&mut self, bytes: &[u8], executable: bool) -> u64 {
        let address = self.next;
        self.next = (address + bytes.len() as u64).next_multiple_of(ALIGN);
        let bytes = bytes.to_vec();
        self.module.segments.push(Segment { address, bytes, executable, writable: false });
        address
    }

    fn constants(&mut self, number: u32, bytes: &[u8]) {
        let address = self.load(bytes, false);
        let bytes = bytes.len() as u64;
        self.module.constants.push(ConstantBuffer { number, address, bytes });
    }

    fn kernel(&mut self, name: &str, inner: Inner<'_>, about: Metadata) {
        let info = inner.info;
        let abi = Abi::AppSdk(AppSdk {
            used_vgprs: info.vgprs,
            used_sgprs: info.sgprs,
            lds_bytes: about.lds_bytes,
            scratch_bytes: info.scratch_bytes,
            uav_private_bytes: about.uav_private_bytes,
            argument_bytes: about.argument_bytes,
            float_mode: info.float_mode,
            ieee: info.ieee,
            rsrc2: info.rsrc2,
            user_data: info.user_data,
            reserved: about.reserved,
            needs_constants: about.needs_constants,
            wide: about.wide,
        });
        let entry = self.load(inner.code, true);
        let fixed =
            about.group_size.map(|size| size.iter().fold(1u32, |a, &n| a.saturating_mul(n)));
        self.module.kernels.push(Kernel {
            name: name.to_string(),
            entry,
            code_bytes: inner.code.len() as u64,
            abi,
            arguments: about.arguments,
            group_size: about.group_size,
            most_items: fixed.unwrap_or(info.most_items),
        });
    }
}
