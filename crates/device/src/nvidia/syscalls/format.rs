//! `printf`'s text from a format and an argument block, as C defines it and
//! glibc shows it.

use super::decimal::{Decimal, hexadecimal};

/// The arguments of a call, as the device recorded them.
pub struct Arguments<'a> {
    /// The argument block: each argument at a multiple of its size.
    pub block: &'a [u8],
    /// The strings that `%s` arguments point to, each with its zero, in order.
    pub strings: &'a [u8],
}

/// The text of a call. What a damaged record lacks is taken as zeros.
pub fn format(format: &[u8], arguments: &Arguments<'_>) -> Vec<u8> {
    let mut source = Source { block: arguments.block, at: 0, strings: arguments.strings };
    let mut text = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&c| c == b'%') {
        text.extend_from_slice(&rest[..at]);
        let (spec, length) = Spec::parse(&rest[at + 1..], &mut source);
        let whole = &rest[at..at + 1 + length];
        rest = &rest[at + 1 + length..];
        spec.show(whole, &mut source, &mut text);
    }
    text.extend_from_slice(rest);
    text
}

/// Takes arguments one by one.
struct Source<'a> {
    block: &'a [u8],
    at: usize,
    strings: &'a [u8],
}

impl<'a> Source<'a> {
    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let at = self.at.next_multiple_of(N);
        self.at = at + N;
        self.block.get(at..at + N).and_then(|b| b.try_into().ok()).unwrap_or([0; N])
    }

    fn word(&mut self) -> i32 {
        i32::from_le_bytes(self.bytes())
    }

    fn double_word(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }

    fn string(&mut self) -> Option<&'a [u8]> {
        if self.double_word() == 0 {
            return None;
        }
        let end = self.strings.iter().position(|&c| c == 0).unwrap_or(self.strings.len());
        let text = &self.strings[..end];
        self.strings = self.strings.get(end + 1..).unwrap_or(&[]);
        Some(text)
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Length {
    Byte,
    Half,
    #[default]
    Word,
    Long,
}

/// A conversion specification.
#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Length,
    conversion: u8,
}

/// Wider fields are a damaged record, not a wish.
const WIDEST: usize = 1 << 20;

impl Spec {
    /// Reads a specification behind its `%`; also returns its length.
    fn parse(text: &[u8], source: &mut Source<'_>) -> (Spec, usize) {
        let mut spec = Spec::default();
        let mut at = 0;
        let mut point = false;
        while let Some(&c) = text.get(at) {
            at += 1;
            match c {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'\'' => {}
                b'0' if !point && spec.width == 0 => spec.zero = true,
                b'0'..=b'9' => {
                    let number = if point {
                        spec.precision.get_or_insert_default()
                    } else {
                        &mut spec.width
                    };
                    *number = (*number * 10 + usize::from(c - b'0')).min(WIDEST);
                }
                b'.' => {
                    point = true;
                    spec.precision = Some(0);
                }
                b'*' => {
                    let given = source.word();
                    let number = (given.unsigned_abs() as usize).min(WIDEST);
                    match (point, given < 0) {
                        (true, negative) => spec.precision = (!negative).then_some(number),
                        (false, negative) => {
                            spec.width = number;
                            spec.left |= negative;
                        }
                    }
                }
                b'h' if spec.length == Length::Half => spec.length = Length::Byte,
                b'h' => spec.length = Length::Half,
                b'l' | b'j' | b'z' | b't' | b'L' => spec.length = Length::Long,
                conversion => {
                    spec.conversion = conversion;
                    break;
                }
            }
        }
        (spec, at)
    }

