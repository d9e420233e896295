//! The steps of a division: scale, multiply and add, mend.
//!
//! The rules are those of AMD's later manuals; `docs/southern-islands.md` says
//! where they had to be mended. Denormals are flushed as the mode says.

use upset_lanes::fp::exact;

use super::each::gather;
use super::fp32::near_fma;
use super::fp64;
use super::nan::Rules;
use super::vector::{Results, Sources};

/// Numbers of a precision that the steps go by.
#[derive(Clone, Copy)]
struct Steps {
    rules: Rules,
    /// From this difference of exponents on the quotient is near the largest number.
    far: i32,
    /// Scaling is by two to this power.
    by: i32,
    /// Numerators up to this exponent field lose bits in the remainder.
    tiny: i32,
    /// Below this difference of exponents nothing is left.
    gone: i32,
}

impl Steps {
    #[inline(always)]
    fn single(s: &Sources<'_>) -> Steps {
        Steps { rules: Rules::single(s.mode), far: 96, by: 64, tiny: 23, gone: -150 }
    }

    #[inline(always)]
    fn double(s: &Sources<'_>) -> Steps {
        Steps { rules: Rules::double(s.mode), far: 768, by: 128, tiny: 53, gone: -1075 }
    }

    #[inline(always)]
    fn field(self, x: u64) -> i32 {
        (x >> self.rules.format.frac_bits & self.rules.format.exp_max()) as i32
    }

    fn is_zero(self, x: u64) -> bool {
        x & !self.rules.format.sign_bit() == 0
    }

    fn scaled(self, x: u64, by: i32) -> u64 {
        let f = self.rules.format;
        match self.rules.taken_over(&[x]) {
            Some(nan) => nan,
            None => exact::Number::unpack(f, x).scale(by).pack(f, self.rules.rounding),
        }
    }

    /// Exponent (not biased) and the rest of a number that is not zero, both as
    /// if there were no denormals.
    fn normal(self, x: u64) -> (i32, u64) {
        let f = self.rules.format;
        let (field, frac) = (self.field(x), x & f.frac_mask());
        if field > 0 {
            return (field - f.bias(), frac);
        }
        let up = frac.leading_zeros() - (63 - f.frac_bits);
        (1 - f.bias() - up as i32, frac << up & f.frac_mask())
    }

    /// Is `1 / x` below the normal numbers?
    fn inverts_to_denormal(self, x: u64) -> bool {
        let f = self.rules.format;
        x & !f.sign_bit() > (f.exp_max() - 2) << f.frac_bits
    }

    /// Is `num / den` below the normal numbers?
    fn divides_to_denormal(self, num: u64, den: u64) -> bool {
        let ((en, n), (ed, d)) = (self.normal(num), self.normal(den));
        let least = 1 - self.rules.format.bias();
        en - ed < least || (en - ed == least && n < d)
    }

    /// Most divisions are scaled by nothing.
    #[inline(always)]
    fn needs_nothing(self, den: u64, num: u64) -> bool {
        let (n, d) = (self.field(num), self.field(den));
        let (least, top) = (1 - self.rules.format.bias(), self.rules.format.exp_max() as i32);
        let usual = (d > 0) & (d < top - 2) & (n > self.tiny) & (n < top);
        usual & (n - d > least) & (n - d < self.far)
    }

    /// Most quotients are right but for their sign.
    #[inline(always)]
    fn needs_no_mending(self, quotient: u64, den: u64, num: u64) -> bool {
        let (n, d) = (self.field(num), self.field(den));
        let top = self.rules.format.exp_max() as i32;
        let usual = (d > 0) & (d < top) & (n > 0) & (n < top) & (n - d >= self.gone);
        usual & !self.rules.format.is_nan(quotient)
    }

    /// The quotient with the right sign.
    #[inline(always)]
    fn signed(self, quotient: u64, den: u64, num: u64) -> u64 {
        let sign = self.rules.format.sign_bit();
        self.rules.result((num ^ den) & sign | quotient & !sign)
    }

