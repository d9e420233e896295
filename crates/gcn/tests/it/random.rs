//! Random encodings, the same for every run.

use upset_gcn::Format;
use upset_gcn::table::rows;

/// Splitmix64: small, seeded, ours.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn u32(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 32) as u32
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.u32()) * n as u64) >> 32) as usize
    }

    /// Words that begin with an instruction of some format; nothing else is sure
    /// about them.
    pub fn words(&mut self) -> [u32; 3] {
        let format = Format::ALL[self.below(Format::ALL.len())];
        let rows = rows(format);
        let op = match format {
            // The long form has the instructions of the short ones too.
            Format::Vop3 if self.below(2) == 0 => self.below(512) as u16,
            _ => rows[self.below(rows.len())].op,
        };
        self.words_of(format, op)
    }

    /// Words with this opcode.
    pub fn words_of(&mut self, format: Format, op: u16) -> [u32; 3] {
        let layout = format.layout();
        let taken = ((1 << layout.width) - 1) << layout.lo;
        let free = ((1 << free_bits(format)) - 1) & !taken;
        // Sparse words have fewer features, and so more of them are legal.
        let (a, b) = (self.u32(), self.u32());
        let bits = if self.below(3) == 0 { a & b } else { a };
        let first = layout.prefix | u32::from(op) << layout.lo | bits & free;
        [first, self.second(format), self.literal()]
    }

    /// The second word. Of long vector instructions most sources are vector
    /// registers: only one may be scalar.
    fn second(&mut self, format: Format) -> u32 {
        let word = self.u32();
        match (format, self.below(4)) {
            (Format::Vop3, 0) => word | 0x0402_0000,
            (Format::Vop3, 1) => word | 0x0400_0100,
            (Format::Vop3, 2) => word | 0x0002_0100,
            // A literal, or an inline constant that is spelled as one.
            (_, 0) => self.literal(),
            _ => word,
        }
    }

    fn literal(&mut self) -> u32 {
        match self.below(4) {
            0 => (self.below(90) as u32).wrapping_sub(20),
            1 => (self.below(8) as f32 - 4.0).to_bits(),
            _ => self.u32(),
        }
    }

    /// The same words with one bit of the instruction changed.
    pub fn flipped(&mut self, mut words: [u32; 3]) -> [u32; 3] {
        let bit = self.below(64);
        words[bit / 32] ^= 1 << (bit % 32);
        words
    }
}

/// Bits below the fixed ones.
fn free_bits(format: Format) -> u32 {
    match format {
        Format::Sop1 | Format::Sopc | Format::Sopp => 23,
        Format::Vop1 | Format::Vopc => 25,
        Format::Sop2 => 30,
        Format::Sopk => 28,
        Format::Smrd => 27,
        Format::Vop2 => 31,
        Format::Vop3
        | Format::Vintrp
        | Format::Ds
        | Format::Mubuf
        | Format::Mtbuf
        | Format::Mimg
        | Format::Exp => 26,
    }
}