    /// Appends the converted argument; `whole` is the specification itself.
    fn show(&self, whole: &[u8], source: &mut Source<'_>, text: &mut Vec<u8>) {
        match self.conversion {
            b'%' => text.push(b'%'),
            b'd' | b'i' => {
                let value = self.signed(source);
                self.integer(self.sign(value < 0), "", value.unsigned_abs().to_string(), text);
            }
            b'u' => {
                let value = self.unsigned(source);
                self.integer("", "", value.to_string(), text);
            }
            b'x' | b'X' => {
                let value = self.unsigned(source);
                let digits = format!("{value:x}");
                let prefix = if self.alternate && value != 0 { "0x" } else { "" };
                if self.conversion == b'X' {
                    let prefix = if prefix.is_empty() { "" } else { "0X" };
                    self.integer("", prefix, digits.to_uppercase(), text);
                } else {
                    self.integer("", prefix, digits, text);
                }
            }
            b'o' => {
                let value = self.unsigned(source);
                let mut digits = format!("{value:o}");
                // The alternate form begins with a zero.
                if self.alternate && value != 0 && self.precision.unwrap_or(0) <= digits.len() {
                    digits.insert(0, '0');
                }
                let forced = Spec { precision: self.precision.map(|p| p.max(1)), ..self.copy() };
                let spec = if self.alternate && value == 0 { &forced } else { self };
                spec.integer("", "", digits, text);
            }
            b'c' => {
                let value = source.word() as u8;
                self.pad(&[value], text);
            }
            b's' => {
                // glibc shows a null pointer whole or not at all.
                let fits = self.precision.is_none_or(|p| p >= 6);
                let null: &[u8] = if fits { b"(null)" } else { b"" };
                let value = source.string().unwrap_or(null);
                let shown = self.precision.map_or(value.len(), |p| p.min(value.len()));
                self.pad(&value[..shown], text);
            }
            b'p' => match source.double_word() {
                0 => self.pad(b"(nil)", text),
                value => {
                    self.integer(self.sign(false), "0x", format!("{value:x}"), text);
                }
            },
            b'n' => {
                source.double_word();
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let value = f64::from_bits(source.double_word());
                self.real(value, text);
            }
            // No conversion: shown as it stands.
            _ => text.extend_from_slice(whole),
        }
    }

    fn copy(&self) -> Spec {
        Spec { ..*self }
    }

    fn signed(&self, source: &mut Source<'_>) -> i64 {
        match self.length {
            Length::Byte => i64::from(source.word() as i8),
            Length::Half => i64::from(source.word() as i16),
            Length::Word => i64::from(source.word()),
            Length::Long => source.double_word() as i64,
        }
    }

    fn unsigned(&self, source: &mut Source<'_>) -> u64 {
        match self.length {
            Length::Byte => u64::from(source.word() as u8),
            Length::Half => u64::from(source.word() as u16),
            Length::Word => u64::from(source.word() as u32),
            Length::Long => source.double_word(),
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn integer(&self, sign: &str, prefix: &str, digits: String, text: &mut Vec<u8>) {
        let digits = match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(p) => format!("{digits:0>p$}"),
            None => digits,
        };
        // A precision says how many zeros there are: the flag is ignored then.
        self.number(&format!("{sign}{prefix}"), &digits, self.precision.is_none(), text);
    }

    fn real(&self, value: f64, text: &mut Vec<u8>) {
        let sign = self.sign(value.is_sign_negative());
        let magnitude = value.abs();
        let precision = self.precision.unwrap_or(6);
        let mut prefix = sign.to_string();
        let mut digits = if value.is_nan() {
            "nan".to_string()
        } else if value.is_infinite() {
            "inf".to_string()
        } else {
            let decimal = || Decimal::new(magnitude);
            match self.conversion.to_ascii_lowercase() {
                b'f' => decimal().fixed(precision, self.alternate),
                b'e' => decimal().scientific(precision, self.alternate),
                b'g' => decimal().general(precision, self.alternate),
                _ => {
                    prefix.push_str("0x");
                    hexadecimal(magnitude, self.precision, self.alternate)
                }
            }
        };
        if self.conversion.is_ascii_uppercase() {
            digits.make_ascii_uppercase();
            prefix.make_ascii_uppercase();
        }
        self.number(&prefix, &digits, value.is_finite(), text);
    }

    /// A number in its field; zeros go between the sign and the digits.
    fn number(&self, prefix: &str, digits: &str, zeros: bool, text: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(prefix.len() + digits.len());
        if self.zero && zeros && !self.left {
            text.extend_from_slice(prefix.as_bytes());
            text.extend(std::iter::repeat_n(b'0', missing));
            text.extend_from_slice(digits.as_bytes());
        } else {
            self.pad(format!("{prefix}{digits}").as_bytes(), text);
        }
    }

    fn pad(&self, value: &[u8], text: &mut Vec<u8>) {
        let spaces = std::iter::repeat_n(b' ', self.width.saturating_sub(value.len()));
        if self.left {
            text.extend_from_slice(value);
            text.extend(spaces);
        } else {
            text.extend(spaces);
            text.extend_from_slice(value);
        }
    }
}

#[cfg(test)]
mod tests;
