//! Sums and products, with and without the condition codes.

use upset_isa::int::add::{iadd3, lea_plain};
use upset_isa::int::carry::{self, comparison, product, sum};
use upset_isa::int::mul;
use upset_isa::{AluFn, CodesFn, Exec, Inst, RZ, Src, Width};

use super::codes_unwritten;
use super::lanes::coded;
use super::lanes::integer::{self, special};
use crate::LowerError;
use crate::kepler::Fields;

type Lowered = Result<Inst, LowerError>;

const W: Width = Width::W1;

/// An operation that writes a register, and the codes where it says so.
fn coded(f: &Fields, op: CodesFn, mods: u32, writes: bool, src: [Src; 3]) -> Lowered {
    let mut i = f.inst(Exec::AluCodes { f: op, writes });
    (i.dst, i.src, i.mods) = (f.rd(W)?, src, mods);
    Ok(i)
}

/// A sum of words that neither takes nor leaves a carry, `(A << shift) + B`, is
/// plain, unless both are marked negative, which means one more.
fn plain_sum(mods: u32) -> Option<(AluFn, u32)> {
    let (signs, shift) = (mods & (1 << sum::NEG_A | 1 << sum::NEG_B), mods >> sum::SHIFT);
    let rest = mods & !(1 << sum::NEG_A | 1 << sum::NEG_B) & ((1 << sum::SHIFT) - 1);
    match (rest, shift, signs) {
        (0, 0, 0) => Some((iadd3::<false, false, false>, 0)),
        (0, 0, n) if n == 1 << sum::NEG_A => Some((iadd3::<true, false, false>, 0)),
        (0, 0, n) if n == 1 << sum::NEG_B => Some((iadd3::<false, true, false>, 0)),
        (0, shift, 0) => Some((lea_plain, shift)),
        _ => None,
    }
}

/// A product's low word plus a word, without a carry, whatever the signs.
fn plain_product(mods: u32) -> Option<(AluFn, u32)> {
    let signs = 1 << product::SIGNED_A | 1 << product::SIGNED_B;
    (mods & !signs == 0).then_some((mul::imad as AluFn, 0))
}

/// The same instruction without the condition codes, if it leaves none and its
/// modifiers ask for none.
fn or_plain(coded: Lowered, plain: fn(u32) -> Option<(AluFn, u32)>) -> Lowered {
    let mut i = coded?;
    if let (Exec::AluCodes { writes: false, .. }, Some((op, mods))) = (i.exec, plain(i.mods)) {
        (i.exec, i.mods) = (Exec::Alu(op), mods);
    }
    Ok(i)
}

/// The bit `at` of modifiers, where bit `n` of the word is set.
fn flag(f: &Fields, n: u32, at: u32) -> u32 {
    u32::from(f.bit(n)) << at
}

/// A sum, clamped where the bit says so, that leaves codes or not.
fn sum_of(f: &Fields, sat: u32, writes: bool) -> CodesFn {
    match (f.bit(sat), writes) {
        (true, _) => coded::add_saturated,
        (false, true) => carry::add,
        (false, false) => carry::add_last,
    }
}

/// `IADD`, `ISUB`.
pub fn iadd(f: &Fields) -> Lowered {
    let mods = flag(f, 52, sum::NEG_A) | flag(f, 51, sum::NEG_B) | flag(f, 46, sum::X);
    let writes = f.writes_cc(false);
    let i = coded(f, sum_of(f, 53, writes), mods, writes, [f.ra(W)?, f.b(W)?, Src::Zero]);
    if f.bit(53) { i } else { or_plain(i, plain_sum) }
}

/// `IADD32I`.
pub fn iadd32i(f: &Fields) -> Lowered {
    let mods = flag(f, 59, sum::NEG_A) | flag(f, 58, sum::NEG_B) | flag(f, 56, sum::X);
    let src = [f.ra(W)?, Src::Imm(f.imm32()), Src::Zero];
    let writes = f.writes_cc(true);
    let i = coded(f, sum_of(f, 57, writes), mods, writes, src);
    if f.bit(57) { i } else { or_plain(i, plain_sum) }
}

