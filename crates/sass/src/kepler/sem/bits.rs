//! Logic, shifts, bit fields, counts, permutations.

use upset_isa::int::{bits, logic, permute, shift};
use upset_isa::{AluFn, Exec, Inst, Src, Width};

use super::{codes_unwritten, lanes};
use crate::LowerError;
use crate::kepler::{Fields, Form};

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

fn alu(f: &Fields, m: u32, exec: AluFn, src: [Src; 3]) -> Lowered {
    Ok(Inst { mods: m, dst: f.rd(W)?, src, ..f.inst(Exec::Alu(exec)) })
}

/// `.X` is not there yet.
fn without(f: &Fields, bit: u32, what: &'static str) -> Result<(), LowerError> {
    if f.bit(bit) { Err(LowerError::Unimplemented(what)) } else { Ok(()) }
}

/// The table of a logic operation of A and B, each inverted or not, as `LOP3` has it.
fn table(op: u64, invert_a: bool, invert_b: bool) -> u32 {
    let a = if invert_a { !0xf0 } else { 0xf0u32 };
    let b = if invert_b { !0xcc } else { 0xccu32 };
    let value = match op {
        0 => a & b,
        1 => a | b,
        2 => a ^ b,
        _ => b,
    };
    value & 0xff
}

/// `LOP`.
pub fn lop(f: &Fields) -> Lowered {
    without(f, 46, "LOP.X")?;
    let lut = table(f.bits(44, 2), f.bit(42), f.bit(43));
    let i = alu(f, lut, logic::lop3_for(lut), [f.ra(W)?, f.b(W)?, Src::Zero])?;
    Ok(with_codes(i, f.writes_cc(false)))
}

/// The same, with the codes of its result where the word says so.
fn with_codes(mut i: Inst, writes: bool) -> Inst {
    if writes {
        i.exec = Exec::AluCodes { f: lanes::coded::lop3, writes };
    }
    i
}

/// `LOP32I`.
pub fn lop32i(f: &Fields) -> Lowered {
    without(f, 60, "LOP32I.X")?;
    let lut = table(f.bits(56, 2), f.bit(58), f.bit(59));
    let i = alu(f, lut, logic::lop3_for(lut), [f.ra(W)?, Src::Imm(f.imm32()), Src::Zero])?;
    Ok(with_codes(i, f.writes_cc(true)))
}

/// `SHL`: the count is clamped, or wraps with `.W`.
pub fn shl(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    without(f, 46, "SHL.X")?;
    let wrap = u32::from(f.bit(42)) << shift::mods::WRAP;
    shifted(f, wrap, [f.ra(W)?, f.b(W)?, Src::Zero])
}

/// A shift by B; where the word says how far, that is worked out once.
fn shifted(f: &Fields, mods: u32, [a, b, c]: [Src; 3]) -> Lowered {
    use shift::mods as m;
    let Src::Imm(n) = b else { return alu(f, mods, shift::shf, [a, b, c]) };
    let z = Src::Zero;
    let to_the_right = 1 << m::RIGHT | 1 << m::HI;
    match mods & !(1 << m::WRAP) {
        0 if n < 32 => alu(f, n, shift::shl_fixed, [a, z, z]),
        kind if n < 32 && kind == to_the_right => alu(f, n, shift::shr_fixed, [z, z, c]),
        kind if n < 32 && kind == to_the_right | 1 << m::SIGNED => {
            alu(f, n, shift::sar_fixed, [z, z, c])
        }
        _ => alu(f, shift::fixed_count(mods, n), shift::shf_fixed, [a, z, c]),
    }
}

/// `SHR`: the high word of A above nothing, shifted to the right.
pub fn shr(f: &Fields) -> Lowered {
    use shift::mods as m;
    codes_unwritten(f)?;
    if f.bits(46, 2) != 0 || f.bit(43) {
        return Err(LowerError::Unimplemented("SHR.X and SHR.BREV"));
    }
    let mods = 1 << m::RIGHT
        | 1 << m::HI
        | u32::from(f.bit(42)) << m::WRAP
        | u32::from(f.bit(51)) << m::SIGNED;
    shifted(f, mods, [Src::Zero, f.b(W)?, f.ra(W)?])
}

/// `SHF`, as PTX defines `shf`: C above A are shifted; `.L` keeps the high word,
/// `.R` the low one.
fn funnel(f: &Fields, direction: u32) -> Lowered {
    use shift::mods as m;
    codes_unwritten(f)?;
    if f.bits(51, 2) != 0 {
        return Err(LowerError::Unimplemented("SHF.HI and SHF.X"));
    }
    let kind = match f.bits(40, 2) {
        0 => 0,
        2 => 1 << m::WIDE,
        3 => 1 << m::WIDE | 1 << m::SIGNED,
        _ => return Err(LowerError::IllegalEncoding),
    };
    let count = match f.form {
        Form::Imm => Src::Imm(f.bits(23, 6) as u32),
        _ => f.rb(W)?,
    };
    let mods = direction | kind | u32::from(f.bit(53)) << m::WRAP;
    shifted(f, mods, [f.ra(W)?, count, f.rc(W)?])
}

