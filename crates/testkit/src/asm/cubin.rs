//! A minimal cubin around machine code: kernels, their constant banks, and
//! the attributes that a launch needs. Layout: `docs/containers.md`.

use upset_sass::Arch;
use upset_sass::container::attribute::number;

/// A kernel to be packed.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Architecture of its code.
    pub arch: Arch,
    /// Machine code.
    pub code: Vec<u8>,
    /// Registers per thread.
    pub registers: u32,
    /// Named barriers in use.
    pub barriers: u32,
    /// Local memory per thread.
    pub stack_bytes: u32,
    /// Sizes of the parameters, in order; each is aligned to its size.
    pub params: Vec<u32>,
    /// Constant bank 2: literals and jump tables of the code.
    pub literals: Vec<u8>,
    /// Constant bank 3: constants of the module.
    pub constants: Vec<u8>,
}

/// Where parameters begin in constant bank 0.
pub fn param_base(arch: Arch) -> u16 {
    if arch >= Arch::Sm90 { 0x210 } else { 0x160 }
}

/// Shared memory that belongs to the system, at the beginning of each CTA's.
pub fn reserved_shared(arch: Arch) -> u32 {
    if arch >= Arch::Sm90 { 1024 } else { 0 }
}

/// Offsets of parameters of these sizes, and where the last one ends.
pub fn param_offsets(sizes: &[u32]) -> (Vec<u32>, u32) {
    let mut at = 0u32;
    let offsets = sizes
        .iter()
        .map(|&size| {
            let here = at.next_multiple_of(size.max(1));
            at = here + size;
            here
        })
        .collect();
    (offsets, at)
}

const SHT_PROGBITS: u32 = 1;
const SHT_SYMTAB: u32 = 2;
const SHT_STRTAB: u32 = 3;
const SHT_NOBITS: u32 = 8;
const SHT_CUDA_INFO: u32 = 0x7000_0000;
/// `SHF_ALLOC | SHF_EXECINSTR`.
const CODE_FLAGS: u64 = 6;
/// Sections that every cubin begins with: none, their names, symbols' names,
/// symbols, the module's attributes.
const FIRST_SECTIONS: usize = 5;
const STRTAB: u32 = 2;
const SYMTAB: u32 = 3;

struct Section {
    name: String,
    kind: u32,
    flags: u64,
    link: u32,
    info: u32,
    align: u64,
    size: u64,
    data: Vec<u8>,
}

impl Section {
    fn new(name: &str, kind: u32, data: Vec<u8>) -> Section {
        let (name, size) = (name.to_string(), data.len() as u64);
        Section { name, kind, flags: 0, link: 0, info: 0, align: 1, size, data }
    }
}

/// Bytes of a file, in the making.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u8(&mut self, v: u8) {
        self.0.push(v);
    }
    fn u16(&mut self, v: u16) {
        self.0.extend(v.to_le_bytes());
    }
    fn u32(&mut self, v: u32) {
        self.0.extend(v.to_le_bytes());
    }
    fn u64(&mut self, v: u64) {
        self.0.extend(v.to_le_bytes());
    }
    fn align(&mut self, to: u64) {
        let len = (self.0.len() as u64).next_multiple_of(to.max(1));
        self.0.resize(len as usize, 0);
    }
    /// An attribute of format 4: a sized value of words.
    fn attribute(&mut self, number: u8, words: &[u32]) {
        self.u8(4);
        self.u8(number);
        self.u16(4 * words.len() as u16);
        words.iter().for_each(|&w| self.u32(w));
    }
}

/// A string table; returns where each name begins.
fn strings<'a>(names: impl Iterator<Item = &'a str>) -> (Vec<u32>, Vec<u8>) {
    let mut bytes = vec![0];
    let offsets = names
        .map(|name| {
            let at = bytes.len() as u32;
            bytes.extend(name.as_bytes());
            bytes.push(0);
            at
        })
        .collect();
    (offsets, bytes)
}

