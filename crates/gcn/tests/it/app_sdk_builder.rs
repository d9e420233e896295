//! Builds binaries of the APP SDK: the order of their parts, their offsets and
//! their sizes are those that CLRX writes (`AmdBinGen.cpp`).

/// Words in little-endian bytes.
pub fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A kernel of a binary.
#[derive(Clone, Debug)]
pub struct KernelParts {
    /// Its name.
    pub name: String,
    /// Its text.
    pub metadata: String,
    /// Its code.
    pub code: Vec<u8>,
    /// The note with its settings.
    pub info: Vec<(u32, u32)>,
    /// Machines of its encodings; the code is that of the last, others have none
    /// that could be executed.
    pub encodings: Vec<u32>,
}

impl KernelParts {
    /// A kernel for Tahiti: lines of metadata between the first two and the last.
    pub fn new(name: &str, lines: &str, code: &[u32], info: &[(u32, u32)]) -> KernelParts {
        let metadata = format!(
            ";ARGSTART:__OpenCL_{name}_kernel\n;version:3:1:104\n;device:tahiti\n;uniqueid:1024\n\
             {lines};ARGEND:__OpenCL_{name}_kernel\n"
        );
        KernelParts {
            name: name.to_string(),
            metadata,
            code: words(code),
            info: info.to_vec(),
            encodings: vec![26],
        }
    }

    /// The notes of an encoding, all that AMD's compiler writes.
    fn notes(&self) -> Vec<u8> {
        let info: Vec<u32> = self.info.iter().flat_map(|&(a, v)| [a, v]).collect();
        let mut notes = Vec::new();
        for kind in [2, 3, 16, 4, 5, 6, 7, 8, 9, 10, 11, 13, 12, 1, 14, 15, 17] {
            let says = match kind {
                1 => words(&info),
                4 | 8 | 13 | 15 => words(&[0]),
                10 => words(&[0, 0, 1, 0]),
                17 => vec![0; 128],
                _ => Vec::new(),
            };
            notes.extend(words(&[8, says.len() as u32, kind]));
            notes.extend(b"ATI CAL\0");
            notes.extend(says);
        }
        notes
    }

    /// The inner file.
    fn inner(&self) -> Vec<u8> {
        let count = self.encodings.len();
        let names = b"\0.shstrtab\0.text\0.data\0.symtab\0.strtab\0\0";
        assert_eq!(names.len(), 40);
        let dictionary_at = 52 + 32 * (1 + 2 * count);
        let names_at = dictionary_at + 20 * count;
        let sections_at = names_at + 40;
        let section_count = 2 + 4 * count;
        let mut at = sections_at + 40 * section_count;
        let mut programs = vec![[0x7000_0002, dictionary_at, 20 * count]];
        let mut dictionary = Vec::new();
        let mut sections = vec![[0; 4], [1, 3, names_at, 40]];
        let mut body = Vec::new();
        for (i, &machine) in self.encodings.iter().enumerate() {
            let last = i + 1 == count;
            let notes = if last { self.notes() } else { Vec::new() };
            let code = if last { self.code.clone() } else { vec![0xff; 8] };
            let size = notes.len() + code.len() + 4736 + 16 + 2;
            dictionary.extend(words(&[machine, 4, at as u32, size as u32, 0]));
            programs.push([4, at, notes.len()]);
            programs.push([1, at + notes.len(), size - notes.len()]);
            let mut part_at = at + notes.len();
            for (name, kind, len) in [(11, 1, code.len()), (17, 1, 4736), (23, 2, 16), (31, 3, 2)] {
                sections.push([name, kind, part_at, len]);
                part_at += len;
            }
            body.extend(notes);
            body.extend(code);
            body.extend([0; 4736 + 16 + 2]);
            at += size;
        }
        let mut file = b"\x7fELF\x01\x01\x01\x64\x01\0\0\0\0\0\0\0".to_vec();
        file.extend(halves(&[2, 0x7d]));
        file.extend(words(&[1, 0, 52, sections_at as u32, 1]));
        file.extend(halves(&[52, 32, programs.len() as u16, 40, section_count as u16, 1]));
        for [kind, offset, len] in programs {
            file.extend(words(&[kind as u32, offset as u32, 0, 0, len as u32, 0, 0, 0]));
        }
        file.extend(dictionary);
        file.extend(names);
        for [name, kind, offset, len] in sections {
            let [name, kind, offset, len] = [name, kind, offset, len].map(|v| v as u32);
            file.extend(words(&[name, kind, 0, 0, offset, len, 0, 0, 0, 0]));
        }
        file.extend(body);
        file
    }
}

