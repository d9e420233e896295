//! The beginning of a kernel, where everything gets a value, and its end,
//! where everything that statements compute with is stored.

use upset_gcn::inst::{Buffer, Detail, Inst, Scalar, Share};
use upset_gcn::operand::Operand;

use super::emit::{Emitter, bare, constant, mode_bits, row};
use super::registers::{Region, s, sgpr, v, vgpr};
use super::shape::{SHARE, Shape};
use crate::Rng;

/// Words of a wave's results beside its pools: EXEC, VCC, M0, SCC, MODE.
const SPECIALS: u32 = 7;

/// Words that each lane stores in the end.
pub(crate) fn result_words(shape: &Shape) -> u32 {
    u32::from(shape.vector_pool) + u32::from(shape.scalar_pool) + SPECIALS
}

const EXEC: Operand = Operand::ExecLo;

impl Emitter<'_> {
    /// Everything gets a value.
    pub fn prologue(&mut self, key: u64) {
        self.rng = Rng::new(key);
        self.numbers();
        self.op("s_mov_b64", sgpr(s::INITIAL), &[EXEC]);
        self.op("s_mov_b64", EXEC, &[Operand::Int(-1)]);
        let lane = vgpr(v::LANE);
        self.op("v_mbcnt_lo_u32_b32", lane, &[Operand::Int(-1), Operand::Int(0)]);
        self.op("v_mbcnt_hi_u32_b32", lane, &[Operand::Int(-1), lane]);
        self.scalars();
        self.vectors();
        self.lds();
        if !self.shape.all_lanes {
            self.op("s_mov_b64", EXEC, &[sgpr(s::INITIAL)]);
        }
    }

    /// Pointers, and the numbers of work-group and wave.
    fn numbers(&mut self) {
        let [gx, gy, _] = self.shape.grid;
        let [bx, by, _] = self.shape.block;
        let mut load = bare(row("s_load_dwordx8"));
        load.dst = sgpr(s::POINTERS);
        load.src[0] = sgpr(0);
        load.detail = Detail::Scalar(Scalar { offset: Some(0) });
        self.push(load);
        // Work-group in s2, s3, s4; work-item in v0, v1, v2.
        let group = sgpr(s::GROUP);
        self.op("s_mul_i32", group, &[sgpr(4), Operand::Literal(gy)]);
        self.op("s_add_u32", group, &[group, sgpr(3)]);
        self.op("s_mul_i32", group, &[group, Operand::Literal(gx)]);
        self.op("s_add_u32", group, &[group, sgpr(2)]);
        let t = sgpr(s::WORD);
        let item = vgpr(v::WORD);
        self.op("s_mov_b32", t, &[Operand::Literal(by)]);
        self.op("v_mul_lo_u32", item, &[vgpr(2), t]);
        self.op("v_add_i32", item, &[item, vgpr(1)]);
        self.op("s_mov_b32", t, &[Operand::Literal(bx)]);
        self.op("v_mul_lo_u32", item, &[item, t]);
        self.op("v_add_i32", item, &[item, vgpr(0)]);
        self.op("v_lshrrev_b32", item, &[Operand::Int(6), item]);
        self.op("v_readfirstlane_b32", sgpr(s::MEMBER), &[item]);
        let waves = Operand::Literal(self.shape.waves());
        self.op("s_mul_i32", sgpr(s::WAVE), &[group, waves]);
        self.op("s_add_u32", sgpr(s::WAVE), &[sgpr(s::WAVE), sgpr(s::MEMBER)]);
        self.op("s_mov_b32", sgpr(s::PARITY), &[Operand::Int(0)]);
    }

    /// Scalar registers: from the input, or constants.
    fn scalars(&mut self) {
        for n in (s::FORK..s::FORK + 4).chain(s::DESCRIPTOR..s::POOL).chain(6..8) {
            self.op("s_mov_b32", sgpr(n), &[Operand::Int(n as i8)]);
        }
        let mut at = 0;
        while at < self.shape.scalar_pool {
            let mut load = bare(row("s_load_dwordx4"));
            load.dst = sgpr(s::POOL + at);
            load.src[0] = sgpr(Region::Input.pointer());
            let offset = self.rng.below(250) as u8;
            load.detail = Detail::Scalar(Scalar { offset: Some(offset) });
            self.push(load);
            at += 4;
        }
        // Waves differ in some.
        for _ in 0..3 {
            let r = self.scalar_pool(1);
            self.op("s_xor_b32", r, &[r, sgpr(s::WAVE)]);
        }
        let (vcc, m0) = (self.scalar_pool(2), self.scalar_pool(1));
        self.op("s_mov_b64", Operand::VccLo, &[vcc]);
        self.op("s_mov_b32", Operand::M0, &[m0]);
        self.op("s_cmp_lg_u32", Operand::None, &[m0, sgpr(s::WAVE)]);
    }

    /// Vector registers of all lanes: from the input, or the lane's number
    /// turned into something.
    fn vectors(&mut self) {
        let input = Region::Input.pointer();
        let d = s::DESCRIPTOR;
        self.op("s_mov_b64", sgpr(d), &[sgpr(input)]);
        self.op("s_mov_b32", sgpr(d + 2), &[Operand::Literal(self.shape.input)]);
        self.op("s_mov_b32", sgpr(d + 3), &[Operand::Int(0)]);
        self.op("v_lshlrev_b32", vgpr(v::ADDRESS), &[Operand::Int(2), vgpr(v::LANE)]);
        for n in v::LOOP..v::POOL {
            if n != v::ADDRESS {
                self.op("v_mov_b32", vgpr(n), &[vgpr(v::LANE)]);
            }
        }
        for n in 0..self.shape.vector_pool {
            let to = vgpr(v::POOL + n);
            match self.rng.below(4) {
                0 => {
                    let factor = self.scalar_pool(1);
                    self.op("v_mul_lo_u32", to, &[factor, vgpr(v::LANE)]);
                }
                1 => {
                    self.op("v_cvt_f32_i32", to, &[vgpr(v::LANE)]);
                }
                _ => {
                    let offset = self.rng.below(512) as u16;
                    let fields = Buffer { offen: true, offset, ..Buffer::default() };
                    self.push(Inst {
                        dst: to,
                        src: [vgpr(v::ADDRESS), sgpr(d), Operand::Int(0), Operand::None],
                        detail: Detail::Buffer(fields),
                        ..bare(row("buffer_load_dword"))
                    });
                }
            }
        }
    }

    /// LDS: both parts of the wave, and accumulators by the first wave.
    fn lds(&mut self) {
        let (address, data) = (vgpr(v::ADDRESS), self.pool(2));
        self.op("s_mov_b32", Operand::M0, &[Operand::Int(-1)]);
        self.op("s_mul_i32", sgpr(s::WORD), &[sgpr(s::MEMBER), Operand::Literal(SHARE)]);
        let write = |e: &mut Self, name: &str, offset: u32| {
            let mut one = bare(row(name));
            (one.src[0], one.src[1]) = (address, data);
            one.detail = Detail::Share(Share { offset: offset as u16, gds: false });
            e.push(one);
        };
        self.op("v_lshlrev_b32", address, &[Operand::Int(4), vgpr(v::LANE)]);
        self.op("v_add_i32", address, &[sgpr(s::WORD), address]);
        for buffer in 0..2 {
            for half in 0..2 {
                write(self, "ds_write_b64", buffer * self.shape.share() + 8 * half);
            }
        }
        let first = self.label();
        self.op("s_cmp_lg_u32", Operand::None, &[sgpr(s::MEMBER), Operand::Int(0)]);
        self.jump("s_cbranch_scc1", first);
        self.op("v_lshlrev_b32", address, &[Operand::Int(3), vgpr(v::LANE)]);
        write(self, "ds_write_b64", self.shape.accumulators());
        self.place(first);
        self.imm("s_barrier", 0);
    }

    /// Everything that statements compute with is stored.
    pub fn epilogue(&mut self) {
        let kept = [s::PAIR, s::PAIR + 1, s::PAIR + 2, s::PAIR + 3];
        let (scc, mode) = (sgpr(s::WORD), sgpr(s::WORD + 1));
        self.op("s_cselect_b32", scc, &[Operand::Int(1), Operand::Int(0)]);
        self.op("s_mov_b64", sgpr(kept[0]), &[EXEC]);
        self.op("s_mov_b64", sgpr(kept[2]), &[Operand::VccLo]);
        let mut read = constant("s_getreg_b32", mode_bits(0, 32));
        read.dst = mode;
        self.push(read);
        self.op("s_mov_b64", EXEC, &[Operand::Int(-1)]);
        let d = s::DESCRIPTOR;
        let bytes = 256 * result_words(self.shape);
        let output = Region::Output.pointer();
        self.op("s_mul_i32", sgpr(d), &[sgpr(s::WAVE), Operand::Literal(bytes)]);
        self.op("s_add_u32", sgpr(d), &[sgpr(d), sgpr(output)]);
        self.op("s_addc_u32", sgpr(d + 1), &[sgpr(output + 1), Operand::Int(0)]);
        self.op("s_mov_b32", sgpr(d + 2), &[Operand::Literal(bytes)]);
        self.op("s_mov_b32", sgpr(d + 3), &[Operand::Int(0)]);
        self.op("v_lshlrev_b32", vgpr(v::ADDRESS), &[Operand::Int(2), vgpr(v::LANE)]);
        let scalars = (s::POOL..s::POOL + self.shape.scalar_pool).map(sgpr);
        let specials = kept.map(sgpr).into_iter().chain([Operand::M0, scc, mode]);
        let all: Vec<Operand> = (v::POOL..v::POOL + self.shape.vector_pool)
            .map(vgpr)
            .chain(scalars)
            .chain(specials)
            .collect();
        let at = sgpr(s::LOOP);
        for (n, from) in all.into_iter().enumerate() {
            let from = match from {
                Operand::Vgpr(_) => from,
                scalar => {
                    let to = vgpr(v::DATA + (n % 4) as u8);
                    self.op("v_mov_b32", to, &[scalar]);
                    to
                }
            };
            self.op("s_mov_b32", at, &[Operand::Literal(256 * n as u32)]);
            self.push(Inst {
                src: [vgpr(v::ADDRESS), sgpr(d), at, from],
                detail: Detail::Buffer(Buffer { offen: true, ..Buffer::default() }),
                ..bare(row("buffer_store_dword"))
            });
        }
        self.imm("s_endpgm", 0);
    }
}
