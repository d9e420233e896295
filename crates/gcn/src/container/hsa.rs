//! Code objects of the HSA ABI, versions 3 to 5: ELF64 files as LLVM writes them.

use object::elf::{self, FileHeader64};
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, LittleEndian, Object, ObjectSymbol, ObjectSymbolTable};

use super::abi::Abi;
use super::descriptor::{self, Descriptor};
use super::error::{ContainerError, malformed};
use super::metadata::{self, About};
use super::module::{Kernel, Module, Relocation, Segment};

/// Targets that are the same to kernels, by their numbers in the header: gfx600
/// (Tahiti), gfx601 (Pitcairn, Verde), gfx602 (Oland, Hainan).
const TARGETS: [u32; 3] = [0x20, 0x21, 0x3a];
const TARGET_MASK: u32 = 0xff;
const OS_ABI_HSA: u8 = 64;
const R_NONE: u32 = 0;
/// An address of the module's own, wherever that lies.
const R_RELATIVE64: u32 = 13;
/// Versions as the header counts them: 3, 4 and 5.
const VERSIONS: [u8; 3] = [1, 2, 3];
const NT_AMDGPU_METADATA: u32 = 32;
/// Most bytes that a module may take when it is loaded.
const MOST_BYTES: u64 = 1 << 28;

type Elf<'a> = ElfFile64<'a, LittleEndian>;

/// Whether a file says that it is for AMD's GPUs, as LLVM counts machines.
pub fn is_hsa(bytes: &[u8]) -> bool {
    let machine = bytes.get(18..20).and_then(|b| b.first_chunk());
    bytes.starts_with(b"\x7fELF") && machine.map(|m| u16::from_le_bytes(*m)) == Some(elf::EM_AMDGPU)
}

/// Reads a code object.
pub fn parse(bytes: &[u8]) -> Result<Module, ContainerError> {
    let header = header(bytes)?;
    let file = Elf::parse(bytes).map_err(|e| malformed("ELF file", e))?;
    let target = header.e_flags(Endianness::Little) & TARGET_MASK;
    if !TARGETS.contains(&target) {
        return Err(ContainerError::OtherTarget { found: format!("GPU number {target:#x}") });
    }
    let mut module = Module { segments: segments(header, bytes)?, ..Module::default() };
    for symbol in file.dynamic_symbols().filter(|s| s.is_undefined()) {
        let name = symbol.name().unwrap_or_default().to_string();
        if !name.is_empty() {
            return Err(ContainerError::Undefined { name });
        }
    }
    module.relocations = relocations(&file, &module)?;
    for about in abouts(header, bytes)? {
        let kernel = kernel(&file, &module, about)?;
        module.kernels.push(kernel);
    }
    module.kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(module)
}

/// The header, if the file is one for AMD's GPUs.
fn header(bytes: &[u8]) -> Result<&FileHeader64<Endianness>, ContainerError> {
    let unrecognised = |found: &str| ContainerError::Unrecognised { found: found.to_string() };
    if !bytes.starts_with(b"\x7fELF") {
        return Err(unrecognised("it is no ELF file"));
    }
    let header = FileHeader64::<Endianness>::parse(bytes)
        .map_err(|_| unrecognised("an ELF file of 32 bits, or a damaged one"))?;
    let machine = header.e_machine(Endianness::Little);
    if machine != elf::EM_AMDGPU {
        return Err(unrecognised(&format!("an ELF file for machine {machine}")));
    }
    let ident = header.e_ident();
    if ident.os_abi != OS_ABI_HSA || !VERSIONS.contains(&ident.abi_version) {
        let found = format!("ABI {}, version {} of its own count", ident.os_abi, ident.abi_version);
        return Err(ContainerError::OtherVersion { found });
    }
    Ok(header)
}

