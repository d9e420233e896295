//! Accesses to memory: loads, stores, atomics, reductions, scalar reads.

use upset_gcn::Format;
use upset_gcn::inst::{Buffer, Detail, Scalar};
use upset_gcn::operand::Operand;
use upset_gcn::row::Row;
use upset_gcn::sem::Does;
use upset_gcn::sem::buffer::{BufferOp, Element};

use super::emit::{Emitter, bare, row, rows};
use super::pieces::{Addressing, Piece};
use super::registers::{Region, s, sgpr, v, vgpr};
use super::shape::SHARE;

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

    /// A dword of each lane goes from the input to the wave's own part of LDS.
    pub fn load_to_share(&mut self) {
        self.keeping_scc(|e| {
            let piece = e.input_piece();
            let all: Vec<_> = rows(Format::Mubuf).filter(|row| row.to_lds).collect();
            let at = e.addressing(piece);
            e.share_base(s::PAIR + 2, true);
            // The instruction's offset counts twice.
            let most = SHARE - 256 - u32::from(at.fields.offset).next_multiple_of(4);
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
