//! Exact arithmetic on unpacked numbers, rounded once: the reference for
//! everything faster, and the implementation where speed does not matter.

use super::{Format, Rounding};

/// Position of the leading bit of a normalised significand.
const TOP: u32 = 126;

/// A number taken apart. The value of `Finite` is `sig * 2^(exp - 126)` with
/// bit 126 of `sig` set; bit 0 may stand for "something below".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Not a number.
    Nan,
    /// Infinity; true = negative.
    Inf(bool),
    /// Zero; true = negative.
    Zero(bool),
    /// Any other number.
    Finite {
        /// Sign.
        negative: bool,
        /// Exponent of the leading bit.
        exp: i32,
        /// Significand, leading bit at 126.
        sig: u128,
    },
}

impl Number {
    /// From the bits of a format.
    pub fn unpack(f: Format, bits: u64) -> Number {
        let negative = bits & f.sign_bit() != 0;
        let frac = bits & f.frac_mask();
        let field = bits >> f.frac_bits & f.exp_max();
        if field == f.exp_max() {
            return if frac == 0 { Number::Inf(negative) } else { Number::Nan };
        }
        let (sig, exp) = match field {
            0 => (frac, 1 - f.bias()),
            _ => (frac | 1 << f.frac_bits, field as i32 - f.bias()),
        };
        Number::scaled(negative, u128::from(sig), exp - f.frac_bits as i32)
    }

    /// The integer `magnitude * 2^exp`.
    pub fn scaled(negative: bool, magnitude: u128, exp: i32) -> Number {
        if magnitude == 0 {
            return Number::Zero(negative);
        }
        let lead = 127 - magnitude.leading_zeros();
        let sig =
            if lead > TOP { magnitude >> 1 | magnitude & 1 } else { magnitude << (TOP - lead) };
        Number::Finite { negative, exp: exp + lead as i32, sig }
    }

    /// Sign; false for NaN.
    pub fn negative(self) -> bool {
        match self {
            Number::Nan => false,
            Number::Inf(n) | Number::Zero(n) => n,
            Number::Finite { negative, .. } => negative,
        }
    }

