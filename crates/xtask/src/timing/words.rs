//! A small assembler for the words that the frame (`kernels/micro/frame`) runs.
//!
//! Only what the stall and issue tests need, sm_90. The patterns are words of
//! compiled kernels with registers and scheduling taken out; a test reads them
//! back with the disassembler.

use upset_sass::Word;

/// Scheduling of one instruction.
#[derive(Clone, Copy)]
pub struct Ctl {
    /// Cycles before the warp may issue again.
    pub stall: u8,
    /// Leave the slot after this one to another warp.
    pub yields: bool,
    /// Scoreboard released when the result is written.
    pub write: Option<u8>,
    /// Scoreboard released when the operands have been read.
    pub read: Option<u8>,
    /// Scoreboards to wait for, as a mask.
    pub wait: u8,
    /// Sources kept for reuse, as a mask.
    pub reuse: u8,
}

impl Ctl {
    /// Fixed latency, this stall, no yield if the encoding allows it.
    pub const fn stall(stall: u8) -> Ctl {
        Ctl { stall, yields: stall > 11, write: None, read: None, wait: 0, reuse: 0 }
    }

    fn bits(self) -> u128 {
        let stall = u128::from(self.stall) | if self.yields { 0 } else { 16 };
        let board = |b: Option<u8>| u128::from(b.unwrap_or(7));
        stall << 105
            | board(self.write) << 110
            | board(self.read) << 113
            | u128::from(self.wait) << 116
            | u128::from(self.reuse) << 122
    }
}

/// A word without scheduling.
#[derive(Clone, Copy)]
pub struct Op(pub u128);

impl Op {
    /// The word with its scheduling.
    pub fn with(self, ctl: Ctl) -> Word {
        Word(self.0 | ctl.bits())
    }

    /// The word with this stall.
    pub fn stall(self, stall: u8) -> Word {
        self.with(Ctl::stall(stall))
    }

    /// Guarded by `P<p>`.
    pub fn guard(self, p: u8) -> Op {
        Op(self.0 & !(15 << 12) | u128::from(p) << 12)
    }

    /// Guarded by `!P<p>`.
    pub fn guard_not(self, p: u8) -> Op {
        Op(self.guard(p).0 | 1 << 15)
    }
}

/// Fields of a three-source operation.
const fn three(pattern: u128, d: u8, a: u8, b: u8, c: u8) -> Op {
    Op(pattern | (d as u128) << 16 | (a as u128) << 24 | (b as u128) << 32 | (c as u128) << 64)
}

/// The register that reads zero.
pub const RZ: u8 = 255;

