//! Code objects of the HSA ABI as far as a launch needs them: an ELF file with
//! code, the kernel's descriptor, its symbols and a note about its arguments.

/// What a code object says of its one kernel.
pub(crate) struct Object<'a> {
    /// Its name.
    pub name: &'a str,
    /// Machine code.
    pub code: &'a [u32],
    /// Pointers that it takes.
    pub pointers: u32,
    /// Vector registers.
    pub vgprs: u32,
    /// Scalar registers, VCC among them.
    pub sgprs: u32,
    /// Bytes of LDS.
    pub lds: u32,
    /// Rounding and denormals that MODE begins with.
    pub float_mode: u32,
}

/// Where the parts lie, in the file and in memory.
const DESCRIPTOR: usize = 0x200;
const CODE: usize = 0x300;
const HEADER: usize = 64;
const PROGRAM: usize = 56;

impl Object<'_> {
    /// The file.
    pub fn build(&self) -> Vec<u8> {
        let code: Vec<u8> = self.code.iter().flat_map(|w| w.to_le_bytes()).collect();
        let note = self.note();
        let names = format!("\0{0}\0{0}.kd\0", self.name);
        let note_at = (CODE + code.len()).next_multiple_of(8);
        let names_at = note_at + note.len();
        let symbols_at = (names_at + names.len()).next_multiple_of(8);
        let mut symbols = vec![0; 24];
        symbols.extend(symbol(1, CODE, code.len()));
        symbols.extend(symbol(2 + self.name.len(), DESCRIPTOR, 64));
        let sections_at = symbols_at + symbols.len();

        let mut file = b"\x7fELF\x02\x01\x01\x40\x03\0\0\0\0\0\0\0".to_vec();
        file.extend(halves(&[3, 0xe0]));
        file.extend(words(&[1]));
        file.extend(longs(&[0, HEADER, sections_at]));
        file.extend(words(&[0x20]));
        file.extend(halves(&[HEADER as u16, PROGRAM as u16, 3, 64, 3, 2]));
        file.extend(program(1, 4, 0, CODE));
        file.extend(program(1, 5, CODE, code.len()));
        file.extend(program(4, 4, note_at, note.len()));
        file.resize(DESCRIPTOR, 0);
        file.extend(self.descriptor());
        file.resize(CODE, 0);
        file.extend(code);
        file.resize(note_at, 0);
        file.extend(note);
        file.extend(names.bytes());
        file.resize(symbols_at, 0);
        file.extend(&symbols);
        file.extend([0; 64]);
        file.extend(section(2, symbols_at, symbols.len(), 24));
        file.extend(section(3, names_at, names.len(), 0));
        file
    }

    fn descriptor(&self) -> Vec<u8> {
        let mut d = vec![0; 64];
        let mut put = |at: usize, word: u32| d[at..at + 4].copy_from_slice(&word.to_le_bytes());
        put(0, self.lds);
        put(8, 8 * self.pointers);
        put(16, (CODE - DESCRIPTOR) as u32);
        let registers = (self.vgprs.div_ceil(4) - 1) | (self.sgprs.div_ceil(8) - 1) << 6;
        // DX10_CLAMP and IEEE.
        put(48, registers | self.float_mode << 12 | 1 << 21 | 1 << 23);
        // Two registers of the user, work-groups and work-items in all dimensions.
        put(52, 2 << 1 | 7 << 7 | 2 << 11);
        // The arguments' address.
        put(56, 1 << 3);
        d
    }

    /// The note with the metadata.
    fn note(&self) -> Vec<u8> {
        let mut m = vec![0x81];
        text(&mut m, "amdhsa.kernels");
        m.extend([0x91, 0x84]);
        text(&mut m, ".name");
        text(&mut m, self.name);
        text(&mut m, ".symbol");
        text(&mut m, &format!("{}.kd", self.name));
        text(&mut m, ".max_flat_workgroup_size");
        m.extend([0xcd, 1, 0]);
        text(&mut m, ".args");
        m.push(0x90 | self.pointers as u8);
        for n in 0..self.pointers {
            m.push(0x83);
            text(&mut m, ".offset");
            m.push(8 * n as u8);
            text(&mut m, ".size");
            m.push(8);
            text(&mut m, ".value_kind");
            text(&mut m, "global_buffer");
        }
        let mut note = words(&[7, m.len() as u32, 32]);
        note.extend(b"AMDGPU\0\0");
        note.extend(m);
        note.resize(note.len().next_multiple_of(4), 0);
        note
    }
}

/// A string of MessagePack.
fn text(to: &mut Vec<u8>, s: &str) {
    if s.len() < 32 {
        to.push(0xa0 | s.len() as u8);
    } else {
        to.extend([0xd9, s.len() as u8]);
    }
    to.extend(s.bytes());
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn halves(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn longs(values: &[usize]) -> Vec<u8> {
    values.iter().flat_map(|v| (*v as u64).to_le_bytes()).collect()
}

fn symbol(name: usize, value: usize, size: usize) -> Vec<u8> {
    // A global object of a section that nobody looks at.
    [words(&[name as u32]), vec![0x11, 0], halves(&[1]), longs(&[value, size])].concat()
}

fn program(kind: u32, flags: u32, at: usize, len: usize) -> Vec<u8> {
    [words(&[kind, flags]), longs(&[at, at, at, len, len, 4])].concat()
}

fn section(kind: u32, at: usize, len: usize, each: usize) -> Vec<u8> {
    // The table of symbols names the section of its strings.
    let link = if kind == 2 { 2 } else { 0 };
    [words(&[0, kind]), longs(&[0, 0, at, len]), words(&[link, 1]), longs(&[8, each])].concat()
}
