//! What a launch needs to know of a kernel, gathered from its sections and attributes.

use std::collections::{BTreeMap, BTreeSet};

use super::super::ContainerError;
use super::super::attribute::{self, Attribute, number};
use super::super::elf::Section;
use super::super::module::{Kernel, Param, Params, Shared, Stack, SymbolKind, SymbolPlace};
use super::{Reader, Role, align};

/// Shared memory at the beginning of every block that belongs to the system,
/// from sm_90 on.
const RESERVED_SHARED: u64 = 1024;
/// "Not known at compile time" in a stack size.
const UNKNOWN: u32 = u32::MAX;

/// Module-wide attributes that concern one symbol.
#[derive(Clone, Copy, Debug, Default)]
struct PerSymbol {
    registers: Option<u32>,
    frame: u32,
    depth: Option<u32>,
    tells_depth: bool,
}

/// What the sections of one code section say.
#[derive(Default)]
struct PerSection {
    attributes: Vec<Attribute>,
    shared: Shared,
    local: u64,
}

impl Reader<'_, '_> {
    /// Builds the kernels; symbols and sections have been read.
    pub(super) fn kernels(&mut self) -> Result<(), ContainerError> {
        let per_symbol = self.per_symbol();
        let mut per_section = self.per_section()?;
        self.frames(&per_symbol);
        let open = self.open(&per_symbol);
        let mut banks: BTreeMap<usize, BTreeMap<u8, _>> = BTreeMap::new();
        for ((code, bank), data) in std::mem::take(&mut self.banks) {
            banks.entry(code).or_default().insert(bank, data);
        }
        for (index, symbol) in self.module.symbols.iter().enumerate() {
            let (SymbolKind::Kernel, SymbolPlace::Code { section, offset }) =
                (symbol.kind, symbol.place)
            else {
                continue;
            };
            // One kernel per section: a second one would find nothing left.
            let sections = per_section.remove(&section).unwrap_or_default();
            let known = per_symbol.get(&index).copied().unwrap_or_default();
            let (registers, barriers) = self.section_header(section);
            let mut kernel = Kernel {
                name: symbol.name.clone(),
                code: section,
                offset,
                size: symbol.size,
                registers: known.registers.unwrap_or(registers),
                barriers,
                shared: sections.shared,
                stack: Stack {
                    frame: known.frame,
                    depth: known.depth,
                    open: open.contains(&section),
                    fixed: sections.local,
                },
                params: Params::default(),
                max_threads: None,
                required_threads: None,
                exits: Vec::new(),
                banks: banks.remove(&section).unwrap_or_default(),
                attributes: sections.attributes,
            };
            describe(&mut kernel);
            self.module.kernels.push(kernel);
        }
        self.module.function_banks = banks;
        Ok(())
    }

    fn per_symbol(&self) -> BTreeMap<usize, PerSymbol> {
        let mut all: BTreeMap<usize, PerSymbol> = BTreeMap::new();
        for attribute in &self.module.attributes {
            let (Some(symbol), Some(value)) = (attribute.word(0), attribute.word(1)) else {
                continue;
            };
            let known = all.entry(symbol as usize).or_default();
            match attribute.number {
                number::REGCOUNT => known.registers = Some(value),
                number::FRAME_SIZE => known.frame = value,
                number::MIN_STACK_SIZE => {
                    known.depth = (value != UNKNOWN).then_some(value);
                    known.tells_depth = true;
                }
                _ => {}
            }
        }
        all
    }

    /// Code sections with functions whose depth is not told. Their frames say nothing:
    /// CUDA 12 and 13 write 0 for a function that stores registers on its stack.
    fn open(&self, per_symbol: &BTreeMap<usize, PerSymbol>) -> BTreeSet<usize> {
        let symbols = self.module.symbols.iter().enumerate();
        let functions = symbols.filter(|(_, s)| s.kind == SymbolKind::Function);
        functions
            .filter(|(i, _)| per_symbol.get(i).is_some_and(|k| !k.tells_depth))
            .filter_map(|(_, s)| match s.place {
                SymbolPlace::Code { section, .. } => Some(section),
                _ => None,
            })
            .collect()
    }

    fn per_section(&mut self) -> Result<BTreeMap<usize, PerSection>, ContainerError> {
        let mut all: BTreeMap<usize, PerSection> = BTreeMap::new();
        let elf = self.elf;
        for section in &elf.sections {
            let Some(&Role::Code(code)) = self.roles.get(section.info as usize) else { continue };
            if section.name.starts_with(".nv.info.") {
                self.charge(section)?;
                all.entry(code).or_default().attributes.extend(attribute::parse(section)?);
            } else if section.name.starts_with(".nv.shared.") {
                all.entry(code).or_default().shared = self.shared(section)?;
            } else if section.name.starts_with(".nv.local.") {
                all.entry(code).or_default().local = section.size;
            }
        }
        Ok(all)
    }

    fn shared(&self, section: &Section<'_>) -> Result<Shared, ContainerError> {
        let reserved = if self.module.sm >= 90 { RESERVED_SHARED.min(section.size) } else { 0 };
        Ok(Shared { size: section.size, align: align(section)?, reserved })
    }

    fn frames(&mut self, per_symbol: &BTreeMap<usize, PerSymbol>) {
        let functions: Vec<usize> = (0..)
            .zip(&self.module.symbols)
            .filter(|(_, s)| s.kind == SymbolKind::Function)
            .filter(|(_, s)| matches!(s.place, SymbolPlace::Code { .. }))
            .map(|(index, _)| index)
            .collect();
        for (position, index) in functions.into_iter().enumerate() {
            let known = per_symbol.get(&index).copied().unwrap_or_default();
            let code = self.module.functions.get(position).map_or(0, |f| f.code);
            let (registers, _) = self.section_header(code);
            if let Some(function) = self.module.functions.get_mut(position) {
                function.frame = known.frame;
                function.registers = known.registers.unwrap_or(registers);
            }
        }
    }

    /// Registers and barriers as the section header of the code has them;
    /// newer files use attributes instead and leave zeros here.
    fn section_header(&self, code: usize) -> (u32, u32) {
        let header = self.code_headers.get(code).and_then(|&i| self.elf.sections.get(i));
        header.map_or((0, 0), |s| (s.info >> 24, (s.flags >> 20 & 0x7f) as u32))
    }
}

/// Fills in what the kernel's own attributes say.
fn describe(kernel: &mut Kernel) {
    let mut list = Vec::new();
    for a in &kernel.attributes {
        match a.number {
            number::MAX_THREADS => kernel.max_threads = a.dimensions(),
            number::REQNTID => kernel.required_threads = a.dimensions(),
            number::NUM_BARRIERS => kernel.barriers = u32::from(a.half() & 0xff),
            number::CBANK_PARAM_SIZE => kernel.params.size = u32::from(a.half()),
            number::PARAM_CBANK => {
                let place = a.word(1).unwrap_or(0);
                (kernel.params.base, kernel.params.size) = (place & 0xffff, place >> 16);
            }
            number::KPARAM_INFO | number::KPARAM_INFO_V2 => {
                let (Some(head), Some(tail)) = (a.word(1), a.word(2)) else { continue };
                let size = if a.number == number::KPARAM_INFO { tail >> 18 } else { tail & 0xffff };
                list.push(Param { ordinal: head as u16, offset: head >> 16, size });
            }
            number::EXIT_INSTR_OFFSETS => kernel.exits = (0..).map_while(|i| a.word(i)).collect(),
            _ => {}
        }
    }
    list.sort_by_key(|p: &Param| p.ordinal);
    kernel.params.list = list;
}
