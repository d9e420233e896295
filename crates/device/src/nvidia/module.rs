//! A loaded module: code placed and decoded, variables in memory, banks filled.

use std::collections::BTreeMap;
use std::sync::Arc;

use upset_chip::ChipSpec;
use upset_compute::{Bank, Code, Config, Decoder};
use upset_emu::program::Layout;
use upset_emu::{ConstBanks, Program, Slot, TrapKind};
use upset_mem::Segment;
use upset_sass::container::{self, Addresses, Module, Placed, SymbolPlace};
use upset_sass::{Encoding, LowerError};

use super::kernel::{LoadedKernel, Params};
use super::ranges::{CODE_BASE, CONSTANT_BASE, Ranges};
use super::syscalls::Syscalls;
use crate::DeviceError;
use crate::storage::Storage;

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
    encoding: Encoding,
    code_base: u64,
    /// Module-wide constant banks in timing mode.
    banks_at: BTreeMap<u8, Bank>,
    /// The program as kernels with this many registers see it; decoded at the
    /// first launch of one.
    programs: BTreeMap<u32, Arc<Program>>,
    /// Programs for timing mode, by their number of registers.
    codes: BTreeMap<u32, Arc<Code>>,
}

impl LoadedModule {
    /// Loads the best code for the chip from a cubin, fat binary or host program.
    pub fn load(
        image: &[u8],
        chip: &ChipSpec,
        encoding: Encoding,
        storage: &mut Storage,
        ranges: &mut Ranges,
        syscalls: &mut Syscalls,
    ) -> Result<LoadedModule, DeviceError> {
        let sm = chip.sm_number().unwrap_or_default();
        let mut module = container::open(image)?.module(sm)?;
        let externs = syscalls.link(&mut module, storage)?;
        let size = module.globals.bytes.len() as u64
            + module.zeroed.size
            + u64::from(module.globals.align)
            + u64::from(module.zeroed.align);
        let globals = if module.globals.bytes.is_empty() && module.zeroed.size == 0 {
            0
        } else {
            storage.global_mut().allocate(size)?
        };
        let code_base = ranges.next_code();
        let placed = module.place(&Addresses {
            code: code_base,
            globals,
            // Unbound references name no texture until they are bound.
            handles: module.number_references(0).into_keys().map(|n| (n, 0)).collect(),
            externs,
        })?;
        if !placed.globals.is_empty() {
            storage.write(placed.globals_base, &placed.globals)?;
        }
        if placed.zeroed_size != 0 {
            storage.fill(placed.zeroed_base, 0, placed.zeroed_size)?;
        }
        let kernels = module.kernels.iter().zip(&placed.kernels).map(|(k, p)| LoadedKernel {
            name: k.name.clone(),
            entry: p.entry.wrapping_sub(code_base) as u32,
            registers: k.registers,
            sm: module.sm,
            barriers: k.barriers,
            shared_bytes: k.shared.size as u32,
            shared_reserved: k.shared.reserved as u32,
            params: Params {
                base: k.params.base,
                size: k.params.size,
                list: k.params.list.iter().map(|p| (p.offset, p.size)).collect(),
            },
            bank0: p.banks.get(&0).cloned().unwrap_or_default(),
            placed: BTreeMap::new(),
            stack: k.stack.depth,
            stack_open: k.stack.open,
            fixed_local: k.stack.fixed as u32,
            banks: p.banks.clone(),
        });
        let mut loaded = LoadedModule {
            kernels: kernels.collect(),
            module,
            placed,
            encoding,
            code_base,
            banks_at: BTreeMap::new(),
            programs: BTreeMap::new(),
            codes: BTreeMap::new(),
        };
        let all = ranges.take_code(loaded.placed.code.len() as u64);
        if let Storage::Machine { .. } = storage {
            storage.map(Segment::Code, CODE_BASE, all);
            storage.write(code_base, &loaded.placed.code)?;
        }
        loaded.place_banks(storage, ranges)?;
        Ok(loaded)
    }

