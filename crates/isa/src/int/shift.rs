//! Shifts: `SHF`, `BMSK`, `SGXT`.

use super::has;
use crate::{Results, Sources, WARP};

/// Modifier bits of [`shf`].
pub mod mods {
    /// To the right.
    pub const RIGHT: u32 = 0;
    /// The shift count wraps, otherwise it is clamped to the width.
    pub const WRAP: u32 = 1;
    /// The width is 64, otherwise 32.
    pub const WIDE: u32 = 2;
    /// A right shift repeats the sign.
    pub const SIGNED: u32 = 3;
    /// The result is the high word.
    pub const HI: u32 = 4;
}

/// Shift count after wrapping or clamping.
#[inline]
fn count(wrap: bool, width: u32, n: u32) -> u32 {
    if wrap { n & (width - 1) } else { n.min(width) }
}

/// `SHF`: shifts the 64-bit value `C:A` by B and keeps one word.
pub fn shf(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b, c) = (s.a(), s.b(), s.c());
    let width = if has(m, mods::WIDE) { 64 } else { 32 };
    let wrap = has(m, mods::WRAP);
    let (right, signed, hi) = (has(m, mods::RIGHT), has(m, mods::SIGNED), has(m, mods::HI));
    for i in 0..WARP {
        let x = u64::from(c[i]) << 32 | u64::from(a[i]);
        let n = count(wrap, width, b[i]);
        // Two steps, so that a shift by 64 is defined.
        let (n0, n1) = (n / 2, n - n / 2);
        let v = match (right, signed) {
            (false, _) => x << n0 << n1,
            (true, false) => x >> n0 >> n1,
            (true, true) => ((x as i64) >> n0 >> n1) as u64,
        };
        r.d[0][i] = if hi { (v >> 32) as u32 } else { v as u32 };
    }
}

/// Position of the count in the modifiers of [`shf_fixed`].
pub const COUNT: u32 = 8;

/// [`shf`] by a count known in advance, already wrapped or clamped.
pub fn shf_fixed(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, c) = (s.a(), s.c());
    let n = m >> COUNT & 127;
    let (n0, n1) = (n / 2, n - n / 2);
    let top = if has(m, mods::HI) { 32 } else { 0 };
    let join = |i: usize| u64::from(c[i]) << 32 | u64::from(a[i]);
    match (has(m, mods::RIGHT), has(m, mods::SIGNED)) {
        (false, _) => {
            for i in 0..WARP {
                r.d[0][i] = (join(i) << n0 << n1 >> top) as u32;
            }
        }
        (true, false) => {
            for i in 0..WARP {
                r.d[0][i] = (join(i) >> n0 >> n1 >> top) as u32;
            }
        }
        (true, true) => {
            for i in 0..WARP {
                r.d[0][i] = ((join(i) as i64) >> n0 >> n1 >> top) as u32;
            }
        }
    }
}

/// The modifiers of [`shf_fixed`] for those of [`shf`] and a count.
pub fn fixed_count(m: u32, n: u32) -> u32 {
    let width = if has(m, mods::WIDE) { 64 } else { 32 };
    m | count(has(m, mods::WRAP), width, n) << COUNT
}

/// `SHF.L.U32` with C unused and a count below 32 in the modifiers: `A << n`.
pub fn shl_fixed(n: u32, s: &Sources<'_>, r: &mut Results) {
    let a = s.a();
    for i in 0..WARP {
        r.d[0][i] = a[i] << (n & 31);
    }
}

/// `SHF.R.U32.HI` with a count below 32 in the modifiers: `C >> n`.
pub fn shr_fixed(n: u32, s: &Sources<'_>, r: &mut Results) {
    let c = s.c();
    for i in 0..WARP {
        r.d[0][i] = c[i] >> (n & 31);
    }
}

/// `SHF.R.S32.HI` with a count below 32 in the modifiers: signed `C >> n`.
pub fn sar_fixed(n: u32, s: &Sources<'_>, r: &mut Results) {
    let c = s.c();
    for i in 0..WARP {
        r.d[0][i] = ((c[i] as i32) >> (n & 31)) as u32;
    }
}

/// `BMSK`: B ones from bit A up; `mods` 1 = counts wrap at 32, else they clamp.
pub fn bmsk(mods: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    for i in 0..WARP {
        let (pos, width) = (count(mods == 1, 32, a[i]), count(mods == 1, 32, b[i]));
        r.d[0][i] = (((1u64 << width) - 1) << pos) as u32;
    }
}

