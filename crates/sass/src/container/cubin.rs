//! Cubins: ELF files with machine code for one architecture, as CUDA 11 to 13
//! compilers write them.

mod kernel;

use std::collections::BTreeMap;

use super::ContainerError;
use super::SourceLines;
use super::attribute;
use super::elf::{EM_CUDA, ET_REL, Elf, RawSymbol, Section, malformed};
use super::module::{
    CodeSection, Data, Extent, Function, Module, RelocTarget, Relocation, Symbol, SymbolKind,
    SymbolPlace,
};

/// Largest alignment that a section may ask for; real ones use 128.
const MAX_ALIGN: u64 = 4096;
/// Constant banks are numbered with five bits.
const BANKS: u8 = 32;
const SHT_PROGBITS: u32 = 1;
/// `st_other` of a function that a host can launch.
const STO_ENTRY: u8 = 0x10;
/// `st_other` of a managed variable.
const STO_MANAGED: u8 = 0x04;

/// Reads a cubin.
pub fn parse(bytes: &[u8]) -> Result<Module, ContainerError> {
    if !bytes.starts_with(b"\x7fELF") {
        return Err(ContainerError::Unrecognised { found: super::unrecognised::describe(bytes) });
    }
    let elf = Elf::parse(bytes)?;
    if elf.machine != EM_CUDA {
        return Err(ContainerError::Unrecognised {
            found: format!("an ELF file for machine {} (cubins have {EM_CUDA})", elf.machine),
        });
    }
    let mut reader = Reader::new(&elf, bytes.len())?;
    reader.sections()?;
    reader.symbols()?;
    reader.relocations()?;
    reader.kernels()?;
    reader.lines();
    Ok(reader.module)
}

/// What a section of the file became.
#[derive(Clone, Copy, Debug)]
enum Role {
    Code(usize),
    Const { bank: u8, owner: Option<usize> },
    Global,
    Zeroed,
    Shared,
    Other,
}

struct Reader<'a, 'e> {
    elf: &'e Elf<'a>,
    raw_symbols: Vec<RawSymbol<'a>>,
    /// By section index.
    roles: Vec<Role>,
    /// Section index of each code section.
    code_headers: Vec<usize>,
    /// Banks of each code section.
    banks: BTreeMap<(usize, u8), Data>,
    module: Module,
    /// Bytes that may still be copied out of the file: honest sections don't overlap.
    budget: usize,
}

impl<'a, 'e> Reader<'a, 'e> {
    fn new(elf: &'e Elf<'a>, len: usize) -> Result<Self, ContainerError> {
        let sm = match elf.abi_version {
            // The lowest byte is the architecture; bits 16-23 the one of the PTX.
            0..=7 => elf.flags & 0xff,
            8 => elf.flags >> 8 & 0xff,
            version => {
                return Err(ContainerError::Unsupported {
                    place: "ELF header".into(),
                    offset: 8,
                    what: format!("cubin format {version} (ELF OS/ABI {:#x})", elf.os_abi),
                    remedy: "build with CUDA 11, 12 or 13".into(),
                });
            }
        };
        let module = Module {
            sm,
            abi: elf.abi_version,
            relocatable: elf.kind == ET_REL,
            ..Module::default()
        };
        let roles = vec![Role::Other; elf.sections.len()];
        Ok(Self {
            elf,
            raw_symbols: elf.symbols()?,
            roles,
            code_headers: Vec::new(),
            banks: BTreeMap::new(),
            module,
            budget: len,
        })
    }

    /// Copies the sections that are loaded.
    fn sections(&mut self) -> Result<(), ContainerError> {
        let elf = self.elf;
        // Code first: the others refer to it.
        for (index, section) in elf.sections.iter().enumerate() {
            if let Some(name) = section.name.strip_prefix(".text.")
                && section.kind == SHT_PROGBITS
            {
                let code = self.copy(section)?;
                self.set_role(index, Role::Code(self.module.code.len()));
                self.code_headers.push(index);
                self.module.code.push(CodeSection { name: name.into(), code });
            }
        }
        for (index, section) in elf.sections.iter().enumerate() {
            let role = match section.name {
                ".nv.info" => {
                    self.charge(section)?;
                    self.module.attributes.extend(attribute::parse(section)?);
                    Role::Other
                }
                ".nv.global.init" => {
                    self.module.globals = self.copy(section)?;
                    Role::Global
                }
                ".nv.global" if section.zero_fill() => {
                    self.module.zeroed = Extent { size: section.size, align: align(section)? };
                    Role::Zeroed
                }
                name if name.starts_with(".nv.shared.") => Role::Shared,
                name => match name.strip_prefix(".nv.constant") {
                    Some(rest) => self.bank(section, rest)?,
                    None => continue,
                },
            };
            self.set_role(index, role);
        }
        Ok(())
    }

    fn bank(&mut self, section: &Section<'_>, rest: &str) -> Result<Role, ContainerError> {
        let (number, named) = match rest.split_once('.') {
            Some((number, _)) => (number, true),
            None => (rest, false),
        };
        let bank = number.parse().ok().filter(|&b: &u8| b < BANKS).ok_or_else(|| {
            malformed(
                section.name,
                section.offset,
                format!("`{number}` is not a constant bank (0 to 31)"),
            )
        })?;
        let data = self.copy(section)?;
        let owner = if named { Some(self.owner(section)?) } else { None };
        match owner {
            Some(code) => self.banks.insert((code, bank), data),
            None => self.module.banks.insert(bank, data),
        };
        Ok(Role::Const { bank, owner })
    }