    /// Gives the constant banks addresses, and bytes there in timing mode.
    fn place_banks(
        &mut self,
        storage: &mut Storage,
        ranges: &mut Ranges,
    ) -> Result<(), DeviceError> {
        let mut all = 0;
        let mut place = |bytes: &[u8], least: usize| {
            let len = bytes.len().max(least);
            let (addr, so_far) = ranges.take_constants(len as u64);
            all = so_far;
            Bank { addr, len: len as u32 }
        };
        for (&bank, bytes) in &self.placed.banks {
            self.banks_at.insert(bank, place(bytes, 0));
        }
        for k in &mut self.kernels {
            let end = (k.params.base + k.params.size) as usize;
            k.placed.insert(0, place(&k.bank0, end));
            for (&bank, bytes) in k.banks.iter().filter(|(b, _)| **b != 0) {
                k.placed.insert(bank, place(bytes, 0));
            }
        }
        let Storage::Machine { .. } = storage else { return Ok(()) };
        // Once for all kernels: there may be thousands.
        storage.map(Segment::Constant, CONSTANT_BASE, all);
        let of_module =
            self.banks_at.iter().map(|(bank, at)| (at.addr, self.placed.banks.get(bank)));
        let of_kernels = self.kernels.iter().flat_map(|k| {
            let bytes = |bank| if bank == 0 { Some(&k.bank0) } else { k.banks.get(&bank) };
            k.placed.iter().map(move |(&bank, at)| (at.addr, bytes(bank)))
        });
        for (addr, bytes) in of_module.chain(of_kernels) {
            if let Some(bytes) = bytes.filter(|b| !b.is_empty()) {
                storage.write(addr, bytes)?;
            }
        }
        Ok(())
    }

    /// The banks a kernel sees, by number, as placed in memory.
    pub fn banks_in_memory(&self, kernel: usize) -> Vec<Bank> {
        let own = &self.kernels[kernel].placed;
        let last = self.banks_at.keys().chain(own.keys()).max().map_or(0, |&b| usize::from(b) + 1);
        let mut banks = vec![Bank::default(); last];
        for (&bank, &at) in self.banks_at.iter().chain(own) {
            banks[usize::from(bank)] = at;
        }
        banks
    }

    /// The module-wide bank, and the offset in it, that an address names.
    pub fn bank_at(&self, addr: u64, len: u64) -> Option<(u8, u64)> {
        self.banks_at.iter().find_map(|(&bank, at)| {
            let offset = addr.checked_sub(at.addr)?;
            (offset + len <= u64::from(at.len)).then_some((bank, offset))
        })
    }

    /// The bank at an address, a kernel's own among them: then with its name.
    pub fn any_bank_at(&self, addr: u64) -> Option<(u8, u64, Option<String>)> {
        let within = |(&bank, at): (&u8, &Bank)| {
            let offset = addr.checked_sub(at.addr)?;
            (offset < u64::from(at.len)).then_some((bank, offset))
        };
        let own = self.kernels.iter().find_map(|k| {
            let (bank, offset) = k.placed.iter().find_map(within)?;
            Some((bank, offset, Some(k.name.clone())))
        });
        own.or_else(|| {
            let (bank, offset) = self.banks_at.iter().find_map(within)?;
            Some((bank, offset, None))
        })
    }

    /// The instruction word that was loaded to an address.
    pub fn code_at(&self, addr: u64) -> Option<u128> {
        let at = usize::try_from(addr.checked_sub(self.code_base)?).ok()?;
        let step = self.layout().step() as usize;
        let bytes = self.placed.code.get(at..)?.get(..step)?;
        let word = bytes.iter().rev().fold(0u128, |word, byte| word << 8 | u128::from(*byte));
        at.is_multiple_of(step).then_some(word)
    }