/// A cubin of several kernels, of one architecture. Constants of the module are
/// the first kernel's.
pub fn module(kernels: &[Kernel]) -> Vec<u8> {
    let mut sections = sections(kernels);
    let (names, table) = strings(sections.iter().map(|s| s.name.as_str()));
    // The name of the empty first section is the empty string.
    if let Some(s) = sections.get_mut(1) {
        (s.size, s.data) = (table.len() as u64, table);
    }
    let mut body = Bytes::default();
    body.0.resize(64, 0);
    let mut offsets = Vec::new();
    for s in &sections {
        body.align(s.align);
        offsets.push(body.0.len() as u64);
        body.0.extend(&s.data);
    }
    body.align(8);
    let headers = body.0.len() as u64;
    for (i, ((s, &name), offset)) in sections.iter().zip(&names).zip(offsets).enumerate() {
        body.u32(if i == 0 { 0 } else { name });
        body.u32(s.kind);
        body.u64(s.flags);
        body.u64(0);
        body.u64(if i == 0 { 0 } else { offset });
        body.u64(s.size);
        body.u32(s.link);
        body.u32(s.info);
        body.u64(s.align);
        body.u64(if s.kind == SHT_SYMTAB { 24 } else { 0 });
    }
    let sm = kernels.first().map_or(0, |k| k.arch.number());
    body.0[..64].copy_from_slice(&header(sm, headers, sections.len() as u16));
    body.0
}

fn header(sm: u32, sections_at: u64, sections: u16) -> Vec<u8> {
    let mut h = Bytes::default();
    // 64-bit, little-endian, version 1, CUDA's ABI, cubin format 7.
    h.0.extend([0x7f, b'E', b'L', b'F', 2, 1, 1, 0x33, 7, 0, 0, 0, 0, 0, 0, 0]);
    h.u16(2); // executable
    h.u16(190); // CUDA
    h.u32(118); // toolkit 11.8
    h.u64(0);
    h.u64(0); // no program headers
    h.u64(sections_at);
    h.u32(sm | sm << 16 | 0x500);
    h.u16(64);
    h.u16(56);
    h.u16(0);
    h.u16(64);
    h.u16(sections);
    h.u16(1); // section names
    h.0
}

fn sections(kernels: &[Kernel]) -> Vec<Section> {
    let (names, strtab) = strings(kernels.iter().map(|k| k.name.as_str()));
    let count = kernels.len() as u32;
    let mut list = vec![
        Section::new("", 0, Vec::new()),
        Section::new(".shstrtab", SHT_STRTAB, Vec::new()),
        Section::new(".strtab", SHT_STRTAB, strtab),
        Section::new(".symtab", SHT_SYMTAB, Vec::new()),
        Section::new(".nv.info", SHT_CUDA_INFO, Vec::new()),
    ];
    let (mut banks, mut functions, mut attributes) =
        (Symbols::default(), Symbols::default(), Bytes::default());
    // Section symbols come first, then the functions that a host can launch.
    for (i, (k, name)) in kernels.iter().zip(names).enumerate() {
        let (bank_symbol, symbol) = (1 + i as u32, 1 + count + i as u32);
        let text = list.len() as u16;
        list.extend(k.sections(u32::from(text), bank_symbol, symbol));
        banks.add(0, 3, 0, text + 1, 0);
        functions.add(name, 0x12, 0x10, text, k.code.len() as u64);
        attributes.attribute(number::REGCOUNT, &[symbol, k.registers]);
        attributes.attribute(number::MIN_STACK_SIZE, &[symbol, k.stack_bytes]);
        attributes.attribute(number::FRAME_SIZE, &[symbol, k.stack_bytes]);
    }
    if let Some(constants) = kernels.first().map(|k| &k.constants).filter(|c| !c.is_empty()) {
        let mut s = Section::new(".nv.constant3", SHT_PROGBITS, constants.clone());
        s.align = 8;
        list.push(s);
    }
    let mut symbols = Symbols::default();
    symbols.add(0, 0, 0, 0, 0);
    let symbols = [symbols.0.0, banks.0.0, functions.0.0].concat();
    let fill = |s: &mut Section, data: Vec<u8>| (s.size, s.data) = (data.len() as u64, data);
    fill(&mut list[SYMTAB as usize], symbols);
    let symtab = &mut list[SYMTAB as usize];
    (symtab.link, symtab.info, symtab.align) = (STRTAB, 1 + count, 8);
    fill(&mut list[FIRST_SECTIONS - 1], attributes.0);
    list
}

#[derive(Default)]
struct Symbols(Bytes);

impl Symbols {
    fn add(&mut self, name: u32, info: u8, other: u8, section: u16, size: u64) {
        self.0.u32(name);
        self.0.u8(info);
        self.0.u8(other);
        self.0.u16(section);
        self.0.u64(0);
        self.0.u64(size);
    }
}

impl Kernel {
    /// The cubin of this kernel alone.
    pub fn image(&self) -> Vec<u8> {
        module(std::slice::from_ref(self))
    }