    /// The code section that a section belongs to.
    fn owner(&self, section: &Section<'_>) -> Result<usize, ContainerError> {
        match self.roles.get(section.info as usize) {
            Some(Role::Code(code)) => Ok(*code),
            _ => Err(malformed(
                section.name,
                section.offset,
                format!("belongs to section {}, which is no machine code", section.info),
            )),
        }
    }

    fn symbols(&mut self) -> Result<(), ContainerError> {
        for raw in &self.raw_symbols {
            let offset = raw.value;
            let place = match (raw.section, self.roles.get(raw.section as usize)) {
                (0, _) => SymbolPlace::Undefined,
                (0xfff1, _) => SymbolPlace::Absolute { value: offset },
                // A common symbol: storage that the device linker has to find.
                (0xfff2, _) => SymbolPlace::Undefined,
                (_, Some(Role::Code(section))) => SymbolPlace::Code { section: *section, offset },
                (_, Some(Role::Global)) => SymbolPlace::Global { offset },
                (_, Some(Role::Zeroed)) => SymbolPlace::Zeroed { offset },
                (_, Some(&Role::Const { bank, owner })) => {
                    SymbolPlace::Const { bank, owner, offset }
                }
                (_, Some(Role::Shared)) => SymbolPlace::Shared { offset },
                (_, Some(Role::Other)) => SymbolPlace::Elsewhere { offset },
                (section, None) => {
                    let problem = format!(
                        "symbol `{}` lies in section {section}, which does not exist",
                        raw.name
                    );
                    return Err(malformed(".symtab", 0, problem));
                }
            };
            let kind = match raw.kind {
                0 => SymbolKind::Untyped,
                1 => SymbolKind::Object,
                2 if raw.other & STO_ENTRY != 0 => SymbolKind::Kernel,
                2 => SymbolKind::Function,
                3 => SymbolKind::Section,
                10 => SymbolKind::Texture,
                11 => SymbolKind::Sampler,
                12 => SymbolKind::Surface,
                other => SymbolKind::Other(other),
            };
            if let (SymbolKind::Function, SymbolPlace::Code { section, offset }) = (kind, place) {
                let name = raw.name.into();
                self.module.functions.push(Function {
                    name,
                    code: section,
                    offset,
                    size: raw.size,
                    frame: 0,
                    registers: 0,
                });
            }
            let managed = kind == SymbolKind::Object && raw.other & STO_MANAGED != 0;
            self.module.symbols.push(Symbol {
                name: raw.name.into(),
                kind,
                place,
                size: raw.size,
                managed,
            });
        }
        Ok(())
    }

    fn relocations(&mut self) -> Result<(), ContainerError> {
        for section in &self.elf.sections {
            let target = match self.roles.get(section.info as usize) {
                Some(&Role::Code(code)) => RelocTarget::Code(code),
                Some(&Role::Const { bank, owner }) => RelocTarget::Const { bank, owner },
                Some(Role::Global) => RelocTarget::Global,
                // Debug information is not loaded.
                _ => continue,
            };
            for raw in section.relocations() {
                let symbol = raw.symbol as usize;
                if symbol >= self.module.symbols.len() {
                    let problem = format!(
                        "relocation at {:#x} against symbol {symbol}, which does not exist",
                        raw.offset
                    );
                    return Err(malformed(section.name, section.offset, problem));
                }
                let (offset, number, addend) = (raw.offset, raw.number, raw.addend);
                self.module.relocations.push(Relocation { target, offset, number, symbol, addend });
            }
        }
        Ok(())
    }

    fn lines(&mut self) {
        let sections = &self.elf.sections;
        let Some(at) = sections.iter().position(|s| s.name == ".debug_line") else { return };
        let patches: BTreeMap<usize, u32> = sections
            .iter()
            .filter(|s| s.info as usize == at)
            .flat_map(|s| s.relocations())
            .filter_map(|r| Some((usize::try_from(r.offset).ok()?, r.symbol)))
            .collect();
        let symbols = &self.raw_symbols;
        self.module.lines = SourceLines::read(sections[at].data, |offset| {
            let symbol = symbols.get(*patches.get(&offset)? as usize)?;
            // The symbol of a section stands for the function in it.
            let section = sections.get(symbol.section as usize);
            let text = section.and_then(|s| s.name.strip_prefix(".text."));
            Some(text.unwrap_or(symbol.name).to_string())
        });
    }

    fn copy(&mut self, section: &Section<'_>) -> Result<Data, ContainerError> {
        self.charge(section)?;
        Ok(Data { bytes: section.data.to_vec(), align: align(section)? })
    }

    fn charge(&mut self, section: &Section<'_>) -> Result<(), ContainerError> {
        self.budget = self.budget.checked_sub(section.data.len()).ok_or_else(|| {
            malformed(
                section.name,
                section.offset,
                "sections overlap: together they are larger than the file".into(),
            )
        })?;
        Ok(())
    }

    fn set_role(&mut self, index: usize, role: Role) {
        if let Some(slot) = self.roles.get_mut(index) {
            *slot = role;
        }
    }
}

fn align(section: &Section<'_>) -> Result<u32, ContainerError> {
    if section.align.is_power_of_two() && section.align <= MAX_ALIGN {
        return Ok(section.align as u32);
    }
    let problem = format!("alignment {} is not a power of two up to {MAX_ALIGN}", section.align);
    Err(malformed(section.name, section.offset, problem))
}