    /// Name and first address of the kernel that an address of code is in.
    pub fn function_at(&self, addr: u64) -> Option<(String, u64)> {
        let at = addr.checked_sub(self.code_base)?;
        let before = self.kernels.iter().filter(|k| u64::from(k.entry) <= at);
        let kernel = before.max_by_key(|k| k.entry)?;
        Some((kernel.name.clone(), self.code_base + u64::from(kernel.entry)))
    }

    /// Name, first address and the one past the last of every kernel's code.
    pub fn functions(&self) -> impl Iterator<Item = (&str, u64, u64)> {
        let end = self.placed.code.len() as u64;
        let mut sorted: Vec<_> = self.kernels.iter().collect();
        sorted.sort_by_key(|k| k.entry);
        let next: Vec<u64> =
            sorted.iter().skip(1).map(|k| u64::from(k.entry)).chain([end]).collect();
        sorted.into_iter().zip(next).map(|(k, next)| {
            (k.name.as_str(), self.code_base + u64::from(k.entry), self.code_base + next)
        })
    }

    /// File and line of an instruction of a function.
    pub fn source_line(&self, function: &str, offset: u64) -> Option<(&str, u32)> {
        self.module.lines.at(function, offset)
    }

    /// Whether the code came with source lines.
    pub fn has_lines(&self) -> bool {
        !self.module.lines.is_empty()
    }

    /// Address and size of a variable.
    pub fn variable(&self, name: &str) -> Result<(u64, u64), DeviceError> {
        let size = self.module.symbols.iter().find(|s| s.name == name).map_or(0, |s| s.size);
        let addr = match self.symbol(name, 0, 0)? {
            SymbolAt::Global(addr) => addr,
            SymbolAt::Bank(bank, at) => self.banks_at.get(&bank).map_or(0, |b| b.addr + at),
        };
        Ok((addr, size))
    }

    /// Address of `__constant__` variables.
    pub fn constants_at(&self) -> Option<u64> {
        self.banks_at.get(&3).map(|b| b.addr)
    }

    /// Bytes of constants a kernel can name, its parameters aside.
    pub fn constant_bytes(&self) -> u64 {
        self.placed.banks.get(&3).map_or(0, |b| b.len() as u64)
    }

    /// Most threads per block that a kernel was compiled for.
    pub fn max_threads(&self, kernel: usize) -> Option<u32> {
        let k = self.module.kernels.get(kernel)?;
        let bound = k.required_threads.or(k.max_threads)?;
        Some(bound.iter().fold(1, |n, &d| n.saturating_mul(d.max(1))))
    }

    /// A kernel's code for timing mode, prepared once.
    pub fn prepare_code(&mut self, kernel: usize, config: &Config) -> Arc<Code> {
        let registers = self.kernels[kernel].registers;
        if let Some(code) = self.codes.get(&registers) {
            return code.clone();
        }
        let mut program = self.decode();
        program.check_registers(registers);
        let encoding = self.encoding;
        let decoder: Decoder = Arc::new(move |bits: u128| slot(bits, encoding));
        let code = Arc::new(Code::new(program, registers, decoder, config));
        self.codes.insert(registers, code.clone());
        code
    }

    /// The program as a kernel sees it, decoded once.
    pub fn prepare(&mut self, kernel: usize) -> Arc<Program> {
        let registers = self.kernels[kernel].registers;
        if let Some(program) = self.programs.get(&registers) {
            return program.clone();
        }
        let mut program = self.decode();
        program.check_registers(registers);
        let program = Arc::new(program);
        self.programs.insert(registers, program.clone());
        program
    }

    /// How its code lies in memory.
    pub fn layout(&self) -> Layout {
        match self.encoding {
            Encoding::Kepler => Layout::Grouped,
            Encoding::Volta(_) => Layout::Wide,
        }
    }