/// `SHF.L`.
pub fn shf_l(f: &Fields) -> Lowered {
    funnel(f, 1 << shift::mods::HI)
}

/// `SHF.R`.
pub fn shf_r(f: &Fields) -> Lowered {
    funnel(f, 1 << shift::mods::RIGHT)
}

/// `BFE`.
pub fn bfe(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let signed = if f.bit(51) { lanes::SIGNED } else { 0 };
    let reversed = if f.bit(43) { lanes::REVERSED } else { 0 };
    alu(f, signed | reversed, lanes::bfe, [f.ra(W)?, f.b(W)?, Src::Zero])
}

/// `BFI`.
pub fn bfi(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    alu(f, 0, lanes::bfi, [f.ra(W)?, f.b(W)?, f.c(W)?])
}

/// `PRMT`.
pub fn prmt(f: &Fields) -> Lowered {
    let mode = f.bits(51, 4) as u32;
    if mode > permute::mode::RC16 {
        return Err(LowerError::IllegalEncoding);
    }
    match f.b(W)? {
        Src::Imm(selector) if mode == permute::mode::INDEX => {
            alu(f, selector, permute::prmt_fixed, [f.ra(W)?, Src::Zero, f.c(W)?])
        }
        b => alu(f, mode, permute::prmt, [f.ra(W)?, b, f.c(W)?]),
    }
}

/// `POPC` of what A and B have in common.
pub fn popc(f: &Fields) -> Lowered {
    alu(f, f.bits(42, 2) as u32, lanes::integer::popc, [f.ra(W)?, f.b(W)?, Src::Zero])
}

/// `FLO`.
pub fn flo(f: &Fields) -> Lowered {
    use bits::flo_mods as m;
    codes_unwritten(f)?;
    let mods = u32::from(f.bit(51)) << m::SIGNED
        | u32::from(f.bit(44)) << m::SHIFT
        | u32::from(f.bit(43)) << m::INVERT;
    alu(f, mods, bits::flo, [Src::Zero, f.b(W)?, Src::Zero])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kepler::{Word, decode};
    use upset_isa::{Results, Sources, WARP};

    fn run(word: u64, a: u32, b: u32) -> u32 {
        let i = decode(Word(word)).expect("legal").lower().expect("implemented");
        let zero = [0; WARP];
        // R2 holds A, R3 holds B.
        let words: [[u32; WARP]; 3] = std::array::from_fn(|n| match i.src[n] {
            Src::Reg(2, _) => [a; WARP],
            Src::Reg(3, _) => [b; WARP],
            Src::Imm(v) => [v; WARP],
            _ => zero,
        });
        let r = [&words[0], &zero, &words[1], &zero, &words[2], &zero];
        let Exec::Alu(f) = i.exec else { panic!("not arithmetic") };
        let mut out = Results::default();
        f(i.mods, &Sources { r, p: [0; 3], active: u32::MAX }, &mut out);
        out.d[0][0]
    }

    #[test]
    fn logic_with_inversions() {
        let lop = 0xe200_0000_019c_0806;
        assert_eq!(run(lop, 0b1100, 0b1010), 0b1000);
        assert_eq!(run(lop | 1 << 44, 0b1100, 0b1010), 0b1110);
        assert_eq!(run(lop | 2 << 44, 0b1100, 0b1010), 0b0110);
        assert_eq!(run(lop | 3 << 44 | 1 << 43, 0b1100, 0b1010), !0b1010);
        assert_eq!(run(lop | 1 << 42, 0b1100, 0b1010), 0b0010);
        let imm = u64::from(0xff00u32) << 23;
        assert_eq!(run(0x2000_0000_001c_0804 | imm, 0x1234, 0), 0x1200);
    }

    #[test]
    fn shifts_clamp_or_wrap() {
        let (shl, shr) = (0xe240_0000_019c_0806, 0xe140_0000_019c_0806);
        assert_eq!(run(shl, 1, 4), 16);
        assert_eq!(run(shl, 1, 33), 0);
        assert_eq!(run(shl | 1 << 42, 1, 33), 2);
        assert_eq!(run(shr, 0x8000_0000, 31), 1);
        assert_eq!(run(shr | 1 << 51, 0x8000_0000, 40), u32::MAX);
        assert_eq!(run(shr, 0x8000_0000, 40), 0);
    }

    /// As compiled code uses them: `SHF.L R, RZ, n, R3` is R3 << n, `SHF.R R, R2,
    /// n, RZ` is R2 >> n, `.U64` moves bits from word to word.
    #[test]
    fn funnel_shifts() {
        let l = 0xb7c0_0c00_011f_fc05; // SHF.L R1, RZ, 0x2, R3
        assert_eq!(run(l, 0, 5), 20);
        let wide = l & !(255 << 10) | 2 << 10 | 2 << 40; // SHF.L.U64 R1, R2, 0x2, R3
        assert_eq!(run(wide, 0xc000_0000, 5), 23);
        let r = 0xc7c3_fc00_009c_0805; // SHF.R R1, R2, 0x1, RZ
        assert_eq!(run(r, 0x8000_0001, 0), 0x4000_0000);
    }
}