/// What is loaded.
fn segments(
    header: &FileHeader64<Endianness>,
    bytes: &[u8],
) -> Result<Vec<Segment>, ContainerError> {
    let place = "program headers";
    let endian = Endianness::Little;
    let headers = header.program_headers(endian, bytes).map_err(|e| malformed(place, e))?;
    let mut segments = Vec::new();
    let mut total = 0u64;
    for load in headers.iter().filter(|h| h.p_type(endian) == elf::PT_LOAD) {
        let (address, size) = (load.p_vaddr(endian), load.p_memsz(endian));
        total = total.saturating_add(size);
        if total > MOST_BYTES || address > MOST_BYTES {
            return Err(malformed(place, format!("{total} bytes at {address:#x} are too many")));
        }
        let data =
            load.data(endian, bytes).map_err(|()| malformed(place, "bytes beyond the end"))?;
        let mut own = data.to_vec();
        own.resize(size as usize, 0);
        let flags = load.p_flags(endian);
        segments.push(Segment {
            address,
            bytes: own,
            executable: flags & elf::PF_X != 0,
            writable: flags & elf::PF_W != 0,
        });
    }
    Ok(segments)
}

/// Addresses that the linker left to whoever loads the file.
fn relocations(file: &Elf<'_>, module: &Module) -> Result<Vec<Relocation>, ContainerError> {
    let mut list = Vec::new();
    for (address, relocation) in file.dynamic_relocations().into_iter().flatten() {
        let object::RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
        match r_type {
            R_NONE => {}
            R_RELATIVE64 if module.bytes(address, 8).is_some() => {
                list.push(Relocation { address, target: relocation.addend() as u64 });
            }
            R_RELATIVE64 => {
                return Err(malformed("relocations", format!("nothing is loaded at {address:#x}")));
            }
            number => return Err(ContainerError::Relocation { number, address }),
        }
    }
    Ok(list)
}

/// What the notes say of kernels.
fn abouts(header: &FileHeader64<Endianness>, bytes: &[u8]) -> Result<Vec<About>, ContainerError> {
    let endian = Endianness::Little;
    let wrong = |e: object::Error| malformed("notes", e);
    for program in header.program_headers(endian, bytes).map_err(wrong)? {
        let Some(mut notes) = program.notes(endian, bytes).map_err(wrong)? else { continue };
        while let Some(note) = notes.next().map_err(wrong)? {
            if note.n_type(endian) == NT_AMDGPU_METADATA && note.name() == b"AMDGPU" {
                return metadata::read(note.desc());
            }
        }
    }
    Err(malformed("notes", "none says which kernels there are"))
}

fn kernel(file: &Elf<'_>, module: &Module, about: About) -> Result<Kernel, ContainerError> {
    let find = |name: &str| {
        let tables = [file.symbol_table(), file.dynamic_symbol_table()];
        let mut all = tables.into_iter().flatten().flat_map(|table| table.symbols());
        all.find(|symbol| symbol.name() == Ok(name) && !symbol.is_undefined())
    };
    let missing = || ContainerError::Undefined { name: about.symbol.clone() };
    let symbol = find(&about.symbol).ok_or_else(missing)?;
    let place = || format!("descriptor of {}", about.name);
    let bytes = module
        .bytes(symbol.address(), descriptor::SIZE as u64)
        .and_then(|b| b.first_chunk())
        .ok_or_else(|| malformed(place(), "it lies outside of what is loaded"))?;
    let descriptor = Descriptor::read(bytes);
    let entry = symbol.address().wrapping_add_signed(descriptor.entry_offset);
    // A whole word of code has to be there.
    let begins = |s: &Segment| {
        let at = entry.checked_sub(s.address);
        s.executable && at.is_some_and(|at| at.saturating_add(4) <= s.bytes.len() as u64)
    };
    if !module.segments.iter().any(begins) || !entry.is_multiple_of(4) {
        return Err(malformed(place(), format!("its code is said to begin at {entry:#x}")));
    }
    if let Some(a) = about
        .arguments
        .iter()
        .find(|a| u64::from(a.offset) + u64::from(a.bytes) > u64::from(descriptor.kernarg_bytes))
    {
        let problem = format!("an argument at {} lies beyond all arguments", a.offset);
        return Err(malformed(place(), problem));
    }
    Ok(Kernel {
        code_bytes: find(&about.name).map_or(0, |s| s.size()),
        entry,
        abi: Abi::Hsa(descriptor),
        name: about.name,
        arguments: about.arguments,
        group_size: about.group_size,
        most_items: about.most_items,
    })
}