    fn decode(&self) -> Program {
        let layout = self.layout();
        let words = layout.words(&self.placed.code);
        let slot = |(number, bits): (usize, &u128)| match layout.is_control(number) {
            true => Slot::Control,
            false => slot(*bits, self.encoding),
        };
        let slots = words.iter().enumerate().map(slot).collect();
        Program { base: self.code_base, layout, slots, words }
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

    /// Writes part of a module-wide constant bank.
    pub fn write_bank(
        &mut self,
        bank: u8,
        at: u64,
        bytes: &[u8],
        storage: &mut Storage,
    ) -> Result<(), DeviceError> {
        let range = at as usize..at as usize + bytes.len();
        if let Some(b) = self.placed.banks.get_mut(&bank).and_then(|b| b.get_mut(range)) {
            b.copy_from_slice(bytes);
        }
        match (self.banks_at.get(&bank), &storage) {
            (Some(b), Storage::Machine { .. }) => storage.write(b.addr + at, bytes),
            _ => Ok(()),
        }
    }

    /// Reads part of a module-wide constant bank.
    pub fn read_bank(
        &mut self,
        bank: u8,
        at: u64,
        out: &mut [u8],
        storage: &mut Storage,
    ) -> Result<(), DeviceError> {
        if let (Some(b), Storage::Machine { .. }) = (self.banks_at.get(&bank), &storage) {
            return storage.read(b.addr + at, out);
        }
        let range = at as usize..at as usize + out.len();
        if let Some(b) = self.placed.banks.get(&bank).and_then(|b| b.get(range)) {
            out.copy_from_slice(b);
        }
        Ok(())
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
            SymbolPlace::Const { bank, owner: None, offset: at } => {
                Ok(SymbolAt::Bank(bank, at + offset))
            }
            _ => {
                let at = self.placed.symbols.get(index).copied().flatten().ok_or_else(missing)?;
                Ok(SymbolAt::Global(at.wrapping_add(offset)))
            }
        }
    }

    /// Writes the handle of a texture, or the words that describe a surface, where the
    /// code reads them.
    pub fn bind(
        &mut self,
        name: &str,
        words: &[u32],
        storage: &mut Storage,
    ) -> Result<(), DeviceError> {
        let mut found = false;
        let words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        for slot in self.module.slots().filter(|s| s.symbol.name == name) {
            found = true;
            let at = slot.offset as usize;
            let mut write = |bytes: &mut Vec<u8>, placed: Option<&Bank>| {
                if let Some(place) = bytes.get_mut(at..at + words.len()) {
                    place.copy_from_slice(&words);
                }
                match (placed, &storage) {
                    (Some(b), Storage::Machine { .. }) => storage.write(b.addr + at as u64, &words),
                    _ => Ok(()),
                }
            };
            match slot.owner {
                None => write(
                    self.placed.banks.entry(slot.bank).or_default(),
                    self.banks_at.get(&slot.bank),
                )?,
                Some(code) => {
                    for (k, loaded) in self.module.kernels.iter().zip(&mut self.kernels) {
                        if k.code != code {
                            continue;
                        }
                        let bytes = match slot.bank {
                            0 => &mut loaded.bank0,
                            bank => loaded.banks.entry(bank).or_default(),
                        };
                        write(bytes, loaded.placed.get(&slot.bank))?;
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

/// What happens when the bits of a slot are executed.
pub(crate) fn slot(bits: u128, encoding: Encoding) -> Slot {
    match encoding.lower(bits) {
        Ok(inst) => Slot::Inst(inst),
        Err(LowerError::MisalignedRegister(r)) => Slot::Trap(TrapKind::MisalignedRegister(r)),
        Err(LowerError::IllegalEncoding) => Slot::Trap(TrapKind::IllegalEncoding),
        Err(LowerError::Unimplemented(what)) => {
            Slot::Trap(TrapKind::Unimplemented(what.to_string()))
        }
    }
}
