//! A memory instruction on its way.

use upset_gcn::format::Format;
use upset_gcn::inst::{Detail, Inst};
use upset_gcn::operand::Operand;
use upset_gcn::sem::Does;
use upset_gcn::sem::buffer::BufferOp;
use upset_gcn::table;
use upset_gcn::wave::Returned;
use upset_gcn::wave::each;
use upset_gcn::wave::{WAVE, buffer, share};
use upset_mem::{Filled, FirstLevel, LINE, end_flight};
use upset_state::Probe;

/// Dwords that a lane moves at most.
pub(crate) const WORDS: usize = 4;

/// Raw dwords of all lanes.
pub(crate) type Raw = [[u32; WAVE]; WORDS];

/// Part of an access that lies in one line of its cache.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line {
    /// Address of the line.
    pub addr: u64,
    /// Bytes touched, relative to the 128 bytes that the line is in.
    pub bytes: u128,
    /// Lanes whose dword `n` is in it.
    pub lanes: [u64; WORDS],
}

/// Which way an access goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    /// The vector cache.
    #[default]
    Vector,
    /// LDS.
    Share,
    /// The scalar cache.
    Scalar,
}

/// A memory instruction.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// Wave slot.
    pub slot: u32,
    /// Byte offset of the instruction in the program.
    pub pc: u32,
    /// The instruction.
    pub inst: Inst,
    /// Which way it goes.
    pub way: Way,
    /// Where it goes, of vector memory.
    pub at: Option<buffer::Located>,
    /// Where it goes in LDS.
    pub share: Option<Box<share::Located>>,
    /// Raw dwords at aligned addresses: what a load has collected, what a store
    /// brings; of scalar reads sixteen in a row; of atomics the operands.
    pub raw: Raw,
    /// What goes to the registers of LDS reads and atomics.
    pub returned: Returned,
    /// Operands of LDS instructions, for each element, and what to compare with.
    pub operands: [[u64; WAVE]; 3],
    /// Dwords of a scalar read that are in range, and its first address.
    pub in_range: u8,
    pub scalar_at: u64,
    /// M0 when a load to LDS issued.
    pub m0: u32,
    /// Lines, in the order of their first lane.
    pub lines: Vec<Line>,
    /// Lines already sent to the cache.
    pub next: usize,
    /// Answers that have not come.
    pub pending: u32,
    /// All has come; it waits for those before it.
    pub ready: bool,
    /// Cycles by which conflicts delay its result.
    pub late: u32,
    /// Ghosts have other data.
    pub haunted: bool,
}

fn nothing() -> Inst {
    let row = &table::rows(Format::Sopp)[0];
    let src = [Operand::None; 4];
    Inst {
        row,
        format: Format::Sopp,
        dst: Operand::None,
        flag: Operand::None,
        src,
        detail: Detail::None,
    }
}

impl Default for Access {
    fn default() -> Self {
        Access {
            slot: 0,
            pc: 0,
            inst: nothing(),
            way: Way::Vector,
            at: None,
            share: None,
            raw: [[0; WAVE]; WORDS],
            returned: Returned::default(),
            operands: [[0; WAVE]; 3],
            in_range: 0,
            scalar_at: 0,
            m0: 0,
            lines: Vec::new(),
            next: 0,
            pending: 0,
            ready: false,
            late: 0,
            haunted: false,
        }
    }
}

impl Access {
    /// Makes it ready for a new instruction.
    pub fn begin(&mut self, slot: u32, pc: u32, inst: &Inst, way: Way) {
        self.slot = slot;
        self.pc = pc;
        self.inst = *inst;
        self.way = way;
        self.at = None;
        self.lines.clear();
        self.in_range = 0;
        self.scalar_at = 0;
        self.m0 = 0;
        self.next = 0;
        self.pending = 0;
        self.ready = false;
        self.late = 0;
        self.haunted = false;
    }

    /// What it does in vector memory.
    pub fn op(&self) -> Option<BufferOp> {
        match self.inst.row.does {
            Does::Buffer(op) => Some(op),
            _ => None,
        }
    }

    /// Whether it asks past the first-level cache, or returns an atomic's old value.
    pub fn glc(&self) -> bool {
        matches!(self.inst.detail, Detail::Buffer(b) if b.glc)
    }

    /// Notes that dword `n` of a lane is at `addr`, of which these bytes count.
    #[inline]
    fn touch(&mut self, lane: usize, n: usize, addr: u64, bytes: u128, size: u64) {
        let line = addr & !(size - 1);
        let bytes = bytes << (addr % LINE);
        let found = self.lines.iter_mut().rev().find(|l| l.addr == line);
        match found {
            Some(l) => {
                l.bytes |= bytes;
                l.lanes[n] |= 1 << lane;
            }
            None => {
                let mut lanes = [0; WORDS];
                lanes[n] = 1 << lane;
                self.lines.push(Line { addr: line, bytes, lanes });
            }
        }
    }

    /// Finds the lines of a vector access in a cache with lines of `size` bytes.
    pub fn find_lines(&mut self, at: &buffer::Located, size: u64) {
        for lane in each(at.lanes) {
            let addr = at.addrs[lane];
            let (first, len) = (addr & !3, at.reach(lane) as u64);
            let mut n = 0;
            let mut from = addr;
            while from < addr + len {
                let dword = first + 4 * n as u64;
                let until = (dword + 4).min(addr + len);
                let bytes = ((1u128 << (until - from)) - 1) << (from - dword);
                self.touch(lane, n & (WORDS - 1), dword, bytes, size);
                from = until;
                n += 1;
            }
        }
    }

