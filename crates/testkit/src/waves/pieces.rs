//! Pieces of memory that a wave may access, and descriptors of all kinds around
//! them.

use upset_gcn::inst::Buffer;
use upset_gcn::operand::Operand;

use super::emit::Emitter;
use super::registers::{Region, s, sgpr, v, vgpr};
use super::shape::SLOTS;

/// A piece of memory: where it begins, and bytes that may be accessed.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    /// The pair that holds its address.
    pub base: u8,
    /// Bytes from there on.
    pub bytes: u32,
}

/// How lanes name their places in a piece.
pub(crate) struct Addressing {
    pub fields: Buffer,
    pub address: Operand,
    pub descriptor: Operand,
    pub soffset: Operand,
}

/// Elements of the largest access lie within a piece when they begin so many
/// bytes before its end.
const LARGEST: u32 = 16;

impl Emitter<'_> {
    /// The pair `to` becomes a pointer and some bytes, times a scalar register where there is one.
    pub fn point(&mut self, to: u8, region: Region, bytes: u32, times: Option<(u8, u32)>) {
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

    pub fn own_piece(&mut self) -> Piece {
        self.point(s::PAIR, Region::Slots, 0, Some((s::WAVE, SLOTS)));
        self.add_parity(s::PAIR, true);
        Piece { base: s::PAIR, bytes: SLOTS }
    }

    pub fn peer_piece(&mut self) -> Piece {
        let bytes = SLOTS * self.shape.waves();
        self.point(s::PAIR, Region::Slots, 0, Some((s::GROUP, bytes)));
        self.add_parity(s::PAIR, false);
        Piece { base: s::PAIR, bytes }
    }

    pub fn input_piece(&mut self) -> Piece {
        Piece { base: Region::Input.pointer(), bytes: self.shape.input }
    }

    /// A descriptor and registers, so that every lane is in the piece or out of
    /// the descriptor's range.
    pub fn addressing(&mut self, piece: Piece) -> Addressing {
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
    pub fn descriptor(&mut self, piece: Piece, stride: u32, records: u32, flags: u32) -> Operand {
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

    /// Offsets of lanes in a few bytes, a power of two.
    pub fn lane_offset_within(&mut self, to: u8, bytes: u32) {
        let from = if self.one_in(2) { vgpr(v::LANE) } else { self.pool(1) };
        self.op("v_lshlrev_b32", vgpr(to), &[Operand::Int(2), from]);
        self.op("v_and_b32", vgpr(to), &[Operand::Literal(bytes - 1), vgpr(to)]);
    }
}