/// `NOP`.
pub const fn nop() -> Op {
    Op(0x7918)
}
/// `MOV Rd, imm`.
pub const fn mov(d: u8, imm: u32) -> Op {
    Op(0x0f00_0000_0000_0000_7802 | (d as u128) << 16 | (imm as u128) << 32)
}
/// `MOV Rd, Ra`.
pub const fn mov_reg(d: u8, a: u8) -> Op {
    Op(0x0f00_0000_0000_0000_7202 | (d as u128) << 16 | (a as u128) << 32)
}
/// `MOV Rd, URa`.
pub const fn mov_uniform(d: u8, ua: u8) -> Op {
    Op(0x0800_0f00_0000_0000_0000_7c02 | (d as u128) << 16 | (ua as u128) << 32)
}
/// `IADD3 Rd, Ra, Rb, Rc`.
pub const fn iadd3(d: u8, a: u8, b: u8, c: u8) -> Op {
    three(0x07ff_e000_0000_0000_0000_7210, d, a, b, c)
}
/// `LOP3.LUT Rd, Ra, Rb, Rc, lut`.
pub const fn lop3(d: u8, a: u8, b: u8, c: u8, lut: u8) -> Op {
    Op(three(0x078e_0000_0000_0000_0000_7212, d, a, b, c).0 | (lut as u128) << 72)
}
/// `SHF.L.W.U32.HI Rd, Ra, Rb, Rc`: a funnel shift.
pub const fn shf(d: u8, a: u8, b: u8, c: u8) -> Op {
    three(0x0001_0e00_0000_0000_0000_7219, d, a, b, c)
}
/// `PRMT Rd, Ra, Rb, Rc`.
pub const fn prmt(d: u8, a: u8, b: u8, c: u8) -> Op {
    three(0x7216, d, a, b, c)
}
/// `SEL Rd, Ra, Rb, Pp`.
pub const fn sel(d: u8, a: u8, b: u8, p: u8) -> Op {
    Op(three(0x7207, d, a, b, 0).0 | (p as u128) << 87)
}
/// `IMAD Rd, Ra, Rb, Rc`.
pub const fn imad(d: u8, a: u8, b: u8, c: u8) -> Op {
    three(0x078e_0200_0000_0000_0000_7224, d, a, b, c)
}
/// `IMAD.WIDE.U32 Rd, Ra, Rb, Rc`.
pub const fn imad_wide(d: u8, a: u8, b: u8, c: u8) -> Op {
    three(0x078e_0000_0000_0000_0000_7225, d, a, b, c)
}
/// `FADD Rd, Ra, Rb`.
pub const fn fadd(d: u8, a: u8, b: u8) -> Op {
    three(0x7221, d, a, b, 0)
}
/// `FMUL Rd, Ra, Rb`.
pub const fn fmul(d: u8, a: u8, b: u8) -> Op {
    three(0x0040_0000_0000_0000_0000_7220, d, a, b, 0)
}
/// `FFMA Rd, Ra, Rb, Rc`.
pub const fn ffma(d: u8, a: u8, b: u8, c: u8) -> Op {
    three(0x7223, d, a, b, c)
}
/// `HFMA2 Rd, Ra, Rb, Rc`.
pub const fn hfma2(d: u8, a: u8, b: u8, c: u8) -> Op {
    three(0x7231, d, a, b, c)
}
/// `HFMA2.MMA Rd, Ra, Rb, Rc`.
pub const fn hfma2_mma(d: u8, a: u8, b: u8, c: u8) -> Op {
    three(0x7235, d, a, b, c)
}
/// `DFMA Rd, Ra, Rb, Rc`.
pub const fn dfma(d: u8, a: u8, b: u8, c: u8) -> Op {
    three(0x722b, d, a, b, c)
}
/// `DADD Rd, Ra, Rc`.
pub const fn dadd(d: u8, a: u8, c: u8) -> Op {
    three(0x7229, d, a, 0, c)
}
/// `I2FP.F32.S32 Rd, Rb`.
pub const fn i2fp(d: u8, b: u8) -> Op {
    three(0x0020_1400_0000_0000_0000_7245, d, 0, b, 0)
}
/// `ISETP.NE.U32.AND Pp, PT, Ra, Rb, PT`.
pub const fn isetp_ne(p: u8, a: u8, b: u8) -> Op {
    Op(three(0x03f0_5070_0000_0000_0000_720c, 0, a, b, 0).0 & !(7 << 81) | (p as u128) << 81)
}
/// `VOTE.ANY Rd, PT, Pp`.
pub const fn vote(d: u8, p: u8) -> Op {
    Op(0x000e_0100_0000_0000_0000_7806 | (d as u128) << 16 | (p as u128) << 87)
}
/// `MUFU.EX2 Rd, Rb`.
pub const fn mufu_ex2(d: u8, b: u8) -> Op {
    three(0x0800_0000_0000_0000_7308, d, 0, b, 0)
}
/// `POPC Rd, Rb`.
pub const fn popc(d: u8, b: u8) -> Op {
    three(0x7309, d, 0, b, 0)
}
/// `FLO.U32 Rd, Rb`.
pub const fn flo(d: u8, b: u8) -> Op {
    three(0x000e_0000_0000_0000_0000_7300, d, 0, b, 0)
}
/// `BREV Rd, Rb`.
pub const fn brev(d: u8, b: u8) -> Op {
    three(0x7301, d, 0, b, 0)
}
/// `F2I.TRUNC.NTZ Rd, Rb`.
pub const fn f2i(d: u8, b: u8) -> Op {
    three(0x0020_f100_0000_0000_0000_7305, d, 0, b, 0)
}
/// `I2F.F64 Rd, Rb`.
pub const fn i2f_f64(d: u8, b: u8) -> Op {
    three(0x0020_1c00_0000_0000_0000_7312, d, 0, b, 0)
}
/// `SHFL.BFLY PT, Rd, Ra, 0x1, 0x1f`.
pub const fn shfl(d: u8, a: u8) -> Op {
    three(0x000e_0000_0c20_1f00_0000_7f89, d, a, 0, 0)
}
/// `S2R Rd, SR_LANEID`.
pub const fn s2r_lane(d: u8) -> Op {
    Op(0x7919 | (d as u128) << 16)
}
/// `CS2R.32 Rd, SR_CLOCKLO`.
pub const fn clock(d: u8) -> Op {
    Op(0x5000_0000_0000_0000_7805 | (d as u128) << 16)
}
/// `LDC.64 Rd, c[0x0][offset]`.
pub const fn ldc64(d: u8, offset: u32) -> Op {
    Op(0x0a00_0000_0000_ff00_7b82 | (d as u128) << 16 | (offset as u128) << 38)
}
/// `LDC Rd, c[0x0][Ra + offset]`.
pub const fn ldc(d: u8, a: u8, offset: u32) -> Op {
    Op(0x0800_0000_0000_0000_7b82 | (d as u128) << 16 | (a as u128) << 24 | (offset as u128) << 38)
}

