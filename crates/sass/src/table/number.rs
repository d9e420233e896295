//! Numbers as nvdisasm prints them.

/// A double in nvdisasm's spelling: `%.20e` from 10^9 on, `%.20g` below. Names
/// of special values carry a trailing blank, which shows when a comma follows.
fn double(v: f64, quiet: bool) -> String {
    let sign = if v.is_sign_negative() { '-' } else { '+' };
    if v.is_nan() {
        return format!("{sign}{}NAN ", if quiet { 'Q' } else { 'S' });
    }
    if v.is_infinite() {
        return format!("{sign}INF ");
    }
    if v == 0.0 {
        return if v.is_sign_negative() { "-0.0 ".into() } else { "0".into() };
    }
    if v.abs() >= 1e9 {
        let text = format!("{v:.20e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{mantissa}e+{exponent:0>2}");
    }
    // 20 significant digits, correctly rounded: d.ddddde±x
    let text = format!("{:.19e}", v);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (minus, mantissa) = match mantissa.strip_prefix('-') {
        Some(m) => ("-", m),
        None => ("", mantissa),
    };
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let digits = digits.trim_end_matches('0');
    let count = digits.len() as i32;
    if exponent < -4 {
        let (head, tail) = digits.split_at(1);
        let dot = if tail.is_empty() { "" } else { "." };
        format!("{minus}{head}{dot}{tail}e-{:02}", -exponent)
    } else if exponent < 0 {
        format!("{minus}0.{}{digits}", "0".repeat((-exponent - 1) as usize))
    } else if exponent + 1 >= count {
        format!("{minus}{digits}{}", "0".repeat((exponent + 1 - count) as usize))
    } else {
        let (head, tail) = digits.split_at((exponent + 1) as usize);
        format!("{minus}{head}.{tail}")
    }
}

/// An FP32 immediate.
pub fn f32_bits(bits: u32) -> String {
    double(f64::from(f32::from_bits(bits)), true)
}

/// The high word of an FP64 immediate.
pub fn f64_high(bits: u32) -> String {
    double(f64::from_bits(u64::from(bits) << 32), bits & 0x0008_0000 != 0)
}

/// An FP16 immediate.
pub fn f16_bits(bits: u16) -> String {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let v = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    double(v.copysign(sign), true)
}

/// A BF16 immediate.
pub fn bf16_bits(bits: u16) -> String {
    f32_bits(u32::from(bits) << 16)
}

/// A signed number in hexadecimal: `0x10`, `-0x10`.
pub fn hex(v: i64) -> String {
    if v < 0 { format!("-{:#x}", v.unsigned_abs()) } else { format!("{v:#x}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_print_as_c_does() {
        assert_eq!(f32_bits(0x3f22f983), "0.63661974668502807617");
        assert_eq!(f32_bits(0x47ce4780), "105615");
        assert_eq!(f32_bits(0xb3a22168), "-7.5497894158615963534e-08");
        assert_eq!(f32_bits(1), "1.4012984643248170709e-45");
        assert_eq!(f32_bits(0x7f800000), "+INF ");
        assert_eq!(f32_bits(0xffc00000), "-QNAN ");
        assert_eq!(f32_bits(0x80000000), "-0.0 ");
        assert_eq!(f64_high(0x3ff00000), "1");
        assert_eq!(f16_bits(0x3c00), "1");
        assert_eq!(f32_bits(0x60ad78ec), "1.00000002004087734272e+20");
        assert_eq!(f64_high(0x41cdcd65), "1.00000000000000000000e+09");
        assert_eq!(f64_high(0x7ff00001), "+SNAN ");
        assert_eq!(hex(-32768), "-0x8000");
    }
}
