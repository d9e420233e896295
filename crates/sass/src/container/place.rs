//! Placing a module in memory: addresses for code and variables, relocations applied.

use std::collections::BTreeMap;

use super::ContainerError;
use super::module::{Data, Module, RelocTarget, Relocation, Symbol, SymbolKind, SymbolPlace};
use super::reloc::{self, Value};

/// Where things go.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    /// Address of the first code section.
    pub code: u64,
    /// Address of the first global variable.
    pub globals: u64,
    /// Addresses of functions and variables that the module does not define,
    /// such as `vprintf`.
    pub externs: BTreeMap<String, u64>,
    /// Handles of texture, sampler and surface references.
    pub handles: BTreeMap<String, u32>,
}

/// A module ready to be copied into memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Address of `code`.
    pub code_base: u64,
    /// All machine code.
    pub code: Vec<u8>,
    /// Address of each section of [`Module::code`].
    pub code_sections: Vec<u64>,
    /// Address of `globals`.
    pub globals_base: u64,
    /// Initialised global variables.
    pub globals: Vec<u8>,
    /// Address of the variables that begin as zeros.
    pub zeroed_base: u64,
    /// Their size.
    pub zeroed_size: u64,
    /// Constant banks that all kernels share.
    pub banks: BTreeMap<u8, Vec<u8>>,
    /// Kernels, in the order of [`Module::kernels`].
    pub kernels: Vec<PlacedKernel>,
    /// Address of each symbol of [`Module::symbols`] that lies in code or global memory.
    pub symbols: Vec<Option<u64>>,
}

/// A kernel ready to be launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedKernel {
    /// Address of the first instruction.
    pub entry: u64,
    /// Its own constant banks.
    pub banks: BTreeMap<u8, Vec<u8>>,
}

impl Placed {
    /// Bytes of global memory, from `globals_base`.
    pub fn globals_size(&self) -> u64 {
        self.zeroed_base.wrapping_add(self.zeroed_size).wrapping_sub(self.globals_base)
    }
}

impl Module {
    /// A handle for each texture, sampler and surface reference, counted from `first`.
    pub fn number_references(&self, first: u32) -> BTreeMap<String, u32> {
        let mut handles = BTreeMap::new();
        for symbol in self.references() {
            let next = first.saturating_add(handles.len() as u32);
            handles.entry(symbol.name.clone()).or_insert(next);
        }
        handles
    }

    /// Bytes that the code takes when placed at an address that is a multiple of 4096.
    pub fn code_size(&self) -> u64 {
        self.lay_out_code(0).1
    }

    /// Gives everything an address and applies all relocations.
    pub fn place(&self, addresses: &Addresses) -> Result<Placed, ContainerError> {
        if self.relocatable {
            return Err(ContainerError::Relocatable);
        }
        let (code_sections, end) = self.lay_out_code(addresses.code);
        let globals_base = align_up(addresses.globals, self.globals.align);
        let after = globals_base.wrapping_add(self.globals.bytes.len() as u64);
        let mut placed = Placed {
            code_base: addresses.code,
            code: vec![0; end.wrapping_sub(addresses.code) as usize],
            code_sections,
            globals_base,
            globals: self.globals.bytes.clone(),
            zeroed_base: align_up(after, self.zeroed.align),
            zeroed_size: self.zeroed.size,
            banks: contents(&self.banks),
            kernels: Vec::new(),
            symbols: Vec::new(),
        };
        for (section, &at) in self.code.iter().zip(&placed.code_sections) {
            let start = at.wrapping_sub(addresses.code) as usize;
            if let Some(room) = placed.code.get_mut(start..start + section.code.bytes.len()) {
                room.copy_from_slice(&section.code.bytes);
            }
        }
        for kernel in &self.kernels {
            let base = placed.code_sections.get(kernel.code).copied().unwrap_or(addresses.code);
            let entry = base.wrapping_add(kernel.offset);
            placed.kernels.push(PlacedKernel { entry, banks: contents(&kernel.banks) });
        }
        placed.symbols = self.symbols.iter().map(|s| address(s.place, &placed)).collect();
        let kernel_of: BTreeMap<usize, usize> =
            self.kernels.iter().enumerate().map(|(i, k)| (k.code, i)).collect();
        for relocation in &self.relocations {
            self.relocate(relocation, addresses, &kernel_of, &mut placed)?;
        }
        Ok(placed)
    }

    /// Address of each code section, and the end of the last.
    fn lay_out_code(&self, base: u64) -> (Vec<u64>, u64) {
        let mut next = base;
        let mut place = |data: &Data| {
            let at = align_up(next, data.align);
            next = at.wrapping_add(data.bytes.len() as u64);
            at
        };
        let sections = self.code.iter().map(|s| place(&s.code)).collect();
        (sections, next)
    }

