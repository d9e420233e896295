//! Packed half-precision operations.

use super::mods;
use super::{ADD, FMA, LANE_BIT, MUL, WideOp, set_predicates, wide};
use crate::fp::half::{HalfMode, min_max};
use crate::fp::{Cond, Format};
use crate::{Lanes, Results, Sources, WARP};

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
    /// The register holds one FP32 value.
    single: bool,
    /// Where each element begins.
    from: [u32; 2],
    /// Its bits but for a sign that is taken away.
    keep: u32,
    /// Bits that are flipped in each.
    flip: [u32; 2],
}

impl Operand {
    fn new(m: u32, slot: u32) -> Operand {
        let signs = m >> (2 * slot);
        let swizzle = match slot {
            0 => m >> 18 & 3,
            1 => m >> 20 & 7,
            _ => m >> 23 & 3,
        };
        let single = swizzle == Swizzle::F32 as u32;
        let (all, sign) = if single { (u32::MAX, 1 << 31) } else { (0xffff, 0x8000) };
        let abs = signs & mods::ABS_A != 0;
        let flip = if signs & mods::NEG_A != 0 { sign } else { 0 };
        // The swizzle's own sign comes before the others.
        let negated = swizzle == Swizzle::H0NH1 as u32 && !abs;
        Operand {
            single,
            from: match swizzle {
                1 | 2 => [0, 0],
                3 => [16, 16],
                _ => [0, 16],
            },
            keep: if abs { all & !sign } else { all },
            flip: [flip, flip ^ if negated { sign } else { 0 }],
        }
    }

    /// The same without sign modifiers.
    fn unsigned(m: u32, slot: u32) -> Operand {
        Operand::new(m & !(0b11 << (2 * slot)), slot)
    }

    /// Bits of one of both elements with the sign modifiers applied.
    #[inline(always)]
    fn element(&self, k: usize, raw: u32) -> u32 {
        raw >> self.from[k] & self.keep ^ self.flip[k]
    }

    /// Bits of both.
    #[inline(always)]
    fn bits(&self, raw: u32) -> [u32; 2] {
        [self.element(0, raw), self.element(1, raw)]
    }

    /// The first or second elements of a warp.
    #[inline(always)]
    fn row(&self, mode: &HalfMode, k: usize, raw: &Lanes) -> [f64; WARP] {
        // A loop for each format, which knows its widths.
        let mut values = [0.0; WARP];
        if self.single {
            let mode = HalfMode { input: Format::F32, ..*mode };
            for i in 0..WARP {
                values[i] = mode.element(self.element(k, raw[i]));
            }
        } else {
            for i in 0..WARP {
                values[i] = mode.element(self.element(k, raw[i]));
            }
        }
        values
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

/// One of the three on both elements of every lane.
struct Packed<const OP: u8>;

impl<const OP: u8> WideOp for Packed<OP> {
    #[inline(always)]
    fn run<const FUSED: bool>(m: u32, s: &Sources<'_>, r: &mut Results) {
        // One copy of the loops per format, each with the format's widths built in, and
        // one without modifiers (`!RELU` tells it what `plain` has found out).
        let plain = m & (F32_OUT | RELU | mods::FTZ | mods::FMZ | mods::SAT) == 0;
        match (m & BF16 != 0, plain) {
            (false, true) => packed::<OP>(&mode(0, Format::F16), m & !RELU, s, r),
            (false, false) => packed::<OP>(&mode(m, Format::F16), m, s, r),
            (true, true) => packed::<OP>(&mode(0, Format::BF16), m & !RELU, s, r),
            (true, false) => packed::<OP>(&mode(m, Format::BF16), m, s, r),
        }
    }
}

#[inline(always)]
fn packed<const OP: u8>(mode: &HalfMode, m: u32, s: &Sources<'_>, r: &mut Results) {
    let low = elements::<OP>(mode, 0, m, s);
    if m & F32_OUT != 0 {
        r.d[0] = low;
        return;
    }
    let high = elements::<OP>(mode, 1, m, s);
    for i in 0..WARP {
        r.d[0][i] = low[i] | high[i] << 16;
    }
}

/// The results of all first or second elements.
#[inline(always)]
fn elements<const OP: u8>(mode: &HalfMode, k: usize, m: u32, s: &Sources<'_>) -> Lanes {
    let a = Operand::new(m, 0).row(mode, k, s.a());
    let b = Operand::new(m, 1).row(mode, k, s.b());
    let c = if OP == FMA { Operand::new(m, 2).row(mode, k, s.c()) } else { [0.0; WARP] };
    let mut results = [0; WARP];
    for i in 0..WARP {
        let relu = m & RELU != 0 && s.p[0] & LANE_BIT[i] != 0;
        let mode = HalfMode { relu, ..*mode };
        results[i] = match OP {
            ADD => mode.add(a[i], b[i]),
            MUL => mode.mul(a[i], b[i]),
            _ => mode.fma(a[i], b[i], c[i]),
        };
    }
    results
}

/// `HADD2`.
pub fn hadd2(m: u32, s: &Sources<'_>, r: &mut Results) {
    wide::<Packed<ADD>>(m, s, r);
}

/// `HMUL2`.
pub fn hmul2(m: u32, s: &Sources<'_>, r: &mut Results) {
    wide::<Packed<MUL>>(m, s, r);
}

/// `HFMA2`.
pub fn hfma2(m: u32, s: &Sources<'_>, r: &mut Results) {
    wide::<Packed<FMA>>(m, s, r);
}

/// `HMNMX2`: predicate source 0 true takes the minimum.
pub fn hmnmx2(m: u32, s: &Sources<'_>, r: &mut Results) {
    let f = element_format(m);
    let (oa, ob) = (Operand::new(m, 0), Operand::new(m, 1));
    let (pa, pb) = (Operand::unsigned(m, 0), Operand::unsigned(m, 1));
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
    [0, 1].map(|k| {
        let (a, b) = (oa.row(&mode, k, s.a()), ob.row(&mode, k, s.b()));
        // Each relation of all lanes first: these loops vectorise.
        let (mut less, mut equal, mut greater) = (0, 0, 0);
        for i in 0..WARP {
            less |= if a[i] < b[i] { LANE_BIT[i] } else { 0 };
            equal |= if a[i] == b[i] { LANE_BIT[i] } else { 0 };
            greater |= if a[i] > b[i] { LANE_BIT[i] } else { 0 };
        }
        cond.of_masks(less, equal, greater)
    })
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
