//! A loaded module: code placed and decoded, variables in memory, banks filled.

use std::collections::BTreeMap;

use upset_chip::ChipSpec;
use upset_emu::{ConstBanks, GlobalMemory, Program, Slot, TrapKind};
use upset_sass::container::{self, Addresses, Module, Place, Placed};
use upset_sass::decode::decode;
use upset_sass::{Arch, LowerError, Word};

use crate::{Args, DeviceError};

/// Address of the first module's code. Modules lie one after the other, below
/// global memory.
const CODE_BASE: u64 = 0x6_0000_0000;

/// A kernel ready to launch.
pub struct LoadedKernel {
    pub name: String,
    /// Byte offset of the first instruction in the program.
    pub entry: u32,
    pub registers: u32,
    pub barriers: u32,
    /// Static shared bytes, the reserved ones included.
    pub shared_bytes: u32,
    pub shared_reserved: u32,
    pub params: Params,
    /// Template of constant bank 0.
    pub bank0: Vec<u8>,
    /// The program as this kernel sees it; decoded at its first launch.
    pub program: Option<Program>,
    stack: Option<u32>,
    fixed_local: u32,
    banks: BTreeMap<u8, Vec<u8>>,
}

impl LoadedKernel {
    /// Local bytes per thread; `unknown` where the compiler could not tell.
    pub fn local_bytes(&self, unknown: u32) -> u32 {
        // 16 bytes is the widest access, so threads' areas stay aligned.
        self.stack.unwrap_or(unknown).saturating_add(self.fixed_local).next_multiple_of(16)
    }
}

/// Layout of a kernel's parameters.
pub struct Params {
    pub base: u32,
    size: u32,
    /// Offset and size of each.
    list: Vec<(u32, u32)>,
}

impl Params {
    /// The parameter block for `args`.
    pub fn lay_out(&self, args: &Args) -> Result<Vec<u8>, String> {
        let mut block = vec![0; self.size as usize];
        if args.iter().len() != self.list.len() {
            return Err(format!(
                "it takes {} arguments, {} were given",
                self.list.len(),
                args.iter().len()
            ));
        }
        for (i, (arg, &(offset, size))) in args.iter().zip(&self.list).enumerate() {
            if arg.bytes.len() != size as usize {
                return Err(format!(
                    "argument {i} has {} bytes, the kernel expects {size}",
                    arg.bytes.len()
                ));
            }
            block
                .get_mut(offset as usize..offset as usize + size as usize)
                .ok_or_else(|| format!("argument {i} lies outside the parameter block"))?
                .copy_from_slice(&arg.bytes);
        }
        Ok(block)
    }
}

/// Where a variable is.
pub enum SymbolAt {
    /// Global memory.
    Global(u64),
    /// A constant bank and the offset in it.
    Bank(u8, u64),
}

/// A module in device memory.
pub struct LoadedModule {
    pub kernels: Vec<LoadedKernel>,
    module: Module,
    placed: Placed,
    arch: Arch,
}

impl LoadedModule {
    /// Loads the best code for the chip from a cubin, fat binary or host program.
    pub fn load(
        image: &[u8],
        chip: &ChipSpec,
        arch: Arch,
        memory: &mut GlobalMemory,
    ) -> Result<LoadedModule, DeviceError> {
        let sm = chip.sm_number().unwrap_or(arch.number());
        let module = container::open(image)?.module(sm)?;
        let size = module.globals.bytes.len() as u64
            + module.zeroed.size
            + u64::from(module.globals.align)
            + u64::from(module.zeroed.align);
        let globals = if module.globals.bytes.is_empty() && module.zeroed.size == 0 {
            0
        } else {
            memory.allocate(size)?
        };
        let placed = module.place(&Addresses {
            code: CODE_BASE,
            globals,
            // Unbound references name no texture until they are bound.
            handles: module.number_references(0).into_keys().map(|n| (n, 0)).collect(),
            externs: BTreeMap::new(),
        })?;
        if !placed.globals.is_empty() {
            let len = placed.globals.len() as u64;
            memory.bytes_mut(placed.globals_base, len)?.copy_from_slice(&placed.globals);
        }
        if placed.zeroed_size != 0 {
            memory.bytes_mut(placed.zeroed_base, placed.zeroed_size)?.fill(0);
        }
        let kernels = module.kernels.iter().zip(&placed.kernels).map(|(k, p)| LoadedKernel {
            name: k.name.clone(),
            entry: p.entry.wrapping_sub(CODE_BASE) as u32,
            registers: k.registers,
            barriers: k.barriers,
            shared_bytes: k.shared.size as u32,
            shared_reserved: k.shared.reserved as u32,
            params: Params {
                base: k.params.base,
                size: k.params.size,
                list: k.params.list.iter().map(|p| (p.offset, p.size)).collect(),
            },
            bank0: p.banks.get(&0).cloned().unwrap_or_default(),
            program: None,
            stack: k.stack.depth,
            fixed_local: k.stack.fixed as u32,
            banks: p.banks.clone(),
        });
        Ok(LoadedModule { kernels: kernels.collect(), module, placed, arch })
    }

