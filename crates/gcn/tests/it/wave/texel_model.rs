//! Formats of buffers by their definitions.

use upset_lanes::fp::exact::{Number, convert, from_integer};
use upset_lanes::fp::{Format, Rounding};

/// Channels from the lowest bit on.
pub const WIDTHS: [&[u32]; 16] = [
    &[],
    &[8],
    &[16],
    &[8, 8],
    &[32],
    &[16, 16],
    &[11, 11, 10],
    &[10, 11, 11],
    &[2, 10, 10, 10],
    &[10, 10, 10, 2],
    &[8, 8, 8, 8],
    &[32, 32],
    &[16, 16, 16, 16],
    &[32, 32, 32],
    &[32, 32, 32, 32],
    &[],
];

const NEAREST: Rounding = Rounding::Nearest;

fn small_float(width: u32) -> Option<Format> {
    let frac_bits = match width {
        16 => 10,
        11 => 6,
        10 => 5,
        _ => return None,
    };
    Some(Format { exp_bits: 5, frac_bits })
}

/// A channel as a register has it.
pub fn load(bits: u32, width: u32, nfmt: u8) -> u32 {
    let all = (1i64 << width) - 1;
    let top = 1i64 << (width - 1);
    let unsigned = i64::from(bits);
    // Two bits never have a sign.
    let signed = if unsigned >= top && width != 2 { unsigned - 2 * top } else { unsigned };
    let most = if width == 2 { all } else { top - 1 };
    // Single precision divides single precision: rounded once.
    let quotient = |a: i64, b: i64| {
        if width <= 16 {
            (a as f32 / b as f32).to_bits()
        } else {
            ((a as f64 / b as f64) as f32).to_bits()
        }
    };
    let integer = |value: i64| from_integer(Format::F32, i128::from(value), NEAREST) as u32;
    match nfmt {
        0 => quotient(unsigned, all),
        1 => quotient(signed.max(-most), most),
        2 => integer(unsigned),
        3 => integer(signed),
        4 => bits,
        5 => signed as u32,
        6 if width == 2 => quotient(unsigned, all),
        6 => quotient(2 * signed + 1, all),
        _ => match small_float(width) {
            None => bits,
            Some(f) if f.is_nan(u64::from(bits)) => {
                let sign = if width == 16 { bits >> 15 } else { 0 };
                let payload = (bits % (1 << f.frac_bits)) << (23 - f.frac_bits);
                sign << 31 | 0x7fc0_0000 | payload
            }
            Some(f) => convert(f, Format::F32, u64::from(bits), NEAREST) as u32,
        },
    }
}

/// A channel's bits of a register's value, for all formats but the one of
/// OpenGL, which is not stored.
pub fn store(word: u32, width: u32, nfmt: u8) -> u32 {
    let all = (1i128 << width) - 1;
    let top = (1i128 << (width - 1)) - 1;
    let number = Number::unpack(Format::F32, u64::from(word));
    let scaled = |by: i128, min: i128, max: i128| {
        let product = number.product(Number::scaled(false, by as u128, 0));
        product.to_integer(NEAREST, min, max).unwrap_or(0).clamp(min, max)
    };
    let code = match nfmt {
        0 => scaled(all, 0, all),
        1 => scaled(top, -top, top),
        2 => scaled(1, 0, all),
        3 => scaled(1, -top - 1, top),
        4 => i128::from(word).min(all),
        5 => i128::from(word as i32).clamp(-top - 1, top),
        _ => match small_float(width) {
            None => i128::from(word),
            Some(f) if word << 1 > 0xff00_0000 => {
                let sign = if width == 16 { word >> 31 << 15 } else { 0 };
                let payload = (word % (1 << 23)) >> (23 - f.frac_bits) | 1 << (f.frac_bits - 1);
                i128::from(sign | 31 << f.frac_bits | payload)
            }
            Some(_) if width != 16 && word >> 31 == 1 => 0,
            Some(f) => i128::from(convert(Format::F32, f, u64::from(word), NEAREST)),
        },
    };
    (code & all) as u32
}

/// One, in a register.
pub fn one(nfmt: u8) -> u32 {
    if nfmt == 4 || nfmt == 5 { 1 } else { 1f32.to_bits() }
}

fn bit(bytes: &[u8], at: u32) -> u32 {
    u32::from(bytes[at as usize / 8]) >> (at % 8) & 1
}

/// Registers of a load: `select` as in a descriptor.
pub fn load_all(bytes: &[u8], dfmt: u8, nfmt: u8, select: [u8; 4]) -> [u32; 4] {
    let widths = WIDTHS[usize::from(dfmt)];
    select.map(|code| match code {
        1 => one(nfmt),
        4..=7 => {
            let channel = usize::from(code - 4);
            let first: u32 = widths.iter().take(channel).sum();
            match widths.get(channel) {
                Some(&width) => {
                    let bits = (0..width).fold(0, |all, n| all | bit(bytes, first + n) << n);
                    load(bits, width, nfmt)
                }
                None if channel == 3 => one(nfmt),
                None => 0,
            }
        }
        _ => 0,
    })
}

/// Bytes of a store.
pub fn store_all(words: &[u32], dfmt: u8, nfmt: u8, select: [u8; 4]) -> Vec<u8> {
    let mut bits = Vec::new();
    for (channel, &width) in WIDTHS[usize::from(dfmt)].iter().enumerate() {
        let from = words.iter().zip(select).find(|(_, code)| usize::from(*code) == channel + 4);
        let value = from.map_or(0, |(word, _)| store(*word, width, nfmt));
        bits.extend((0..width).map(|n| value >> n & 1));
    }
    bits.chunks(8).map(|eight| eight.iter().rev().fold(0, |all, b| all << 1 | *b as u8)).collect()
}