/// `ISCADD`.
pub fn iscadd(f: &Fields) -> Lowered {
    let shift = (f.bits(42, 5) as u32) << sum::SHIFT;
    let mods = flag(f, 52, sum::NEG_A) | flag(f, 51, sum::NEG_B) | shift;
    let src = [f.ra(W)?, f.b(W)?, Src::Zero];
    or_plain(coded(f, carry::add, mods, f.writes_cc(false), src), plain_sum)
}

/// `ISCADD32I`.
pub fn iscadd32i(f: &Fields) -> Lowered {
    let shift = (f.bits(56, 5) as u32) << sum::SHIFT;
    let src = [f.ra(W)?, Src::Imm(f.imm32()), Src::Zero];
    or_plain(coded(f, carry::add, shift, f.writes_cc(true), src), plain_sum)
}

/// A product and a sum.
fn product_of(f: &Fields, mods: u32, writes: bool, src: [Src; 3]) -> Lowered {
    or_plain(coded(f, carry::multiply_add, mods, writes, src), plain_product)
}

/// `IMAD`. The signs of the factors stand in the order in which they are printed.
pub fn imad(f: &Fields) -> Lowered {
    let mods = flag(f, 51, product::SIGNED_A)
        | flag(f, 56, product::SIGNED_B)
        | flag(f, 57, product::HIGH)
        | flag(f, 52, product::X)
        | flag(f, 55, product::NEG_PRODUCT)
        | flag(f, 54, product::NEG_C);
    let src = [f.ra(W)?, f.b(W)?, f.c(W)?];
    match f.bit(53) {
        true => coded(f, coded::multiply_add_saturated, mods, f.writes_cc(false), src),
        false => product_of(f, mods, f.writes_cc(false), src),
    }
}

/// `IMAD32I`: what is added is the destination.
pub fn imad32i(f: &Fields) -> Lowered {
    let mods = flag(f, 57, product::SIGNED_A)
        | flag(f, 60, product::SIGNED_B)
        | flag(f, 56, product::HIGH)
        | flag(f, 59, product::NEG_PRODUCT)
        | flag(f, 58, product::NEG_C);
    let src = [f.ra(W)?, Src::Imm(f.imm32()), f.data(W)?];
    product_of(f, mods, f.writes_cc(true), src)
}

/// `IMADSP`; `.SD` takes its types from a surface's description.
pub fn imadsp(f: &Fields) -> Lowered {
    codes_unwritten(f)?;
    let described = f.bits(54, 2) == 3;
    let exec: AluFn = if described { integer::imadsp_described } else { integer::imadsp };
    let mut i = f.inst(Exec::Alu(exec));
    i.mods = (f.bits(51, 3) as u32) << special::A
        | (f.bits(56, 2) as u32) << special::B
        | (f.bits(54, 2) as u32) << special::C;
    i.dst = f.rd(W)?;
    i.src = [f.ra(W)?, f.b(W)?, f.c(W)?];
    Ok(i)
}

/// `IMUL`.
pub fn imul(f: &Fields) -> Lowered {
    let mods = flag(f, 43, product::SIGNED_A)
        | flag(f, 44, product::SIGNED_B)
        | flag(f, 42, product::HIGH);
    let src = [f.ra(W)?, f.b(W)?, Src::Reg(RZ, W)];
    product_of(f, mods, f.writes_cc(false), src)
}

/// `IMUL32I`.
pub fn imul32i(f: &Fields) -> Lowered {
    let mods = flag(f, 57, product::SIGNED_A)
        | flag(f, 58, product::SIGNED_B)
        | flag(f, 56, product::HIGH);
    let src = [f.ra(W)?, Src::Imm(f.imm32()), Src::Reg(RZ, W)];
    product_of(f, mods, f.writes_cc(true), src)
}

/// `ISETP.X`: the high words; where they are equal, the codes decide.
pub fn isetp_wide(f: &Fields, join: u32) -> Lowered {
    let mods = join
        | (f.bits(52, 3) as u32) << comparison::CMP
        | u32::from(f.bit(51)) << comparison::SIGNED;
    let mut i = f.inst(Exec::AluCodes { f: carry::compare, writes: false });
    i.mods = mods;
    i.src = [f.ra(W)?, f.b(W)?, Src::Zero];
    i.pdst = [f.pd(5), f.pd(2)];
    i.psrc[0] = f.ps(42, 45);
    Ok(i)
}
