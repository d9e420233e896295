//! Bytes, strings and sections of an ELF file.

/// Little-endian data in the making.
#[derive(Clone, Debug, Default)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    pub fn u16(&mut self, n: u16) {
        self.0.extend(n.to_le_bytes());
    }

    pub fn u32(&mut self, n: u32) {
        self.0.extend(n.to_le_bytes());
    }

    pub fn u64(&mut self, n: u64) {
        self.0.extend(n.to_le_bytes());
    }

    /// Fills up to a position.
    pub fn pad_to(&mut self, len: usize, with: u8) {
        self.0.resize(len.max(self.0.len()), with);
    }

    pub fn len(&self) -> u64 {
        self.0.len() as u64
    }
}

/// A string table.
#[derive(Clone, Debug)]
pub struct Strings(pub Bytes);

impl Strings {
    pub fn new() -> Strings {
        Strings(Bytes(vec![0]))
    }

    /// Adds a string; gives its offset.
    pub fn add(&mut self, s: &str) -> u32 {
        let at = self.0.len() as u32;
        self.0.0.extend(s.as_bytes());
        self.0.0.push(0);
        at
    }
}

/// A section before and after it has a place.
#[derive(Clone, Debug)]
pub struct Section {
    pub name: &'static str,
    pub kind: u32,
    pub flags: u64,
    pub align: u64,
    pub link: u32,
    pub info: u32,
    pub entry: u64,
    pub size: u64,
    /// Address, and offset in the file: they are equal here.
    pub at: u64,
    pub data: Bytes,
}

impl Section {
    /// A section of which only the size is known so far.
    pub fn new(name: &'static str, kind: u32, flags: u64, align: u64, size: u64) -> Section {
        Section {
            name,
            kind,
            flags,
            align,
            link: 0,
            info: 0,
            entry: 0,
            size,
            at: 0,
            data: Bytes::default(),
        }
    }

    pub fn links(mut self, link: u32, info: u32, entry: u64) -> Section {
        (self.link, self.info, self.entry) = (link, info, entry);
        self
    }
}

/// `n` rounded up to a multiple of `align`.
pub fn round_up(n: u64, align: u64) -> u64 {
    n.next_multiple_of(align.max(1))
}
