//! Decimal and hexadecimal digits of FP64 numbers, exact and rounded to even,
//! as C's `printf` shows them.

/// All decimal digits of a finite number's magnitude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// Digits, most significant first, no leading zeros.
    digits: Vec<u8>,
    /// Digits in front of the decimal point; negative when zeros follow it.
    point: i32,
}

const SIGNIFICAND: u32 = 52;

/// Significand and power of two of a finite number's magnitude.
fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let (exponent, fraction) = (bits >> SIGNIFICAND & 0x7ff, bits & ((1 << SIGNIFICAND) - 1));
    match exponent {
        0 => (fraction, -1074),
        e => (fraction | 1 << SIGNIFICAND, e as i32 - 1075),
    }
}

impl Decimal {
    /// The digits of `value`, which is finite.
    pub fn new(value: f64) -> Decimal {
        let (significand, power) = parts(value);
        // Least significant first, base 10^9.
        let mut number = vec![significand];
        // value = significand * 2^power; a negative power is 5^-power / 10^-power.
        let factor = if power < 0 { 5 } else { 2 };
        for _ in 0..power.unsigned_abs() {
            let mut carry = 0;
            for limb in &mut number {
                let product = *limb * factor + carry;
                (*limb, carry) = (product % 1_000_000_000, product / 1_000_000_000);
            }
            while carry != 0 {
                number.push(carry % 1_000_000_000);
                carry /= 1_000_000_000;
            }
        }
        let mut text = String::new();
        for limb in normal(number).iter().rev() {
            text.push_str(&format!("{limb:09}"));
        }
        let all = text.trim_start_matches('0');
        let digits: Vec<u8> = all.bytes().map(|c| c - b'0').collect();
        let point = digits.len() as i32 - if power < 0 { -power } else { 0 };
        let zero = digits.is_empty();
        Decimal { digits, point: if zero { 1 } else { point } }
    }

    /// Power of ten of the first digit; 0 for zero.
    pub fn exponent(&self) -> i32 {
        self.point - 1
    }

    /// Rounds to `count` digits (possibly none, or fewer than none), half to even.
    fn round(&mut self, count: i32) {
        let Ok(count) = usize::try_from(count) else {
            self.digits.clear();
            return;
        };
        let Some(&next) = self.digits.get(count) else { return };
        let beyond = self.digits[count + 1..].iter().any(|&d| d != 0);
        let odd = count.checked_sub(1).is_some_and(|i| self.digits[i] % 2 == 1);
        self.digits.truncate(count);
        if next > 5 || next == 5 && (beyond || odd) {
            for digit in self.digits.iter_mut().rev() {
                *digit += 1;
                if *digit < 10 {
                    return;
                }
                *digit = 0;
            }
            self.digits.insert(0, 1);
            self.point += 1;
            if count > 0 {
                self.digits.pop();
            }
        }
    }

    fn digit(&self, place: i32) -> char {
        let digit = usize::try_from(place).ok().and_then(|i| self.digits.get(i));
        char::from(b'0' + digit.copied().unwrap_or(0))
    }

    /// As `%f`, with so many digits behind the point; `dot` even without any.
    pub fn fixed(mut self, precision: usize, dot: bool) -> String {
        self.round(self.point.saturating_add(clamp(precision)));
        let mut text: String = (0..self.point).map(|place| self.digit(place)).collect();
        if self.point <= 0 {
            text.push('0');
        }
        if precision > 0 || dot {
            text.push('.');
        }
        text.extend((0..clamp(precision)).map(|i| self.digit(self.point + i)));
        text
    }

    /// As `%e`.
    pub fn scientific(mut self, precision: usize, dot: bool) -> String {
        self.round(clamp(precision) + 1);
        let mut text = String::from(self.digit(0));
        if precision > 0 || dot {
            text.push('.');
        }
        text.extend((1..=clamp(precision)).map(|i| self.digit(i)));
        let exponent = self.exponent();
        let sign = if exponent < 0 { '-' } else { '+' };
        text.push_str(&format!("e{sign}{:02}", exponent.unsigned_abs()));
        text
    }

    /// As `%g`; `keep` keeps trailing zeros.
    pub fn general(self, precision: usize, keep: bool) -> String {
        let precision = precision.max(1);
        let mut rounded = self.clone();
        rounded.round(clamp(precision));
        let exponent = rounded.exponent();
        let strip = |text: String| match text.find('.') {
            Some(_) if !keep => text.trim_end_matches('0').trim_end_matches('.').to_string(),
            _ => text,
        };
        if exponent < -4 || exponent >= clamp(precision) {
            let text = self.scientific(precision - 1, keep);
            let (front, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
            return format!("{}e{exponent}", strip(front.to_string()));
        }
        strip(self.fixed((clamp(precision) - 1 - exponent) as usize, keep))
    }
}

/// Brings the limbs below their base.
fn normal(mut number: Vec<u64>) -> Vec<u64> {
    let mut carry = 0;
    for limb in &mut number {
        let sum = *limb + carry;
        (*limb, carry) = (sum % 1_000_000_000, sum / 1_000_000_000);
    }
    while carry != 0 {
        number.push(carry % 1_000_000_000);
        carry /= 1_000_000_000;
    }
    number
}

fn clamp(precision: usize) -> i32 {
    i32::try_from(precision).unwrap_or(i32::MAX / 2).min(i32::MAX / 2)
}

/// As `%a` without the sign: shortest when there is no precision.
pub fn hexadecimal(value: f64, precision: Option<usize>, dot: bool) -> String {
    let (significand, power) = parts(value);
    let normal = significand >> SIGNIFICAND != 0;
    let exponent = match (significand, normal) {
        (0, _) => 0,
        (_, true) => power + SIGNIFICAND as i32,
        (_, false) => -1022,
    };
    let mut digits = significand;
    let places = (SIGNIFICAND / 4) as usize;
    if let Some(p) = precision.filter(|&p| p < places) {
        let drop = 4 * (places - p) as u32;
        let (kept, rest, half) = (digits >> drop, digits & ((1 << drop) - 1), 1 << (drop - 1));
        let up = rest > half || rest == half && kept & 1 == 1;
        digits = (kept + u64::from(up)) << drop;
    }
    let fraction = format!("{:013x}", digits & ((1 << SIGNIFICAND) - 1));
    let fraction = match precision {
        None => fraction.trim_end_matches('0').to_string(),
        Some(p) => format!("{fraction:0<p$}")[..p].to_string(),
    };
    let point = if fraction.is_empty() && !dot { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{:x}{point}{fraction}p{sign}{}", digits >> SIGNIFICAND, exponent.unsigned_abs())
}
