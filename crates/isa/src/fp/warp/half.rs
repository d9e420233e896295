//! Packed half-precision operations.

use super::mods;
use super::{LANE_BIT, set_predicates};
use crate::fp::half::{HalfMode, min_max};
use crate::fp::{Cond, Format};
use crate::{Results, Sources, WARP};

/// Elements are BF16, not FP16.
pub const BF16: u32 = 1 << 26;
/// One FP32 result instead of two packed ones.
pub const F32_OUT: u32 = 1 << 27;
/// Negative results become `+0`; only where predicate source 0 holds.
pub const RELU: u32 = 1 << 28;
/// `HSET2.BF`: results are 1.0 and 0.0, not all ones and zeroes.
pub const BOOL_FLOAT: u32 = 1 << 29;
/// `HSETP2.H_AND`: one answer for both halves.
pub const H_AND: u32 = 1 << 30;
/// `HMNMX2.XORSIGN`.
pub const XORSIGN: u32 = 1 << 31;

/// Which parts of a register an operand's two elements come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swizzle {
    /// Low and high half (the default).
    H1H0,
    /// The register holds one FP32 value, used for both.
    F32,
    /// Low half twice.
    H0H0,
    /// High half twice.
    H1H1,
    /// Low half and negated high half.
    H0NH1,
}

impl Swizzle {
    const ALL: [Swizzle; 5] =
        [Swizzle::H1H0, Swizzle::F32, Swizzle::H0H0, Swizzle::H1H1, Swizzle::H0NH1];

    /// From the encoded number.
    pub fn from_bits(bits: u64) -> Option<Swizzle> {
        Swizzle::ALL.get(bits as usize).copied()
    }

    /// The modifier bits that give operand `slot` this swizzle.
    pub fn mods(self, slot: u32) -> u32 {
        // Two bits for A and C, three for B.
        (self as u32) << [18, 20, 23][slot as usize % 3]
    }
}

/// An operand of a packed operation: where its elements are, and their signs.
struct Operand {
    swizzle: u32,
    abs: bool,
    neg: bool,
}

impl Operand {
    fn new(m: u32, slot: u32) -> Operand {
        let signs = m >> (2 * slot);
        let swizzle = match slot {
            0 => m >> 18 & 3,
            1 => m >> 20 & 7,
            _ => m >> 23 & 3,
        };
        Operand { swizzle, abs: signs & mods::ABS_A != 0, neg: signs & mods::NEG_A != 0 }
    }

    fn is_f32(&self) -> bool {
        self.swizzle == Swizzle::F32 as u32
    }

    /// Bits of both elements with the sign modifiers applied.
    #[inline(always)]
    fn bits(&self, raw: u32) -> [u32; 2] {
        let (low, high) = (raw & 0xffff, raw >> 16);
        let (pair, sign) = match self.swizzle {
            0 => ([low, high], 0x8000),
            1 => ([raw, raw], 0x8000_0000),
            2 => ([low, low], 0x8000),
            3 => ([high, high], 0x8000),
            _ => ([low, high ^ 0x8000], 0x8000),
        };
        pair.map(|x| {
            let x = if self.abs { x & !sign } else { x };
            if self.neg { x ^ sign } else { x }
        })
    }

    /// Values of both elements.
    #[inline(always)]
    fn values(&self, mode: &HalfMode, raw: u32) -> [f64; 2] {
        let bits = self.bits(raw);
        if self.is_f32() {
            let mode = HalfMode { input: Format::F32, ..*mode };
            bits.map(|x| mode.element(x))
        } else {
            bits.map(|x| mode.element(x))
        }
    }
}

fn element_format(m: u32) -> Format {
    if m & BF16 != 0 { Format::BF16 } else { Format::F16 }
}

#[inline(always)]
fn mode(m: u32, input: Format) -> HalfMode {
    HalfMode {
        input,
        output: if m & F32_OUT != 0 { Format::F32 } else { input },
        ftz: m & mods::FTZ != 0,
        fmz: m & mods::FMZ != 0,
        sat: m & mods::SAT != 0,
        relu: false,
    }
}

/// Runs `f` on the element values of every lane that executes and packs the results.
fn each(m: u32, s: &Sources<'_>, r: &mut Results, f: impl Fn(&HalfMode, f64, f64, f64) -> u32) {
    // One copy of the loop per format, each with the format's widths built in.
    if m & BF16 != 0 {
        each_of(Format::BF16, m, s, r, f);
    } else {
        each_of(Format::F16, m, s, r, f);
    }
}

#[inline(always)]
fn each_of(
    input: Format,
    m: u32,
    s: &Sources<'_>,
    r: &mut Results,
    f: impl Fn(&HalfMode, f64, f64, f64) -> u32,
) {
    let mode = mode(m, input);
    let (oa, ob, oc) = (Operand::new(m, 0), Operand::new(m, 1), Operand::new(m, 2));
    for i in 0..WARP {
        if s.active & LANE_BIT[i] == 0 {
            continue;
        }
        let relu = m & RELU != 0 && s.p[0] & LANE_BIT[i] != 0;
        let mode = HalfMode { relu, ..mode };
        let a = oa.values(&mode, s.a()[i]);
        let b = ob.values(&mode, s.b()[i]);
        let c = oc.values(&mode, s.c()[i]);
        let low = f(&mode, a[0], b[0], c[0]);
        r.d[0][i] = if m & F32_OUT != 0 { low } else { low | f(&mode, a[1], b[1], c[1]) << 16 };
    }
}

