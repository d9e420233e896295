//! Buffers in memory: descriptors of all kinds around regions that a wave may
//! access.

use upset_gcn::Format;
use upset_gcn::inst::{Buffer, Detail, Scalar};
use upset_gcn::operand::Operand;
use upset_gcn::row::Row;
use upset_gcn::sem::Does;
use upset_gcn::sem::buffer::{BufferOp, Element};

use super::emit::{Emitter, bare, row, rows};
use super::registers::{Region, s, sgpr, v, vgpr};
use super::shape::SLOTS;

/// A piece of memory: where it begins, and bytes that may be accessed.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    /// The pair that holds its address.
    base: u8,
    /// Bytes from there on.
    bytes: u32,
}

/// How lanes name their places in a piece.
struct Addressing {
    fields: Buffer,
    address: Operand,
    descriptor: Operand,
    soffset: Operand,
}

/// Elements of the largest access lie within a piece when they begin so many
/// bytes before its end.
const LARGEST: u32 = 16;

/// Commutative operations, one for each group of reduction targets; those of a
/// pair commute with each other.
pub(crate) const REDUCTIONS: [[&str; 2]; 8] = [
    ["add", "sub"],
    ["smin", "smin"],
    ["umin", "umin"],
    ["smax", "smax"],
    ["umax", "umax"],
    ["and", "and"],
    ["or", "or"],
    ["xor", "xor"],
];

