//! LDS: a wave's own part, those of others, accumulators and counters.

use upset_gcn::inst::{Detail, Inst, Share};
use upset_gcn::operand::Operand;
use upset_gcn::row::{Offsets, Row};
use upset_gcn::sem::Does;
use upset_gcn::sem::share::{ShareAccess, ShareOp};

use super::emit::{Emitter, bare, inst, lengthened, row, rows};
use super::registers::{s, sgpr, v, vgpr};
use super::shape::{ACCUMULATOR_GROUP, SHARE};

/// Commutative operations, one for each group of accumulators.
const ACCUMULATIONS: [[&str; 2]; 8] = [
    ["add_u32", "sub_u32"],
    ["min_i32", "min_rtn_i32"],
    ["min_u32", "min_rtn_u32"],
    ["max_i32", "max_rtn_i32"],
    ["max_u32", "max_rtn_u32"],
    ["and_b32", "and_rtn_b32"],
    ["or_b64", "or_rtn_b32"],
    ["xor_b32", "xor_rtn_b64"],
];

fn operation(row: &Row) -> Option<ShareOp> {
    match row.does {
        Does::Share(op) => Some(op),
        _ => None,
    }
}

impl Emitter<'_> {
    /// Where the wave's own part of LDS begins, or that of a wave of the group
    /// in the other buffer; the register behind it is scratch.
    pub fn share_base(&mut self, to: u8, own: bool) {
        let (to, member) = (sgpr(to), sgpr(to + 1));
        let (parity, buffer) = (sgpr(s::PARITY), Operand::Literal(self.shape.share()));
        if own {
            self.op("s_mul_i32", to, &[parity, buffer]);
            self.op("s_mul_i32", member, &[sgpr(s::MEMBER), Operand::Literal(SHARE)]);
            self.op("s_add_u32", to, &[to, member]);
        } else {
            let member = self.rng.below(self.shape.waves()) * SHARE;
            self.op("s_xor_b32", to, &[parity, Operand::Int(1)]);
            self.op("s_mul_i32", to, &[to, buffer]);
            self.op("s_add_u32", to, &[to, Operand::Literal(member)]);
        }
    }

    /// The limit of LDS: none, all of it, or somewhere in a part that begins at
    /// a register.
    fn limit(&mut self, base: u8) {
        match self.rng.below(6) {
            0 => {
                let some = Operand::Literal(self.rng.below(SHARE));
                self.op("s_add_u32", Operand::M0, &[sgpr(base), some]);
            }
            1 => self.op("s_mov_b32", Operand::M0, &[Operand::Literal(self.shape.lds())]),
            _ => self.op("s_mov_b32", Operand::M0, &[Operand::Int(-1)]),
        }
    }

    /// A row's access to a part that begins at a register.
    fn share(&mut self, row: &'static Row, base: u8, to: Option<Operand>) {
        let Some(op) = operation(row) else { return };
        let (bytes, unit) = (u32::from(op.bytes), u32::from(op.unit));
        // How far offsets may lead, and lanes from there.
        let (offset, reach) = match (op.access, row.offsets) {
            (ShareAccess::FromLds(_), _) => {
                let distance = 4 * self.rng.below(32);
                let back = self.one_in(2);
                let words =
                    if back { (distance / 4).wrapping_neg() & 0x7fff } else { distance / 4 };
                (words as u16, SHARE - 264)
            }
            (_, Offsets::Two) => {
                let most = (SHARE / unit).min(64);
                let (a, b) = (self.rng.below(most), self.rng.below(most));
                ((a | b << 8) as u16, SHARE - a.max(b) * unit - bytes)
            }
            (_, Offsets::One) => (self.rng.below(256) as u16, SHARE - 264),
        };
        let address = vgpr(v::ADDRESS);
        self.lane_offset(v::ADDRESS, reach);
        self.add(address, sgpr(base));
        if matches!(op.access, ShareAccess::FromLds(_)) {
            // Distances go both ways.
            self.add(address, Operand::Int(64));
            self.add(address, Operand::Int(64));
        }
        let mut one = bare(row);
        one.src[0] = address;
        for n in 1..3 {
            let dwords = row.src[n].kind.dwords;
            if dwords > 0 {
                one.src[n] = self.pool(dwords);
            }
        }
        if row.dst.kind.dwords > 0 {
            one.dst = match to {
                Some(to) => to,
                None => self.pool(row.dst.kind.dwords),
            };
        }
        one.detail = Detail::Share(Share { offset, gds: false });
        self.push(one);
    }

    /// Adds to a vector register; carries go to VCC or to nobody.
    fn add(&mut self, to: Operand, value: Operand) {
        let mut one = inst("v_add_i32", to, &[value, to]);
        if self.one_in(2) {
            one = Inst { flag: sgpr(s::PAIR + 2), ..lengthened(one) };
        }
        self.push(one);
    }

    fn share_rows(&mut self, is: impl Fn(ShareAccess) -> bool) -> Vec<&'static Row> {
        rows(upset_gcn::Format::Ds)
            .filter(|row| operation(row).is_some_and(|op| is(op.access)))
            .collect()
    }

    /// Accesses to the wave's own part, some at once.
    pub fn own_share(&mut self) {
        self.keeping_scc(|e| {
            e.share_base(s::PAIR, true);
            e.limit(s::PAIR);
            for _ in 0..1 + e.rng.below(3) {
                let kind = e.rng.below(8);
                let all = e.share_rows(|access| match access {
                    ShareAccess::Read { .. } => kind < 3,
                    ShareAccess::Write => (3..5).contains(&kind),
                    ShareAccess::Atomic(_) => (5..7).contains(&kind),
                    ShareAccess::FromLds(_) => kind == 7,
                    ShareAccess::Swizzle | ShareAccess::Count(_) => false,
                });
                let row = e.rng.pick(&all);
                e.share(row, s::PAIR, None);
            }
        });
    }

    /// Loads of another wave's part.
    pub fn peer_share(&mut self) {
        self.keeping_scc(|e| {
            e.share_base(s::PAIR, false);
            e.limit(s::PAIR);
            for _ in 0..1 + e.rng.below(2) {
                let all = e.share_rows(|access| matches!(access, ShareAccess::Read { .. }));
                let row = e.rng.pick(&all);
                e.share(row, s::PAIR, None);
            }
        });
    }

    /// A reduction in LDS; a returned value is nobody's business.
    pub fn accumulate(&mut self) {
        let group = self.rng.below(ACCUMULATIONS.len() as u32);
        let name = ACCUMULATIONS[group as usize][self.rng.below(2) as usize];
        let row = row(&format!("ds_{name}"));
        self.op("s_mov_b32", Operand::M0, &[Operand::Int(-1)]);
        self.lane_offset_within(v::ADDRESS, ACCUMULATOR_GROUP);
        let mut one = bare(row);
        one.src[0] = vgpr(v::ADDRESS);
        one.src[1] = self.pool(row.src[1].kind.dwords);
        if row.dst.kind.dwords > 0 {
            one.dst = vgpr(v::DATA);
        }
        let offset = (self.shape.accumulators() + group * ACCUMULATOR_GROUP) as u16;
        one.detail = Detail::Share(Share { offset, gds: false });
        self.push(one);
    }

    /// Loads of accumulators.
    pub fn gather(&mut self) {
        self.op("s_mov_b32", Operand::M0, &[Operand::Int(-1)]);
        for _ in 0..1 + self.rng.below(3) {
            self.lane_offset_within(v::ADDRESS, super::shape::ACCUMULATORS);
            let dst = self.pool(1);
            let offset = self.shape.accumulators() as u16;
            self.push(Inst {
                dst,
                src: [vgpr(v::ADDRESS), Operand::None, Operand::None, Operand::None],
                detail: Detail::Share(Share { offset, gds: false }),
                ..bare(row("ds_read_b32"))
            });
        }
    }

    /// A counter for the wave.
    pub fn count(&mut self) {
        self.keeping_scc(|e| {
            e.share_base(s::PAIR, true);
            e.op("s_mov_b32", Operand::M0, &[sgpr(s::PAIR)]);
            let name = e.rng.pick(&["ds_append", "ds_consume"]);
            let offset = e.rng.below(SHARE - 4) as u16;
            let dst = e.pool(1);
            e.push(Inst {
                dst,
                detail: Detail::Share(Share { offset, gds: false }),
                ..bare(row(name))
            });
        });
    }
}