    /// Decodes the program for a kernel, once.
    pub fn prepare(&mut self, kernel: usize) {
        if self.kernels[kernel].program.is_none() {
            let mut program = self.decode();
            program.check_registers(self.kernels[kernel].registers);
            self.kernels[kernel].program = Some(program);
        }
    }

    fn decode(&self) -> Program {
        let (chunks, _) = self.placed.code.as_chunks::<{ Word::BYTES }>();
        let slots = chunks.iter().map(|&bytes| slot(Word::from_bytes(bytes), self.arch)).collect();
        let words = chunks.iter().map(|&bytes| u128::from_le_bytes(bytes)).collect();
        Program { base: CODE_BASE, slots, words }
    }

    /// Constant banks a kernel sees, bank 0 aside.
    pub fn banks(&self, kernel: usize) -> ConstBanks {
        let mut banks = ConstBanks::default();
        let own = &self.kernels[kernel].banks;
        for (&bank, bytes) in self.placed.banks.iter().chain(own) {
            banks.set(bank, bytes.clone());
        }
        banks
    }

    /// A module-wide constant bank, to be written.
    pub fn bank_mut(&mut self, bank: u8) -> &mut Vec<u8> {
        self.placed.banks.entry(bank).or_default()
    }

    /// Where bytes `offset .. offset + len` of a variable are.
    pub fn symbol(&self, name: &str, offset: u64, len: u64) -> Result<SymbolAt, DeviceError> {
        let missing = || DeviceError::NoSymbol { what: "variable", name: name.to_string() };
        let index = self.module.symbols.iter().position(|s| s.name == name).ok_or_else(missing)?;
        let symbol = &self.module.symbols[index];
        let end = offset.saturating_add(len);
        if end > symbol.size {
            return Err(DeviceError::SymbolRange {
                name: name.to_string(),
                start: offset,
                end,
                size: symbol.size,
            });
        }
        match symbol.place {
            Place::Const { bank, owner: None, offset: at } => Ok(SymbolAt::Bank(bank, at + offset)),
            _ => {
                let at = self.placed.symbols.get(index).copied().flatten().ok_or_else(missing)?;
                Ok(SymbolAt::Global(at.wrapping_add(offset)))
            }
        }
    }

    /// Writes a texture's handle where the code reads it.
    pub fn bind(&mut self, name: &str, handle: u32) -> Result<(), DeviceError> {
        let mut found = false;
        for slot in self.module.slots().filter(|s| s.symbol.name == name) {
            found = true;
            let at = slot.offset as usize;
            let write = |bytes: &mut Vec<u8>| {
                if let Some(word) = bytes.get_mut(at..at + 4) {
                    word.copy_from_slice(&handle.to_le_bytes());
                }
            };
            match slot.owner {
                None => write(self.placed.banks.entry(slot.bank).or_default()),
                Some(code) => {
                    for (k, loaded) in self.module.kernels.iter().zip(&mut self.kernels) {
                        if k.code == code && slot.bank == 0 {
                            write(&mut loaded.bank0);
                        } else if k.code == code {
                            write(loaded.banks.entry(slot.bank).or_default());
                        }
                    }
                }
            }
        }
        // A reference that no kernel reads has no slot, but exists.
        if found || self.module.references().any(|s| s.name == name) {
            Ok(())
        } else {
            Err(DeviceError::NoSymbol { what: "texture reference", name: name.to_string() })
        }
    }
}

/// What happens when a word is executed.
pub(crate) fn slot(word: Word, arch: Arch) -> Slot {
    let Ok(decoded) = decode(word, arch) else {
        return Slot::Trap(TrapKind::IllegalEncoding);
    };
    match decoded.lower() {
        Ok(inst) => Slot::Inst(inst),
        Err(LowerError::MisalignedRegister(r)) => Slot::Trap(TrapKind::MisalignedRegister(r)),
        Err(LowerError::IllegalEncoding) => Slot::Trap(TrapKind::IllegalEncoding),
        Err(LowerError::Unimplemented(what)) => {
            Slot::Trap(TrapKind::Unimplemented(what.to_string()))
        }
    }
}
