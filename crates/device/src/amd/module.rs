//! A loaded module: its segments in memory, its code decoded.

use std::sync::Arc;

use upset_cu::{Code, Config};
use upset_emu::WaveCode;
use upset_gcn::container::{self, Abi, Kernel, Module};

use super::kernel::LoadedKernel;
use crate::DeviceError;
use crate::storage::Storage;

/// Alignment of modules and their data.
const PAGE: u64 = 4096;
/// Bytes behind a module that fetching may run into.
const BEHIND: u64 = 256;

/// A module in device memory.
pub(crate) struct LoadedModule {
    pub(super) kernels: Vec<LoadedKernel>,
    pub(super) module: Module,
    pub(super) base: u64,
    /// Address of the code, and its words.
    code_base: u64,
    words: Vec<u32>,
    /// Decoded for each engine when it is first needed.
    timed: Option<Arc<Code>>,
    plain: Option<Arc<WaveCode>>,
}

impl LoadedModule {
    /// Loads a code object.
    pub fn load(image: &[u8], storage: &mut Storage) -> Result<LoadedModule, DeviceError> {
        let module = container::parse(image)?;
        let end = module.segments.iter().map(|s| s.address + s.bytes.len() as u64).max();
        let size = end.unwrap_or(0).next_multiple_of(PAGE) + BEHIND;
        let base = storage.global_mut().allocate_aligned(size, PAGE)?;
        for segment in &module.segments {
            storage.write(base + segment.address, &segment.bytes)?;
        }
        for r in &module.relocations {
            storage.write(base + r.address, &(base + r.target).to_le_bytes())?;
        }
        let (code_base, words) = code(&module, base);
        let mut kernels = Vec::new();
        for about in &module.kernels {
            let block = storage.global_mut().allocate_aligned(block_bytes(about), PAGE)?;
            kernels.push(LoadedKernel { about: about.clone(), entry: base + about.entry, block });
        }
        Ok(LoadedModule { kernels, module, base, code_base, words, timed: None, plain: None })
    }

    /// The code as compute units take it.
    pub fn timed_code(&mut self, config: &Config) -> Arc<Code> {
        let new = || Arc::new(Code::new(self.code_base, self.words.clone(), config));
        self.timed.get_or_insert_with(new).clone()
    }

    /// The code as the functional engine takes it.
    pub fn plain_code(&mut self) -> Arc<WaveCode> {
        let new = || Arc::new(WaveCode::new(self.code_base, &self.words));
        self.plain.get_or_insert_with(new).clone()
    }

    /// Name, first address and end of every kernel's code.
    pub fn functions(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        self.kernels.iter().map(|k| {
            let end = match k.about.code_bytes {
                0 => self.code_base + 4 * self.words.len() as u64,
                bytes => k.entry + bytes,
            };
            (k.about.name.as_str(), k.entry, end)
        })
    }

    /// The two dwords at an address, as they were loaded.
    pub fn words_at(&self, address: u64) -> Option<[u32; 2]> {
        let i = usize::try_from(address.checked_sub(self.code_base)? / 4).ok()?;
        let first = *self.words.get(i)?;
        Some([first, self.words.get(i + 1).copied().unwrap_or(0)])
    }
}

/// Bytes that a launch of a kernel is given: its arguments with hidden ones
/// behind them, tables and the dispatch packet.
fn block_bytes(kernel: &Kernel) -> u64 {
    let tables = match kernel.abi {
        Abi::Hsa(_) => super::hsa::EXTRA,
        Abi::AppSdk(_) => super::app_sdk::EXTRA,
    };
    u64::from(kernel.abi.argument_bytes()) + tables
}

/// The executable part of a module: from the first to the last such segment.
fn code(module: &Module, base: u64) -> (u64, Vec<u32>) {
    let all = || module.segments.iter().filter(|s| s.executable);
    let first = all().map(|s| s.address).min().unwrap_or(0) & !3;
    let end = all().map(|s| s.address + s.bytes.len() as u64).max().unwrap_or(first);
    let mut bytes = vec![0; (end - first).next_multiple_of(4) as usize];
    for s in all() {
        let at = (s.address - first) as usize;
        bytes[at..at + s.bytes.len()].copy_from_slice(&s.bytes);
    }
    let (words, _) = bytes.as_chunks::<4>();
    (base + first, words.iter().map(|w| u32::from_le_bytes(*w)).collect())
}