/// Modifier bits of [`sgxt`].
pub mod sgxt_mods {
    /// Sign-extend, otherwise zero-extend.
    pub const SIGNED: u32 = 0;
    /// The width wraps at 32, otherwise it is clamped.
    pub const WRAP: u32 = 1;
}

/// `SGXT`: keeps the low B bits of A and extends them.
pub fn sgxt(m: u32, s: &Sources<'_>, r: &mut Results) {
    let (a, b) = (s.a(), s.b());
    let signed = has(m, sgxt_mods::SIGNED);
    for i in 0..WARP {
        let width = count(has(m, sgxt_mods::WRAP), 32, b[i]);
        let up = u64::from(a[i]) << (64 - width.max(1));
        let v = if signed {
            ((up as i64) >> (64 - width.max(1))) as u64
        } else {
            up >> (64 - width.max(1))
        };
        r.d[0][i] = if width == 0 { 0 } else { v as u32 };
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Operands, operands};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shf_shifts_128_bits_wide(o in operands(), m in 0u32..32) {
            let out = o.run(shf, m);
            for lane in 0..WARP {
                let [a, _, b, _, c, _] = o.lane(lane);
                let width: u32 = if m & 4 != 0 { 64 } else { 32 };
                let n = if m & 2 != 0 { b % width } else { b.min(width) };
                let x = u64::from(c) << 32 | u64::from(a);
                let v = if m & 1 == 0 {
                    (u128::from(x) << n) as u64
                } else if m & 8 != 0 {
                    (i128::from(x as i64) >> n) as u64
                } else {
                    (u128::from(x) >> n) as u64
                };
                let want = if m & 16 != 0 { v >> 32 } else { v } as u32;
                prop_assert_eq!(out.d[0][lane], want);
                let fixed = Operands::splat(a, 0, c).run(shf_fixed, fixed_count(m, b));
                prop_assert_eq!(fixed.d[0][0], want);
            }
        }

        #[test]
        fn fixed_shifts_are_shf(a: u32, c: u32, n in 0u32..32) {
            use mods::{HI, RIGHT, SIGNED};
            let o = Operands::splat(a, n, c);
            let z = Operands::splat(a, n, 0);
            prop_assert_eq!(z.run(shl_fixed, n).d[0], z.run(shf, 0).d[0]);
            let o0 = Operands::splat(0, n, c);
            prop_assert_eq!(o0.run(shr_fixed, n).d[0], o0.run(shf, 1 << RIGHT | 1 << HI).d[0]);
            let m = 1 << RIGHT | 1 << HI | 1 << SIGNED;
            prop_assert_eq!(o.run(sar_fixed, n).d[0], o.run(shf, m).d[0]);
        }

        #[test]
        fn masks_and_extensions_bit_by_bit(a: u32, b in 0u32..40, pos in 0u32..40, m in 0u32..4) {
            let wrap = m & 2 != 0;
            let keep = |n: u32| if wrap { n % 32 } else { n.min(32) };
            let mask = Operands::splat(pos, b, 0).run(bmsk, u32::from(wrap)).d[0][1];
            let want = (0..32).filter(|&n| n >= keep(pos) && n < keep(pos) + keep(b));
            prop_assert_eq!(mask, want.fold(0, |acc, n| acc | 1 << n));

            let got = Operands::splat(a, b, 0).run(sgxt, m).d[0][1];
            let w = keep(b);
            let sign = m & 1 != 0 && w > 0 && a >> (w - 1) & 1 == 1;
            let bit = |n: u32| if n < w { a >> n & 1 } else { u32::from(sign) };
            prop_assert_eq!(got, (0..32).fold(0, |acc, n| acc | bit(n) << n));
        }
    }

    #[test]
    fn clamped_shift_by_the_width() {
        use mods::{HI, RIGHT, SIGNED, WIDE};
        let o = Operands::splat(0x1234_5678, 200, 0x8765_4321);
        let d = |m| o.run(shf, m).d[0][0];
        assert_eq!(d(1 << RIGHT), 0x8765_4321);
        assert_eq!(d(1 << RIGHT | 1 << WIDE), 0);
        assert_eq!(d(1 << RIGHT | 1 << WIDE | 1 << SIGNED), u32::MAX);
        assert_eq!(d(1 << RIGHT | 1 << HI), 0);
        assert_eq!(d(1 << HI), 0x1234_5678);
    }
}