    /// Code and what belongs to it: the first section is number `text`.
    fn sections(&self, text_number: u32, bank_symbol: u32, symbol: u32) -> Vec<Section> {
        let k = &self.name;
        let of_kernel = |mut s: Section, align| {
            s.info = text_number;
            s.align = align;
            s
        };
        let mut text = Section::new(&format!(".text.{k}"), SHT_PROGBITS, self.code.clone());
        text.flags = CODE_FLAGS | u64::from(self.barriers) << 20;
        (text.align, text.link) = (128, SYMTAB);
        text.info = self.registers << 24 | symbol;
        let (_, params) = param_offsets(&self.params);
        let bank0 = vec![0; usize::from(param_base(self.arch)) + params as usize];
        let attributes = self.attributes(bank_symbol);
        let mut list = vec![
            text,
            of_kernel(Section::new(&format!(".nv.constant0.{k}"), SHT_PROGBITS, bank0), 4),
            of_kernel(Section::new(&format!(".nv.info.{k}"), SHT_CUDA_INFO, attributes), 4),
        ];
        if !self.literals.is_empty() {
            let data = self.literals.clone();
            list.push(of_kernel(
                Section::new(&format!(".nv.constant2.{k}"), SHT_PROGBITS, data),
                8,
            ));
        }
        if reserved_shared(self.arch) != 0 {
            let mut s = Section::new(&format!(".nv.shared.{k}"), SHT_NOBITS, Vec::new());
            s.size = u64::from(reserved_shared(self.arch));
            list.push(of_kernel(s, 16));
        }
        list
    }

    fn attributes(&self, bank_symbol: u32) -> Vec<u8> {
        let mut b = Bytes::default();
        let (offsets, end) = param_offsets(&self.params);
        let base = u32::from(param_base(self.arch));
        b.attribute(number::PARAM_CBANK, &[bank_symbol, base | end << 16]);
        for (i, (offset, size)) in offsets.iter().zip(&self.params).enumerate() {
            b.attribute(number::KPARAM_INFO, &[0, i as u32 | offset << 16, size << 18]);
        }
        b.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_sass::container;

    #[test]
    fn the_loader_reads_what_was_written() {
        for arch in Arch::ALL {
            let kernel = Kernel {
                name: "k".into(),
                arch,
                code: vec![0x5a; 32],
                registers: 40,
                barriers: 3,
                stack_bytes: 64,
                params: vec![8, 4, 8],
                literals: vec![1, 2, 3, 4],
                constants: vec![5; 8],
            };
            let image = kernel.image();
            let module =
                container::open(&image).and_then(|c| c.module(arch.number())).expect("a cubin");
            assert_eq!((module.sm, module.kernels.len()), (arch.number(), 1));
            let k = &module.kernels[0];
            assert_eq!((k.name.as_str(), k.registers, k.barriers), ("k", 40, 3));
            assert_eq!((k.stack.depth, k.stack.frame), (Some(64), 64));
            assert_eq!((k.params.base, k.params.size), (u32::from(param_base(arch)), 24));
            let list: Vec<_> = k.params.list.iter().map(|p| (p.offset, p.size)).collect();
            assert_eq!(list, [(0, 8), (8, 4), (16, 8)]);
            assert_eq!(k.shared.size, u64::from(reserved_shared(arch)));
            assert_eq!(k.shared.size, k.shared.reserved);
            assert_eq!(k.banks[&2].bytes, [1, 2, 3, 4]);
            assert_eq!(module.banks[&3].bytes, [5; 8]);
            assert_eq!(module.code[0].code.bytes, [0x5a; 32]);
        }
    }

    #[test]
    fn a_module_has_each_of_its_kernels() {
        let kernel = |n: u32| Kernel {
            name: format!("k{n}"),
            arch: Arch::Sm75,
            code: vec![n as u8; 32],
            registers: 10 + n,
            barriers: 0,
            stack_bytes: 0,
            params: vec![8; n as usize],
            literals: vec![n as u8; 4],
            constants: Vec::new(),
        };
        let image = module(&[kernel(1), kernel(2), kernel(3)]);
        let module = container::open(&image).and_then(|c| c.module(75)).expect("a cubin");
        assert_eq!(module.kernels.len(), 3);
        for n in 1..=3 {
            let name = format!("k{n}");
            let k = module.kernels.iter().find(|k| k.name == name).expect("its kernel");
            assert_eq!((k.registers, k.params.size), (10 + n, 8 * n));
            assert_eq!(k.banks[&2].bytes, [n as u8; 4]);
        }
    }
}