    /// `v_div_scale`: one of the two, scaled so that no step overflows or
    /// loses bits, and whether `v_div_fmas` has to undo it.
    fn scale(self, value: u64, den: u64, num: u64) -> (u64, bool) {
        let [value, den, num] = [value, den, num].map(|x| self.rules.source(x));
        if self.needs_nothing(den, num) {
            return (value, false);
        }
        let (n, d) = (self.field(num), self.field(den));
        let top = self.rules.format.exp_max() as i32;
        let if_is =
            |which: u64, by: i32| if value == which { self.scaled(value, by) } else { value };
        if self.is_zero(den) || self.is_zero(num) {
            (self.rules.invalid(), false)
        } else if n == top || d == top {
            // Infinities and NaN: whatever comes out, the last step mends it.
            (value, false)
        } else if n - d >= self.far {
            (if_is(den, self.by), true)
        } else if d == 0 {
            (self.scaled(value, self.by), false)
        } else if self.inverts_to_denormal(den) {
            if self.divides_to_denormal(num, den) {
                // The manual scales up, which would overflow.
                (if_is(den, -self.by), true)
            } else {
                (self.scaled(value, -self.by), false)
            }
        } else if self.divides_to_denormal(num, den) {
            (if_is(num, self.by), true)
        } else if n <= self.tiny {
            (self.scaled(value, self.by), false)
        } else {
            (value, false)
        }
    }

    /// How far `v_div_fmas` scales the quotient: C is nearly that.
    fn undo(self, c: u64) -> i32 {
        if self.field(c) > self.rules.format.bias() { self.by } else { -self.by }
    }

    /// `v_div_fmas` of a scaled division, rounded once.
    fn fmas(self, a: u64, b: u64, c: u64, by: i32) -> u64 {
        self.rules.exact([a, b, c], |f, sources, rm| {
            let [a, b, c] = sources.map(|x| exact::Number::unpack(f, x));
            a.product(b).sum(c, rm).scale(by).pack(f, rm)
        })
    }

    /// `v_div_fixup`: the quotient, or what the special cases demand.
    fn fixup(self, quotient: u64, den: u64, num: u64) -> u64 {
        let f = self.rules.format;
        let [den, num] = [den, num].map(|x| self.rules.source(x));
        if let Some(nan) = self.rules.taken_over(&[num, den]) {
            return nan;
        }
        let sign = (num ^ den) & f.sign_bit();
        let is_inf = |x: u64| x & !f.sign_bit() == f.infinity();
        let (num_zero, den_zero) = (self.is_zero(num), self.is_zero(den));
        let (num_inf, den_inf) = (is_inf(num), is_inf(den));
        if (num_zero && den_zero) || (num_inf && den_inf) {
            self.rules.invalid()
        } else if den_zero || num_inf {
            sign | f.infinity()
        } else if den_inf || num_zero {
            sign
        } else if self.field(num) - self.field(den) < self.gone {
            self.rules.result(self.underflow(sign != 0))
        } else if f.is_nan(quotient) {
            // Steps on an overflowing quotient subtract infinities (CLRX; the
            // manual does not say).
            sign | f.infinity()
        } else {
            self.signed(quotient, den, num)
        }
    }

    /// A number far below all others, rounded.
    fn underflow(self, negative: bool) -> u64 {
        exact::Number::scaled(negative, 1, -5000).pack(self.rules.format, self.rules.rounding)
    }
}

/// Do all active lanes have this?
#[inline(always)]
fn all_active(s: &Sources<'_>, has: impl Fn(usize) -> bool) -> bool {
    gather(has) | !s.active == !0
}

/// `v_div_scale_f32`: A is the value to scale, B the denominator, C the numerator.
pub fn div_scale_f32(s: &Sources<'_>, r: &mut Results) {
    let steps = Steps::single(s);
    r.bits = 0;
    if all_active(s, |l| steps.needs_nothing(s.b()[l].into(), s.c()[l].into())) {
        for l in 0..32 {
            r.d[0][l] = steps.rules.source(s.a()[l].into()) as u32;
        }
        return;
    }
    for l in 0..32 {
        let (value, flag) = steps.scale(s.a()[l].into(), s.b()[l].into(), s.c()[l].into());
        r.d[0][l] = value as u32;
        r.bits |= u32::from(flag) << l;
    }
}