/// `HADD2`.
pub fn hadd2(m: u32, s: &Sources<'_>, r: &mut Results) {
    each(m, s, r, |mode, a, b, _| mode.add(a, b));
}

/// `HMUL2`.
pub fn hmul2(m: u32, s: &Sources<'_>, r: &mut Results) {
    each(m, s, r, |mode, a, b, _| mode.mul(a, b));
}

/// `HFMA2`.
pub fn hfma2(m: u32, s: &Sources<'_>, r: &mut Results) {
    each(m, s, r, |mode, a, b, c| mode.fma(a, b, c));
}

/// `HMNMX2`: predicate source 0 true takes the minimum.
pub fn hmnmx2(m: u32, s: &Sources<'_>, r: &mut Results) {
    let f = element_format(m);
    let (oa, ob) = (Operand::new(m, 0), Operand::new(m, 1));
    let plain = |o: &Operand| Operand { abs: false, neg: false, ..*o };
    let (pa, pb) = (plain(&oa), plain(&ob));
    for i in 0..WARP {
        let flushed = |x: u32| if m & mods::FTZ != 0 { f.flush(x.into()) as u32 } else { x };
        let (a, b) = (oa.bits(s.a()[i]).map(flushed), ob.bits(s.b()[i]).map(flushed));
        let (ra, rb) = (pa.bits(s.a()[i]), pb.bits(s.b()[i]));
        let max = s.p[0] & LANE_BIT[i] == 0;
        let pick = |k: usize| {
            let v = min_max(f, a[k], b[k], max, m & mods::NAN != 0) & 0xffff;
            if m & XORSIGN != 0 && !f.is_nan(v.into()) {
                v & 0x7fff | (ra[k] ^ rb[k]) & 0x8000
            } else {
                v
            }
        };
        r.d[0][i] = pick(0) | pick(1) << 16;
    }
}

/// `VHMNMX`: minimum or maximum of A, B and C.
pub fn vhmnmx(m: u32, s: &Sources<'_>, r: &mut Results) {
    let f = element_format(m);
    let [oa, ob, oc] = [0, 1, 2].map(|slot| Operand::new(m, slot));
    let flushed = |x: u32| if m & mods::FTZ != 0 { f.flush(x.into()) as u32 } else { x };
    for i in 0..WARP {
        let (a, b) = (oa.bits(s.a()[i]).map(flushed), ob.bits(s.b()[i]).map(flushed));
        let c = oc.bits(s.c()[i]).map(flushed);
        let max = s.p[0] & LANE_BIT[i] == 0;
        let pick = |k: usize| {
            let two = min_max(f, a[k], b[k], max, m & mods::NAN != 0) & 0xffff;
            min_max(f, two, c[k], max, m & mods::NAN != 0) & 0xffff
        };
        r.d[0][i] = pick(0) | pick(1) << 16;
    }
}

/// Comparison of both halves: one mask each.
fn compare(m: u32, s: &Sources<'_>) -> [u32; 2] {
    let mode = mode(m, element_format(m));
    let cond: Cond = mods::cond(m);
    let (oa, ob) = (Operand::new(m, 0), Operand::new(m, 1));
    let mut masks = [0, 0];
    for i in 0..WARP {
        let a = oa.values(&mode, s.a()[i]);
        let b = ob.values(&mode, s.b()[i]);
        for k in 0..2 {
            if cond.holds(a[k] < b[k], a[k] == b[k], a[k] > b[k]) {
                masks[k] |= LANE_BIT[i];
            }
        }
    }
    masks
}

/// `HSETP2`: low half into the first predicate, high half into the second;
/// with `.H_AND` both together into the first and the complement into the second.
pub fn hsetp2(m: u32, s: &Sources<'_>, r: &mut Results) {
    let [low, high] = compare(m, s);
    if m & H_AND != 0 {
        r.p = set_predicates(m, low & high, s.p[0]);
    } else {
        let op = mods::bool_op(m);
        r.p = [op.apply(low, s.p[0]), op.apply(high, s.p[0])];
    }
}

/// `HSET2`.
pub fn hset2(m: u32, s: &Sources<'_>, r: &mut Results) {
    let op = mods::bool_op(m);
    let [low, high] = compare(m, s).map(|c| op.apply(c, s.p[0]));
    let yes = match (m & BOOL_FLOAT != 0, m & BF16 != 0) {
        (false, _) => 0xffff,
        (true, false) => 0x3c00,
        (true, true) => 0x3f80,
    };
    for i in 0..WARP {
        let part = |mask: u32| if mask & LANE_BIT[i] != 0 { yes } else { 0 };
        r.d[0][i] = part(low) | part(high) << 16;
    }
}
