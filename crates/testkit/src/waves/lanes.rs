//! Values between lanes, registers that M0 selects, MODE, and what leaves
//! registers as they are.

use upset_gcn::inst::{Detail, Inst, Share};
use upset_gcn::operand::Operand;

use super::emit::{Emitter, bare, constant, mode_bits, row};
use super::registers::{s, v};

impl Emitter<'_> {
    /// Values from lane to lane and between lanes and scalar registers.
    pub fn lanes(&mut self) {
        let to = self.scalar_pool(1);
        let from = self.pool(1);
        match self.rng.below(6) {
            0 => self.op("v_readfirstlane_b32", to, &[from]),
            1 => {
                let lane = self.lane_number();
                self.op("v_readlane_b32", to, &[from, lane]);
            }
            2 => {
                let lane = self.lane_number();
                // One scalar register is all that can be read, with a constant beside it.
                let value = match lane {
                    Operand::Int(_) => self.scalar_pool(1),
                    _ => Operand::Int(self.rng.below(65) as i8),
                };
                self.op("v_writelane_b32", from, &[value, lane]);
            }
            3 => {
                let mask = self.scalar_source(1);
                let mask =
                    if matches!(mask, Operand::Literal(_)) { Operand::Int(-1) } else { mask };
                let half = self.rng.pick(&["v_mbcnt_lo_u32_b32", "v_mbcnt_hi_u32_b32"]);
                let (d, add) = (self.pool(1), self.pool(1));
                self.op(half, d, &[mask, add]);
            }
            _ => {
                let d = self.pool(1);
                let offset = self.rng.u32() as u16;
                self.push(Inst {
                    dst: d,
                    src: [from, Operand::None, Operand::None, Operand::None],
                    detail: Detail::Share(Share { offset, gds: false }),
                    ..bare(row("ds_swizzle_b32"))
                });
            }
        }
    }

    fn lane_number(&mut self) -> Operand {
        match self.rng.below(3) {
            0 => self.scalar_pool(1),
            1 => Operand::M0,
            _ => Operand::Int(self.rng.below(64) as i8),
        }
    }

    /// A move between registers that M0 selects, within the pool.
    pub fn relative(&mut self) {
        let vector = self.one_in(2);
        let pool = if vector { self.shape.vector_pool } else { self.shape.scalar_pool };
        let wide = !vector && self.one_in(2);
        // A mask that keeps the register in the pool, and pairs at even numbers.
        let span = 1u8 << (u32::from(pool) / 2).ilog2();
        let keep = if wide { span - 2 } else { span - 1 };
        let from = self.scalar_pool(1);
        self.op("s_and_b32", Operand::M0, &[from, Operand::Int(keep as i8)]);
        let base = if vector { v::POOL } else { s::POOL };
        let low = self.rng.below(u32::from(pool - span) / 2 + 1) as u8 * if wide { 2 } else { 1 };
        let low = low.min(pool - span);
        if vector {
            let (near, far) = (Operand::Vgpr(base + low), self.pool(1));
            match self.rng.below(3) {
                0 => self.op("v_movrels_b32", far, &[near]),
                1 => self.op("v_movreld_b32", near, &[far]),
                _ => self.op("v_movrelsd_b32", near, &[near]),
            }
        } else {
            let dwords = if wide { 2 } else { 1 };
            let (near, far) = (Operand::Sgpr(base + low), self.scalar_pool(dwords));
            let bits = 32 * dwords;
            if self.one_in(2) {
                self.op(&format!("s_movrels_b{bits}"), far, &[near]);
            } else {
                self.op(&format!("s_movreld_b{bits}"), near, &[far]);
            }
        }
    }

    /// MODE is read or changed: rounding, denormals, clamping, IEEE.
    pub fn mode(&mut self) {
        let first = self.rng.below(10);
        let count = 1 + self.rng.below(10 - first);
        let field = Detail::Imm(mode_bits(first, count));
        match self.rng.below(3) {
            0 => {
                // Other registers read as zero.
                let any = if self.one_in(3) { self.rng.u32() as u16 & 0xffc7 } else { 0 };
                let detail = if any == 0 { field } else { Detail::Imm(any) };
                let dst = self.scalar_pool(1);
                self.push(Inst { dst, detail, ..bare(row("s_getreg_b32")) });
            }
            1 => {
                let mut one = Inst { detail: field, ..bare(row("s_setreg_b32")) };
                one.src[0] = self.scalar_pool(1);
                self.push(one);
            }
            _ => {
                let mut one = Inst { detail: field, ..bare(row("s_setreg_imm32_b32")) };
                one.src[0] = Operand::Literal(self.rng.u32());
                self.push(one);
            }
        }
    }

    /// Vector instructions are skipped, or not, as a bit says.
    pub fn skip(&mut self) {
        let (bits, bit) = (self.scalar_pool(1), self.scalar_source(1));
        self.op("s_setvskip", Operand::None, &[bits, bit]);
        self.vector();
        if self.one_in(2) {
            self.scalar();
        }
        self.op("s_setvskip", Operand::None, &[Operand::Int(0), Operand::Int(0)]);
    }

    /// Caches emptied, pauses, priorities: values stay as they are.
    pub fn quiet(&mut self) {
        match self.rng.below(8) {
            0 => self.push(bare(row("buffer_wbinvl1"))),
            1 => self.push(bare(row("buffer_wbinvl1_sc"))),
            2 => self.push(bare(row("s_dcache_inv"))),
            3 => self.imm("s_icache_inv", 0),
            4 => {
                let n = self.rng.below(8) as u16;
                self.push(constant("s_nop", n));
            }
            5 => self.imm("s_sleep", 1),
            6 => {
                let n = self.rng.below(4) as u16;
                self.imm("s_setprio", n);
            }
            _ => self.push(bare(row("v_nop"))),
        }
    }
}