/// `v_div_scale_f64`. Silicon's flag is unusable (LLVM,
/// `hasUsableDivScaleConditionOutput`) and compilers make their own; ours is
/// the right one.
pub fn div_scale_f64(s: &Sources<'_>, r: &mut Results) {
    let steps = Steps::double(s);
    r.bits = 0;
    for l in 0..32 {
        let (value, flag) = steps.scale(s.a64(l), s.b64(l), s.c64(l));
        r.set64(l, value);
        r.bits |= u32::from(flag) << l;
    }
}

#[inline(always)]
fn near_fmas<const FLUSH: bool>(s: &Sources<'_>, r: &mut Results) {
    const UP: f64 = f64::from_bits((1023 + 64) << 52);
    const DOWN: f64 = f64::from_bits((1023 - 64) << 52);
    let (a, b, c) = (s.a(), s.b(), s.c());
    for l in 0..32 {
        let undo = if c[l] & 0x7f80_0000 > 0x3f80_0000 { UP } else { DOWN };
        let scale = if s.bits >> l & 1 == 1 { undo } else { 1.0 };
        r.d[0][l] = near_fma::<FLUSH>(a[l], b[l], c[l], scale);
    }
}

/// `v_div_fmas_f32`: A times B plus C, scaled where the lane's bit says so.
pub fn div_fmas_f32(s: &Sources<'_>, r: &mut Results) {
    let steps = Steps::single(s);
    match steps.rules.nearest() {
        Some(true) => near_fmas::<true>(s, r),
        Some(false) => near_fmas::<false>(s, r),
        None => {
            for l in 0..32 {
                let c = u64::from(s.c()[l]);
                let by = if s.bits >> l & 1 == 1 { steps.undo(c) } else { 0 };
                r.d[0][l] = steps.fmas(s.a()[l].into(), s.b()[l].into(), c, by) as u32;
            }
        }
    }
}

/// `v_div_fmas_f64`.
pub fn div_fmas_f64(s: &Sources<'_>, r: &mut Results) {
    let steps = Steps::double(s);
    let usual = steps.rules.nearest() == Some(false);
    for l in 0..32 {
        let (a, b, c) = (s.a64(l), s.b64(l), s.c64(l));
        let scaled = s.bits >> l & 1 == 1;
        let value = if usual && !scaled {
            fp64::near_fma(a, b, c)
        } else {
            steps.fmas(a, b, c, if scaled { steps.undo(c) } else { 0 })
        };
        r.set64(l, value);
    }
}

/// `v_div_fixup_f32`: A is the quotient, B the denominator, C the numerator.
pub fn div_fixup_f32(s: &Sources<'_>, r: &mut Results) {
    let steps = Steps::single(s);
    let lane = |l: usize| (s.a()[l].into(), s.b()[l].into(), s.c()[l].into());
    let is_right = |l| {
        let (quotient, den, num) = lane(l);
        steps.needs_no_mending(quotient, den, num)
    };
    if all_active(s, is_right) {
        for l in 0..32 {
            let (quotient, den, num) = lane(l);
            r.d[0][l] = steps.signed(quotient, den, num) as u32;
        }
        return;
    }
    for l in 0..32 {
        let fixed = steps.fixup(s.a()[l].into(), s.b()[l].into(), s.c()[l].into());
        r.d[0][l] = fixed as u32;
    }
}

/// `v_div_fixup_f64`.
pub fn div_fixup_f64(s: &Sources<'_>, r: &mut Results) {
    let steps = Steps::double(s);
    for l in 0..32 {
        r.set64(l, steps.fixup(s.a64(l), s.b64(l), s.c64(l)));
    }
}

#[cfg(test)]
mod tests;