fn halves(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A binary.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Machine of the outer file.
    pub machine: u16,
    /// The outer file has 64 bits.
    pub wide: bool,
    /// Its kernels.
    pub kernels: Vec<KernelParts>,
    /// Constants of the program by number.
    pub globals: Vec<(u32, Vec<u8>)>,
}

impl Parts {
    /// A binary for Tahiti.
    pub fn new(kernels: &[KernelParts]) -> Parts {
        Parts { machine: 0x3fd, wide: false, kernels: kernels.to_vec(), globals: Vec::new() }
    }

    /// A word of the class's width.
    fn long(&self, value: usize) -> Vec<u8> {
        if self.wide { (value as u64).to_le_bytes().to_vec() } else { words(&[value as u32]) }
    }

    /// The file.
    pub fn build(&self) -> Vec<u8> {
        let (mut rodata, mut text, mut names) = (Vec::new(), Vec::new(), vec![0]);
        let mut symbols = self.symbol(0, 0, 0, 0);
        let mut add = |name: String, section: u16, whole: &mut Vec<u8>, bytes: &[u8]| {
            symbols.extend(self.symbol(names.len(), whole.len(), bytes.len(), section));
            names.extend(name.bytes().chain([0]));
            whole.extend(bytes);
        };
        for (number, bytes) in &self.globals {
            add(format!("__OpenCL_{number}_global"), 4, &mut rodata, bytes);
        }
        for k in &self.kernels {
            add(format!("__OpenCL_{}_metadata", k.name), 4, &mut rodata, k.metadata.as_bytes());
            add(format!("__OpenCL_{}_kernel", k.name), 5, &mut text, &k.inner());
            add(format!("__OpenCL_{}_header", k.name), 4, &mut rodata, &[0; 32]);
        }
        let shstrtab = b"\0.shstrtab\0.strtab\0.symtab\0.rodata\0.text\0.comment\0";
        let comment = b"@(#) OpenCL 1.2 AMD-APP (938.2).  Driver version: CAL 1.4.1741 (VM)";
        let parts: [(u32, u32, &[u8]); 6] = [
            (1, 3, shstrtab),
            (11, 3, &names),
            (19, 2, &symbols),
            (27, 1, &rodata),
            (35, 1, &text),
            (41, 1, comment),
        ];
        let mut body: Vec<u8> = Vec::new();
        let header = if self.wide { 64 } else { 52 };
        let mut sections = self.section(0, 0, 0, 0);
        for (name, kind, bytes) in parts {
            sections.extend(self.section(name, kind, header + body.len(), bytes.len()));
            body.extend(bytes);
        }
        let class = if self.wide { 2 } else { 1 };
        let mut file = vec![0x7f, b'E', b'L', b'F', class, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        file.extend(halves(&[2, self.machine]));
        file.extend(words(&[1]));
        for offset in [0, 0, header + body.len()] {
            file.extend(self.long(offset));
        }
        file.extend(words(&[0]));
        let each = if self.wide { 64 } else { 40 };
        file.extend(halves(&[header as u16, 0, 0, each, 7, 1]));
        file.extend(body);
        file.extend(sections);
        file
    }

    fn symbol(&self, name: usize, value: usize, size: usize, section: u16) -> Vec<u8> {
        let (name, place) = (words(&[name as u32]), [self.long(value), self.long(size)].concat());
        let about = [vec![1, 0], halves(&[section])].concat();
        if self.wide { [name, about, place].concat() } else { [name, place, about].concat() }
    }

    fn section(&self, name: u32, kind: u32, offset: usize, size: usize) -> Vec<u8> {
        // The table of symbols names its strings.
        let link = if kind == 2 { 2 } else { 0 };
        let mut header = words(&[name, kind]);
        for value in [0, 0, offset, size] {
            header.extend(self.long(value));
        }
        header.extend(words(&[link, 0]));
        header.extend(self.long(1));
        header.extend(self.long(0));
        header
    }
}

/// Settings that every kernel needs: vector registers, scalar registers, RSRC2.
pub fn least_info(vgprs: u32, sgprs: u32, rsrc2: u32) -> Vec<(u32, u32)> {
    vec![(0x8000_1041, vgprs), (0x8000_1042, sgprs), (0x2e13, rsrc2)]
}