    /// Exact product (both operands at most 64 significant bits).
    pub fn product(self, other: Number) -> Number {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
            (Number::Inf(_), Number::Zero(_)) | (Number::Zero(_), Number::Inf(_)) => Number::Nan,
            (Number::Inf(_), _) | (_, Number::Inf(_)) => Number::Inf(negative),
            (Number::Zero(_), _) | (_, Number::Zero(_)) => Number::Zero(negative),
            (Number::Finite { exp: ea, sig: sa, .. }, Number::Finite { exp: eb, sig: sb, .. }) => {
                let sig = (sa >> 63) * (sb >> 63);
                Number::scaled(negative, sig, ea + eb - 126)
            }
        }
    }

    /// Sum, exact but for a sticky lowest bit. The rounding mode decides the
    /// sign of an exact zero.
    pub fn sum(self, other: Number, rm: Rounding) -> Number {
        match (self, other) {
            (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
            (Number::Inf(a), Number::Inf(b)) if a != b => Number::Nan,
            (Number::Inf(a), _) | (_, Number::Inf(a)) => Number::Inf(a),
            (Number::Zero(a), Number::Zero(b)) if a == b => Number::Zero(a),
            (Number::Zero(_), Number::Zero(_)) => Number::Zero(rm == Rounding::Down),
            (Number::Zero(_), x) | (x, Number::Zero(_)) => x,
            (
                Number::Finite { negative: na, exp: ea, sig: sa },
                Number::Finite { negative: nb, exp: eb, sig: sb },
            ) => {
                let ((n, exp, big), (ns, es, small)) = if (ea, sa) >= (eb, sb) {
                    ((na, ea, sa), (nb, eb, sb))
                } else {
                    ((nb, eb, sb), (na, ea, sa))
                };
                let small = shift_right_sticky(small, (exp - es) as u32);
                let sig = if n == ns { big + small } else { big - small };
                if sig == 0 {
                    return Number::Zero(rm == Rounding::Down);
                }
                Number::scaled(n, sig, exp - TOP as i32)
            }
        }
    }

    /// The value times `2^by`.
    pub fn scale(self, by: i32) -> Number {
        match self {
            Number::Finite { negative, exp, sig } => {
                Number::Finite { negative, exp: exp + by, sig }
            }
            other => other,
        }
    }

    /// Rounds once into a format.
    pub fn pack(self, f: Format, rm: Rounding) -> u64 {
        let (negative, exp, sig) = match self {
            Number::Nan => return f.nan(),
            Number::Inf(n) => return signed(f, n, f.infinity()),
            Number::Zero(n) => return signed(f, n, 0),
            Number::Finite { negative, exp, sig } => (negative, exp, sig),
        };
        let field = exp + f.bias();
        if field >= f.exp_max() as i32 {
            return signed(f, negative, overflow(f, rm, negative));
        }
        // Below the normal range the unit in the last place stays put.
        let drop = TOP - f.frac_bits + if field < 1 { (1 - field) as u32 } else { 0 };
        let kept = shift_right_sticky(sig, drop - 2);
        let mut magnitude = (kept >> 2) as u64;
        if rm.increments(negative, magnitude & 1 == 1, kept & 2 != 0, kept & 1 != 0) {
            magnitude += 1;
        }
        // The hidden bit adds one to the exponent field, and so does a carry.
        let packed = magnitude + (((field.max(1) - 1) as u64) << f.frac_bits);
        let packed = if packed >= f.infinity() { overflow(f, rm, negative) } else { packed };
        signed(f, negative, packed)
    }

    /// Rounds to an integral number, saturated to `min ..= max`; `None` for NaN.
    pub fn to_integer(self, rm: Rounding, min: i128, max: i128) -> Option<i128> {
        let (negative, exp, sig) = match self {
            Number::Nan => return None,
            Number::Inf(n) => return Some(if n { min } else { max }),
            Number::Zero(_) => return Some(0i128.clamp(min, max)),
            Number::Finite { negative, exp, sig } => (negative, exp, sig),
        };
        if exp > 70 {
            return Some(if negative { min } else { max });
        }
        let kept = shift_right_sticky(sig, (TOP as i32 - exp - 2) as u32);
        let mut magnitude = (kept >> 2) as i128;
        if rm.increments(negative, magnitude & 1 == 1, kept & 2 != 0, kept & 1 != 0) {
            magnitude += 1;
        }
        Some((if negative { -magnitude } else { magnitude }).clamp(min, max))
    }
}

fn signed(f: Format, negative: bool, magnitude: u64) -> u64 {
    if negative { magnitude | f.sign_bit() } else { magnitude }
}

fn overflow(f: Format, rm: Rounding, negative: bool) -> u64 {
    f.infinity() - u64::from(!rm.overflows_to_infinity(negative))
}

/// `x >> by`, with everything shifted out gathered in the lowest bit.
fn shift_right_sticky(x: u128, by: u32) -> u128 {
    match by {
        0 => x,
        1..=127 => x >> by | u128::from(x << (128 - by) != 0),
        _ => u128::from(x != 0),
    }
}

/// `a + b`.
pub fn add(f: Format, a: u64, b: u64, rm: Rounding) -> u64 {
    Number::unpack(f, a).sum(Number::unpack(f, b), rm).pack(f, rm)
}

/// `a * b`.
pub fn mul(f: Format, a: u64, b: u64, rm: Rounding) -> u64 {
    Number::unpack(f, a).product(Number::unpack(f, b)).pack(f, rm)
}

/// `a * b + c`, rounded once.
pub fn fma(f: Format, a: u64, b: u64, c: u64, rm: Rounding) -> u64 {
    let product = Number::unpack(f, a).product(Number::unpack(f, b));
    product.sum(Number::unpack(f, c), rm).pack(f, rm)
}

/// Conversion between formats; any NaN becomes the canonical one.
pub fn convert(from: Format, to: Format, bits: u64, rm: Rounding) -> u64 {
    Number::unpack(from, bits).pack(to, rm)
}

/// Integer to float.
pub fn from_integer(to: Format, value: i128, rm: Rounding) -> u64 {
    Number::scaled(value < 0, value.unsigned_abs(), 0).pack(to, rm)
}