    fn relocate(
        &self,
        relocation: &Relocation,
        addresses: &Addresses,
        kernel_of: &BTreeMap<usize, usize>,
        placed: &mut Placed,
    ) -> Result<(), ContainerError> {
        let Relocation { target, offset, number, symbol: index, addend } = *relocation;
        let symbol = self.symbols.get(index);
        let name = || symbol.map(|s| s.name.clone()).unwrap_or_default();
        let unsupported = || ContainerError::Relocation {
            section: self.target_name(target),
            offset,
            number,
            name: reloc::name(number),
            symbol: name(),
        };
        let kind = reloc::find(number).ok_or_else(unsupported)?;
        let symbol = symbol.ok_or_else(unsupported)?;
        let resolved = match kind.value {
            Value::Clear => Ok((0, 0)),
            Value::Handle => {
                addresses.handles.get(&symbol.name).map(|&h| (h.into(), 0)).ok_or(true)
            }
            value => {
                resolve(symbol, value, addresses, placed.symbols.get(index).copied().flatten())
            }
        };
        let (value, bank) = resolved.map_err(|undefined| match undefined {
            true => ContainerError::Undefined {
                section: self.target_name(target),
                offset,
                symbol: name(),
            },
            false => unsupported(),
        })?;
        let outside = || ContainerError::Malformed {
            place: self.target_name(target),
            offset,
            problem: format!(
                "relocation {} against `{}` lies outside the section",
                kind.name, symbol.name
            ),
        };
        let patch = |bytes: &mut [u8]| kind.apply(bytes, offset, value, bank, addend);
        let patched = match target {
            RelocTarget::Global => patch(&mut placed.globals),
            RelocTarget::Const { bank, owner: None } => {
                placed.banks.get_mut(&bank).and_then(|b| patch(b))
            }
            RelocTarget::Const { bank, owner: Some(code) } => {
                let Some(kernel) = kernel_of.get(&code).and_then(|&i| placed.kernels.get_mut(i))
                else {
                    // The bank of a function that is no kernel: nothing reads it.
                    return Ok(());
                };
                kernel.banks.get_mut(&bank).and_then(|b| patch(b))
            }
            RelocTarget::Code(code) => self
                .code
                .get(code)
                .zip(placed.code_sections.get(code))
                .and_then(|(section, &at)| {
                    let start = usize::try_from(at.wrapping_sub(placed.code_base)).ok()?;
                    patch(placed.code.get_mut(start..start.checked_add(section.code.bytes.len())?)?)
                }),
        };
        patched.ok_or_else(outside)
    }
}

/// Value and constant bank of a symbol; `Err(true)` when nobody defines it,
/// `Err(false)` when the relocation makes no sense for it.
fn resolve(
    symbol: &Symbol,
    value: Value,
    addresses: &Addresses,
    address: Option<u64>,
) -> Result<(u64, u8), bool> {
    match (symbol.place, value) {
        (SymbolPlace::Const { bank, offset, .. }, Value::ConstField(_)) => Ok((offset, bank)),
        (_, Value::ConstField(_)) => Err(false),
        (SymbolPlace::Undefined, _)
            if matches!(symbol.kind, SymbolKind::Texture | SymbolKind::Surface) =>
        {
            Err(false)
        }
        (SymbolPlace::Undefined, _) => {
            addresses.externs.get(&symbol.name).map(|&a| (a, 0)).ok_or(true)
        }
        (SymbolPlace::Code { .. } | SymbolPlace::Global { .. } | SymbolPlace::Zeroed { .. }, _) => {
            address.map(|a| (a, 0)).ok_or(false)
        }
        (SymbolPlace::Absolute { value }, _) => Ok((value, 0)),
        (SymbolPlace::Const { offset, .. } | SymbolPlace::Shared { offset }, Value::Address) => {
            Ok((offset, 0))
        }
        (
            SymbolPlace::Const { .. } | SymbolPlace::Shared { .. } | SymbolPlace::Elsewhere { .. },
            _,
        ) => Err(false),
    }
}

fn address(place: SymbolPlace, placed: &Placed) -> Option<u64> {
    match place {
        SymbolPlace::Code { section, offset } => {
            placed.code_sections.get(section).map(|a| a.wrapping_add(offset))
        }
        SymbolPlace::Global { offset } => Some(placed.globals_base.wrapping_add(offset)),
        SymbolPlace::Zeroed { offset } => Some(placed.zeroed_base.wrapping_add(offset)),
        _ => None,
    }
}

fn contents(banks: &BTreeMap<u8, Data>) -> BTreeMap<u8, Vec<u8>> {
    banks.iter().map(|(&bank, data)| (bank, data.bytes.clone())).collect()
}

fn align_up(value: u64, align: u32) -> u64 {
    let mask = u64::from(align).saturating_sub(1);
    value.wrapping_add(mask) & !mask
}