impl Emitter<'_> {
    /// The pair `to` becomes a pointer and some bytes, times a scalar register where there is one.
    fn point(&mut self, to: u8, region: Region, bytes: u32, times: Option<(u8, u32)>) {
        let lo = sgpr(to);
        let pointer = region.pointer();
        match times {
            Some((register, each)) => {
                self.op("s_mul_i32", lo, &[sgpr(register), Operand::Literal(each)]);
                self.op("s_add_u32", lo, &[lo, Operand::Literal(bytes)]);
            }
            None => self.op("s_mov_b32", lo, &[Operand::Literal(bytes)]),
        }
        self.op("s_add_u32", lo, &[lo, sgpr(pointer)]);
        self.op("s_addc_u32", sgpr(to + 1), &[sgpr(pointer + 1), Operand::Int(0)]);
    }

    /// The buffer that this wave writes (or the other): its beginning is added to a pair.
    fn add_parity(&mut self, pair: u8, own: bool) {
        let t = sgpr(s::WORD);
        let parity = sgpr(s::PARITY);
        if own {
            self.op("s_mul_i32", t, &[parity, Operand::Literal(self.shape.slots())]);
        } else {
            self.op("s_xor_b32", t, &[parity, Operand::Int(1)]);
            self.op("s_mul_i32", t, &[t, Operand::Literal(self.shape.slots())]);
        }
        self.op("s_add_u32", sgpr(pair), &[sgpr(pair), t]);
        self.op("s_addc_u32", sgpr(pair + 1), &[sgpr(pair + 1), Operand::Int(0)]);
    }

    /// SCC, which computing addresses changes, is kept by half of the statements.
    pub fn keeping_scc(&mut self, f: impl FnOnce(&mut Self)) {
        let keep = self.one_in(2);
        let kept = sgpr(s::WORD + 1);
        if keep {
            self.op("s_cselect_b32", kept, &[Operand::Int(1), Operand::Int(0)]);
        }
        f(self);
        if keep {
            self.op("s_cmp_lg_u32", Operand::None, &[kept, Operand::Int(0)]);
        }
    }

    fn own_piece(&mut self) -> Piece {
        self.point(s::PAIR, Region::Slots, 0, Some((s::WAVE, SLOTS)));
        self.add_parity(s::PAIR, true);
        Piece { base: s::PAIR, bytes: SLOTS }
    }

    fn peer_piece(&mut self) -> Piece {
        let bytes = SLOTS * self.shape.waves();
        self.point(s::PAIR, Region::Slots, 0, Some((s::GROUP, bytes)));
        self.add_parity(s::PAIR, false);
        Piece { base: s::PAIR, bytes }
    }

    fn input_piece(&mut self) -> Piece {
        Piece { base: Region::Input.pointer(), bytes: self.shape.input }
    }

    /// A descriptor and registers, so that every lane is in the piece or out of
    /// the descriptor's range.
    fn addressing(&mut self, piece: Piece) -> Addressing {
        let most = piece.bytes - LARGEST;
        let soff = if self.one_in(3) { 4 * self.rng.below(16) } else { 0 };
        let (mut fields, mut stride, mut flags) = (Buffer::default(), 0, 0);
        let mut records;
        let address = v::ADDRESS;
        match self.rng.below(5) {
            // An address of 64 bits, without range.
            0 => {
                fields.addr64 = true;
                let offset = self.rng.below(64);
                fields.offset = offset as u16;
                self.lane_offset(address, most - 64 - 64);
                self.op("v_mov_b32", vgpr(address + 1), &[Operand::Int(0)]);
                records = 0;
            }
            // Bytes, some of them out of range.
            1 | 2 => {
                fields.offen = true;
                fields.offset = (self.rng.below(48)) as u16;
                records = if self.one_in(2) { most } else { 64 + self.rng.below(most - 64) };
                let reach = if self.one_in(2) { 2 * most } else { most - 64 };
                self.lane_offset(address, reach);
            }
            // Records, some of them out of range.
            _ => {
                stride = 4 * (1 + self.rng.below(8));
                let swizzle = self.one_in(3);
                if swizzle {
                    stride = 16 * (1 + self.rng.below(2));
                    let (element, members) = (self.rng.below(4), self.rng.below(4));
                    flags |= element << 19 | members << 21;
                    let group = (8 << members) * stride;
                    records = (most - 64) / group * (8 << members);
                    if records == 0 {
                        (stride, records) = (16, 8);
                        flags &= !(3 << 21);
                    }
                    stride |= 1 << 15;
                } else {
                    records = (most - 64) / stride;
                }
                if self.one_in(3) {
                    // Fewer still.
                    records = 1 + self.rng.below(records);
                }
                let by_lane = self.one_in(3);
                if by_lane {
                    flags |= 1 << 23;
                }
                fields.idxen = !by_lane || self.one_in(2);
                fields.offen = self.one_in(3);
                let inside = (stride & 0x3fff) + 4;
                if fields.idxen {
                    self.lane_index(address, records + 3);
                }
                if fields.offen {
                    self.lane_offset(address + u8::from(fields.idxen), inside);
                } else {
                    fields.offset = self.rng.below(inside) as u16;
                }
            }
        }
        flags |= self.format();
        let descriptor = self.descriptor(piece, stride, records, flags);
        let soffset = match soff {
            0 => Operand::Int(0),
            _ if soff <= 64 && self.one_in(2) => Operand::Int(soff as i8),
            _ => {
                self.op("s_mov_b32", sgpr(s::WORD), &[Operand::Literal(soff)]);
                sgpr(s::WORD)
            }
        };
        Addressing { fields, address: vgpr(address), descriptor, soffset }
    }

    /// Selection of channels, number and data format.
    fn format(&mut self) -> u32 {
        let select =
            if self.one_in(2) { 4 | 5 << 3 | 6 << 6 | 7 << 9 } else { self.rng.below(4096) };
        select | self.rng.below(8) << 12 | self.rng.below(16) << 15
    }

    /// Puts a descriptor together in one of two places.
    fn descriptor(&mut self, piece: Piece, stride: u32, records: u32, flags: u32) -> Operand {
        let d = s::DESCRIPTOR + 4 * self.rng.below(2) as u8;
        self.op("s_mov_b32", sgpr(d), &[sgpr(piece.base)]);
        let high = Operand::Literal(stride << 16);
        self.op("s_or_b32", sgpr(d + 1), &[sgpr(piece.base + 1), high]);
        self.op("s_mov_b32", sgpr(d + 2), &[Operand::Literal(records)]);
        self.op("s_mov_b32", sgpr(d + 3), &[Operand::Literal(flags)]);
        sgpr(d)
    }

    /// Offsets of lanes below `most` (at least 16): side by side, apart, or
    /// anywhere.
    pub fn lane_offset(&mut self, to: u8, most: u32) {
        let lane = vgpr(v::LANE);
        let to = vgpr(to);
        let fits = |each: u32| 64 * each <= most;
        match self.rng.below(4) {
            0 if fits(4) => self.op("v_lshlrev_b32", to, &[Operand::Int(2), lane]),
            1 if fits(16) => self.op("v_lshlrev_b32", to, &[Operand::Int(4), lane]),
            2 if fits(1) => self.op("v_lshlrev_b32", to, &[Operand::Int(0), lane]),
            _ => {
                let mask = (1u32 << most.ilog2()) - 1;
                let mask = if self.one_in(4) { mask & 0x7c } else { mask };
                let from = self.pool(1);
                self.op("v_and_b32", to, &[Operand::Literal(mask), from]);
            }
        }
    }

    /// Indices of lanes, below the next power of two.
    fn lane_index(&mut self, to: u8, about: u32) {
        if self.one_in(2) {
            return self.op("v_mov_b32", vgpr(to), &[vgpr(v::LANE)]);
        }
        let from = self.pool(1);
        let mask = Operand::Literal(about.next_power_of_two() - 1);
        self.op("v_and_b32", vgpr(to), &[mask, from]);
    }

    /// Writes an access down.
    fn access(&mut self, row: &'static Row, at: &Addressing, data: Operand, fields: Buffer) {
        let mut one = bare(row);
        let returns = !row.returns_by_glc || fields.glc;
        let takes = row.src[3].kind.dwords > 0;
        one.dst = if row.dst.kind.dwords > 0 && returns { data } else { Operand::None };
        let data = if takes { data } else { Operand::None };
        let address = if fields.address() == 0 { Operand::None } else { at.address };
        one.src = [address, at.descriptor, at.soffset, data];
        one.detail = Detail::Buffer(fields);
        self.push(one);
    }

    /// Flags that change no value, and formats of typed accesses.
    fn finish(&mut self, mut fields: Buffer, row: &Row) -> Buffer {
        fields.slc = self.one_in(4);
        fields.glc = self.one_in(4);
        if row.format == Format::Mtbuf {
            fields.dfmt = self.rng.below(16) as u8;
            fields.nfmt = self.rng.below(8) as u8;
        }
        fields
    }

    /// Loads from a piece, some at once.
    fn loads(&mut self, piece: Piece) {
        let at = self.addressing(piece);
        for _ in 0..1 + self.rng.below(3) {
            let loads = |row: &&'static Row| matches!(row.does, Does::Buffer(BufferOp::Load(_)));
            let row = self.buffer_row(loads);
            let mut fields = self.finish(at.fields, row);
            fields.tfe = self.one_in(6);
            let data = self.pool(row.dst.kind.dwords + u8::from(fields.tfe));
            self.access(row, &at, data, fields);
        }
    }

    /// One of the rows that something is true of: plain elements often.
    fn buffer_row(&mut self, is: impl Fn(&&'static Row) -> bool) -> &'static Row {
        let format = if self.one_in(3) { Format::Mtbuf } else { Format::Mubuf };
        let all: Vec<&'static Row> = rows(format).filter(|row| is(row)).collect();
        let plain: Vec<&'static Row> = all.iter().copied().filter(|row| !formatted(row)).collect();
        if plain.is_empty() || self.one_in(3) { self.rng.pick(&all) } else { self.rng.pick(&plain) }
    }

    /// Vector load of the input.
    pub fn input(&mut self) {
        self.keeping_scc(|e| {
            let piece = e.input_piece();
            e.loads(piece);
        });
    }

    /// Load of another wave's part.
    pub fn peer(&mut self) {
        self.keeping_scc(|e| {
            let piece = e.peer_piece();
            e.loads(piece);
        });
    }

    /// Loads, stores and atomics in the wave's own part, some at once.
    pub fn own(&mut self) {
        self.keeping_scc(|e| {
            let piece = e.own_piece();
            let at = e.addressing(piece);
            for _ in 0..1 + e.rng.below(4) {
                let kind = e.rng.below(5);
                let is = |row: &&'static Row| match row.does {
                    Does::Buffer(BufferOp::Load(_)) => kind < 2,
                    Does::Buffer(BufferOp::Store(_)) => (2..4).contains(&kind),
                    Does::Buffer(BufferOp::Atomic { .. }) => kind == 4,
                    _ => false,
                };
                let row = match kind {
                    4 => {
                        let all: Vec<_> = rows(Format::Mubuf).filter(is).collect();
                        e.rng.pick(&all)
                    }
                    _ => e.buffer_row(is),
                };
                let fields = e.finish(at.fields, row);
                let data = e.pool(row.dst.kind.dwords.max(row.src[3].kind.dwords));
                e.access(row, &at, data, fields);
            }
        });
    }

    /// A reduction that all waves take part in; a returned value is nobody's business.
    pub fn reduction(&mut self) {
        self.keeping_scc(|e| {
            let group = e.rng.below(REDUCTIONS.len() as u32);
            let bytes = e.shape.group;
            e.point(s::PAIR, Region::Reductions, group * bytes, None);
            e.lane_offset_within(v::ADDRESS, bytes);
            let piece = Piece { base: s::PAIR, bytes };
            let descriptor = e.descriptor(piece, 0, bytes, 0);
            // Operations on words and on pairs of them commute if they are bitwise.
            let wide = group > 4 && e.one_in(3);
            let name = REDUCTIONS[group as usize][e.rng.below(2) as usize];
            let suffix = if wide { "_x2" } else { "" };
            let row = row(&format!("buffer_atomic_{name}{suffix}"));
            let fields = Buffer { offen: true, glc: e.one_in(3), ..Buffer::default() };
            let at = Addressing {
                fields,
                address: vgpr(v::ADDRESS),
                descriptor,
                soffset: Operand::Int(0),
            };
            for n in 0..row.src[3].kind.dwords {
                let from = e.pool(1);
                e.op("v_mov_b32", vgpr(v::DATA + n), &[from]);
            }
            e.access(row, &at, vgpr(v::DATA), fields);
        });
    }

    /// Offsets of lanes in a few bytes, a power of two.
    pub fn lane_offset_within(&mut self, to: u8, bytes: u32) {
        let from = if self.one_in(2) { vgpr(v::LANE) } else { self.pool(1) };
        self.op("v_lshlrev_b32", vgpr(to), &[Operand::Int(2), from]);
        self.op("v_and_b32", vgpr(to), &[Operand::Literal(bytes - 1), vgpr(to)]);
    }

    /// A dword of each lane goes from the input to the wave's own part of LDS.
    pub fn to_share(&mut self) {
        self.keeping_scc(|e| {
            let piece = e.input_piece();
            let all: Vec<_> = rows(Format::Mubuf).filter(|row| row.to_lds).collect();
            let at = e.addressing(piece);
            e.share_base(s::PAIR + 2, true);
            // The instruction's offset counts twice.
            let most = super::shape::SHARE - 256 - u32::from(at.fields.offset).next_multiple_of(4);
            let more = 4 * e.rng.below(most / 4 + 1);
            e.op("s_add_u32", Operand::M0, &[sgpr(s::PAIR + 2), Operand::Literal(more)]);
            let row = e.rng.pick(&all);
            let fields = Buffer { lds: true, ..e.finish(at.fields, row) };
            let data = e.pool(1);
            e.access(row, &at, data, fields);
        });
    }

    /// Scalar reads of the input, some at once.
    pub fn scalar_input(&mut self) {
        let buffer = self.one_in(2);
        let piece = self.input_piece();
        let base = if buffer {
            let records = if self.one_in(2) { piece.bytes } else { self.rng.below(piece.bytes) };
            self.scalar_descriptor(piece, records)
        } else {
            sgpr(piece.base)
        };
        for _ in 0..1 + self.rng.below(3) {
            let most = if self.shape.scalar_pool >= 16 { 16 } else { 8 };
            let sizes = [1, 1, 2, 4, 8, 16u8];
            let dwords = self.rng.pick(&sizes).min(most);
            let kind = if buffer { "s_buffer_load_dword" } else { "s_load_dword" };
            let name = if dwords == 1 { kind.into() } else { format!("{kind}x{dwords}") };
            let mut one = bare(row(&name));
            one.dst = match dwords {
                1 | 2 if self.one_in(6) => Operand::VccLo,
                _ => self.scalar_pool(dwords),
            };
            one.src[0] = base;
            if self.one_in(2) {
                let offset = self.rng.below(200) as u8;
                one.detail = Detail::Scalar(Scalar { offset: Some(offset) });
            } else {
                let from = self.scalar_pool(1);
                let mask = (piece.bytes - 1) & !63;
                self.op("s_and_b32", sgpr(s::WORD), &[from, Operand::Literal(mask)]);
                one.src[1] = sgpr(s::WORD);
            }
            self.push(one);
        }
    }

    fn scalar_descriptor(&mut self, piece: Piece, records: u32) -> Operand {
        let (stride, records) = if self.one_in(3) { (4, records / 4) } else { (0, records) };
        self.descriptor(piece, stride, records, 0)
    }
}

/// Is it an element whose format the descriptor or the instruction gives?
fn formatted(row: &Row) -> bool {
    use BufferOp::{Load, Store};
    let element = match row.does {
        Does::Buffer(Load(e) | Store(e)) => e,
        _ => return false,
    };
    matches!(element, Element::Format(_) | Element::Typed(_))
}