    /// Finds the lines of so many dwords from an address on.
    pub fn find_dwords(&mut self, addr: u64, dwords: u8, size: u64) {
        for n in 0..u64::from(dwords) {
            self.touch(n as usize, 0, addr + 4 * n, 0xf, size);
        }
    }

    /// Address of a lane's dword.
    #[inline]
    fn dword_at(&self, lane: usize, n: usize) -> u64 {
        match &self.at {
            Some(at) => (at.addrs[lane] & !3) + 4 * n as u64,
            None => 0,
        }
    }

    /// Dwords of line `index` out of bytes that start at address `base`.
    #[inline]
    pub fn collect(&mut self, index: usize, bytes: &[u8], base: u64, first: u64) {
        collect(&self.lines[index], &self.at, bytes, (base, first), &mut self.raw);
    }

    /// Bytes and mask that a store puts into line `index`, in the 128 bytes
    /// that the line is in.
    pub fn spread(&self, index: usize, raw: &Raw, bytes: &mut [u8; LINE as usize]) -> u128 {
        let line = &self.lines[index];
        let base = line.addr & !(LINE - 1);
        // Lanes in order: the highest wins where several write one place.
        let all = line.lanes.iter().fold(0, |all, lanes| all | lanes);
        let (mut small, at) = (false, self.at.as_ref());
        if let Some(at) = at {
            small = at.bytes < 4;
        }
        for lane in each(all) {
            for (n, lanes) in line.lanes.iter().enumerate() {
                if lanes >> lane & 1 == 0 {
                    continue;
                }
                let to = (self.dword_at(lane, n) - base) as usize;
                let word = raw[n][lane].to_le_bytes();
                if small {
                    let addr = at.map_or(0, |at| at.addrs[lane]);
                    let (skip, len) = ((addr & 3) as usize, at.map_or(0, |at| at.reach(lane)));
                    bytes[to + skip..to + skip + len].copy_from_slice(&word[skip..skip + len]);
                } else {
                    bytes[to..to + 4].copy_from_slice(&word);
                }
            }
        }
        line.bytes
    }

    /// Raw dwords of a lane's element, as a store brings it.
    pub fn store_lane(&mut self, lane: usize, bytes: &[u8; 16], len: usize) {
        let Some(at) = &self.at else { return };
        let skip = (at.addrs[lane] & 3) as usize;
        if skip == 0 {
            for n in 0..len.div_ceil(4).min(WORDS) {
                let word = bytes[4 * n..].first_chunk().map_or(0, |w| u32::from_le_bytes(*w));
                self.raw[n][lane] = word;
            }
        } else {
            let word = bytes.first_chunk().map_or(0, |w| u32::from_le_bytes(*w));
            self.raw[0][lane] = word << (8 * skip);
        }
    }

    /// What a load's raw dwords become in registers.
    pub fn unpack(&self, raw: &Raw, returned: &mut Returned) {
        use upset_gcn::sem::texel::Shape;
        let Some(at) = &self.at else { return };
        let registers = usize::from(self.inst.result_dwords());
        returned.words[..registers.min(5)].fill([[0; 32]; 2]);
        if let (Shape::Dwords(count), 0) = (at.shape, at.short) {
            for n in 0..usize::from(count).min(WORDS) {
                for half in 0..2 {
                    returned.words[n][half].copy_from_slice(&raw[n][32 * half..32 * half + 32]);
                }
            }
            for lane in each(at.dead) {
                (0..WORDS).for_each(|n| returned.set(n, lane, 0));
            }
            return;
        }
        let outside = at.shape.outside();
        for lane in each(at.dead) {
            (0..WORDS).for_each(|n| returned.set(n, lane, outside[n]));
        }
        for lane in each(at.lanes) {
            let mut bytes = [0; 20];
            for n in 0..WORDS {
                bytes[4 * n..4 * n + 4].copy_from_slice(&raw[n][lane].to_le_bytes());
            }
            let skip = (at.addrs[lane] & 3) as usize;
            let words = at.shape.load_lane(&bytes[skip..skip + at.reach(lane)]);
            (0..WORDS).for_each(|n| returned.set(n, lane, words[n]));
        }
    }
}

/// Dwords of a line out of bytes that start at an address; of scalar reads,
/// whose lanes are dwords, `first` is the address of dword 0.
pub(crate) fn collect(
    line: &Line,
    at: &Option<buffer::Located>,
    bytes: &[u8],
    (base, first): (u64, u64),
    raw: &mut Raw,
) {
    for (n, lanes) in line.lanes.iter().enumerate() {
        for lane in each(*lanes) {
            let addr = match at {
                Some(at) => (at.addrs[lane] & !3) + 4 * n as u64,
                None => first + 4 * lane as u64,
            };
            let from = addr.wrapping_sub(base) as usize;
            if let Some(word) = bytes.get(from..).and_then(|b| b.first_chunk()) {
                raw[n][lane] = u32::from_le_bytes(*word);
            }
        }
    }
}

/// Carries out the atomic of a MUBUF opcode: memory knows no instructions.
pub(crate) fn apply_atomic(code: u32, before: u64, b: u64, c: u64) -> u64 {
    match table::find(Format::Mubuf, code as u16).map(|row| row.does) {
        Some(Does::Buffer(BufferOp::Atomic { f, .. })) => f(before, b, c),
        _ => before,
    }
}

/// What a reply brought is no longer needed.
pub(crate) fn end_fill<P: Probe>(level: &mut FirstLevel, filled: Filled, probe: &mut P) {
    if let Filled::Packet { bytes, flight, over } = filled {
        if over {
            end_flight(probe, flight);
        }
        level.give_back(bytes);
    }
}