/// Width of a memory access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
    /// 128 bits.
    W128,
}

impl Width {
    const fn bits(self) -> u128 {
        (match self {
            Width::W32 => 4,
            Width::W64 => 5,
            Width::W128 => 6,
        }) << 73
    }
}

/// The uniform register pair in which the frame keeps its memory descriptor.
const DESCRIPTOR: u128 = 6;

/// `LDG.E Rd, [Ra.64 + offset]`.
pub const fn ldg(width: Width, d: u8, a: u8, offset: u32) -> Op {
    Op(0x0c1e_1100_0000_0000_0000_7981
        | width.bits()
        | DESCRIPTOR << 32
        | (d as u128) << 16
        | (a as u128) << 24
        | (offset as u128) << 40)
}
/// `STG.E [Ra.64 + offset], Rb`.
pub const fn stg(width: Width, a: u8, offset: u32, b: u8) -> Op {
    Op(0x0c10_1100_0000_0000_0000_7986
        | width.bits()
        | DESCRIPTOR << 64
        | (a as u128) << 24
        | (b as u128) << 32
        | (offset as u128) << 40)
}
/// `LDS Rd, [Ra + offset]`.
pub const fn lds(width: Width, d: u8, a: u8, offset: u32) -> Op {
    Op(0x7984 | width.bits() | (d as u128) << 16 | (a as u128) << 24 | (offset as u128) << 40)
}
/// `STS [Ra + offset], Rb`.
pub const fn sts(width: Width, a: u8, offset: u32, b: u8) -> Op {
    Op(0x7388 | width.bits() | (a as u128) << 24 | (b as u128) << 32 | (offset as u128) << 40)
}
/// `UIADD3 URd, URa, imm, URZ`.
pub const fn uiadd3(d: u8, a: u8, imm: u32) -> Op {
    Op(0x0fff_e03f_0000_0000_0000_7890
        | (d as u128) << 16
        | (a as u128) << 24
        | (imm as u128) << 32)
}
/// `UMOV URd, imm`.
pub const fn umov(d: u8, imm: u32) -> Op {
    Op(0x7882 | (d as u128) << 16 | (imm as u128) << 32)
}
/// `ULDC URd, c[0x0][offset]`.
pub const fn uldc(d: u8, offset: u32) -> Op {
    Op(0x0800_0000_0000_0000_7ab9 | (d as u128) << 16 | (offset as u128) << 38)
}
/// `R2UR URd, Ra`.
pub const fn r2ur(d: u8, a: u8) -> Op {
    Op(0x000e_0000_0000_0000_0000_72ca | (d as u128) << 16 | (a as u128) << 24)
}
/// `IADD3 Rd, Ra, URb, Rc`.
pub const fn iadd3_uniform(d: u8, a: u8, ub: u8, c: u8) -> Op {
    three(0x0fff_e000_0000_0000_0000_7c10, d, a, ub, c)
}
/// `BRA` to the word after it.
pub const fn bra_next() -> Op {
    Op(0x0380_0000_0000_0000_0000_7947)
}
/// `BRA` over the word after it.
pub const fn bra_over() -> Op {
    Op(bra_next().0 | 4 << 16)
}
/// `BSSY B0` to the word after the next.
pub const fn bssy_next() -> Op {
    Op(0x0380_0000_0000_0010_0000_7945)
}
/// `WARPSYNC.ALL`.
pub const fn warpsync() -> Op {
    Op(0x0380_0000_0000_0000_0000_7948)
}
/// `BSYNC B0`.
pub const fn bsync() -> Op {
    Op(0x0380_0000_0000_0000_0000_7941)
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_sass::{Arch, decode::decode, disasm};

    fn text(op: Op) -> String {
        let word = op.stall(4);
        let decoded = decode(word, Arch::Sm90).unwrap_or_else(|e| panic!("{word:?}: {e:?}"));
        disasm::text(&decoded, 0)
    }

    #[test]
    fn words_read_as_they_are_named() {
        use Width::*;
        for (op, expected) in [
            (nop(), "NOP"),
            (mov(8, 0x123), "MOV R8, 0x123"),
            (mov_reg(8, 9), "MOV R8, R9"),
            (mov_uniform(8, 4), "MOV R8, UR4"),
            (iadd3(8, 9, 10, RZ), "IADD3 R8, R9, R10, RZ"),
            (lop3(8, 9, 10, 11, 0x1b), "LOP3.LUT R8, R9, R10, R11, 0x1b, !PT"),
            (shf(8, 9, 10, 11), "SHF.L.W.U32.HI R8, R9, R10, R11"),
            (prmt(8, 9, 10, 11), "PRMT R8, R9, R10, R11"),
            (sel(8, 9, 10, 1), "SEL R8, R9, R10, P1"),
            (imad(8, 9, 10, 11), "IMAD R8, R9, R10, R11"),
            (imad_wide(8, 10, 12, 14), "IMAD.WIDE.U32 R8, R10, R12, R14"),
            (fadd(8, 9, 10), "FADD R8, R9, R10"),
            (fmul(8, 9, 10), "FMUL R8, R9, R10"),
            (ffma(8, 9, 10, 11), "FFMA R8, R9, R10, R11"),
            (hfma2(8, 9, 10, 11), "HFMA2 R8, R9, R10, R11"),
            (hfma2_mma(8, 9, 10, 11), "HFMA2.MMA R8, R9, R10, R11"),
            (dfma(8, 10, 12, 14), "DFMA R8, R10, R12, R14"),
            (dadd(8, 10, 14), "DADD R8, R10, R14"),
            (i2fp(8, 9), "I2FP.F32.S32 R8, R9"),
            (isetp_ne(1, 9, 10), "ISETP.NE.U32.AND P1, PT, R9, R10, PT"),
            (vote(8, 1), "VOTE.ANY R8, PT, P1"),
            (mufu_ex2(8, 9), "MUFU.EX2 R8, R9"),
            (popc(8, 9), "POPC R8, R9"),
            (flo(8, 9), "FLO.U32 R8, R9"),
            (brev(8, 9), "BREV R8, R9"),
            (f2i(8, 9), "F2I.TRUNC.NTZ R8, R9"),
            (i2f_f64(8, 9), "I2F.F64 R8, R9"),
            (shfl(8, 9), "SHFL.BFLY PT, R8, R9, 0x1, 0x1f"),
            (s2r_lane(8), "S2R R8, SR_LANEID"),
            (clock(8), "CS2R.32 R8, SR_CLOCKLO"),
            (ldc64(8, 0x218), "LDC.64 R8, c[0x0][0x218]"),
            (ldc(8, 9, 0x10), "LDC R8, c[0x0][R9+0x10]"),
            (ldg(W32, 8, 40, 4), "LDG.E R8, [R40.64+0x4]"),
            (ldg(W64, 8, 40, 0), "LDG.E.64 R8, [R40.64]"),
            (ldg(W128, 8, 40, 0), "LDG.E.128 R8, [R40.64]"),
            (stg(W32, 40, 4, 8), "STG.E [R40.64+0x4], R8"),
            (lds(W128, 8, 40, 16), "LDS.128 R8, [R40+0x10]"),
            (sts(W64, 40, 8, 8), "STS.64 [R40+0x8], R8"),
            (uiadd3(10, 11, 3), "UIADD3 UR10, UR11, 0x3, URZ"),
            (umov(10, 3), "UMOV UR10, 0x3"),
            (uldc(10, 0x220), "ULDC UR10, c[0x0][0x220]"),
            (r2ur(10, 8), "R2UR UR10, R8"),
            (iadd3_uniform(8, 9, 10, RZ), "IADD3 R8, R9, UR10, RZ"),
            (bra_next(), "BRA 0x10"),
            (bra_over(), "BRA 0x20"),
            (bssy_next(), "BSSY B0, 0x20"),
            (bsync(), "BSYNC B0"),
            (warpsync(), "WARPSYNC.ALL"),
            (mov(8, 1).guard(1), "@P1 MOV R8, 0x1"),
            (mov(8, 1).guard_not(1), "@!P1 MOV R8, 0x1"),
        ] {
            assert_eq!(text(op), expected);
        }
    }
}
