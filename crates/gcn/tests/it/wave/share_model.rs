//! LDS by the formulas of CLRX, read from the mnemonic, one lane after the other.

use super::storage::Wave;

/// What an atomic makes of an old value (`op` and type by their names).
pub fn change(op: &str, kind: &str, old: u64, data: u64, third: u64) -> u64 {
    let wide = kind.ends_with("64");
    let cut = |value: u64| if wide { value } else { value as u32 as u64 };
    let signed = |value: u64| if wide { value as i64 } else { i64::from(value as i32) };
    let number = |value: u64| {
        if wide { f64::from_bits(value) } else { f64::from(f32::from_bits(value as u32)) }
    };
    let below = |a: u64, b: u64| match &kind[..1] {
        "i" => signed(a) < signed(b),
        "f" => number(a) < number(b),
        _ => a < b,
    };
    let equal =
        |a: u64, b: u64| if kind.starts_with('f') { number(a) == number(b) } else { a == b };
    match op {
        "add" => cut(old.wrapping_add(data)),
        "sub" => cut(old.wrapping_sub(data)),
        "rsub" => cut(data.wrapping_sub(old)),
        "inc" => {
            if data > old {
                old + 1
            } else {
                0
            }
        }
        "dec" => {
            if data >= old && old != 0 {
                old - 1
            } else {
                data
            }
        }
        "min" => {
            if below(data, old) {
                data
            } else {
                old
            }
        }
        "max" => {
            if below(old, data) {
                data
            } else {
                old
            }
        }
        "and" => old & data,
        "or" => old | data,
        "xor" => old ^ data,
        "mskor" => old & !third | data,
        "cmpst" => {
            if equal(old, third) {
                data
            } else {
                old
            }
        }
        "wrxchg" | "write" => data,
        _ => panic!("{op}"),
    }
}

/// Places of an instruction's registers.
pub const ADDRESS: usize = 0;
pub const FIRST: usize = 2;
pub const SECOND: usize = 4;
pub const RESULT: usize = 8;

/// LDS as the model sees it: what is beyond the limit is not there.
struct Lds<'a> {
    bytes: &'a mut [u8],
    limit: i64,
}

impl Lds<'_> {
    fn there(&self, at: i64, size: usize) -> bool {
        at >= 0 && at + size as i64 <= self.limit
    }

    fn get(&self, at: i64, size: usize) -> u64 {
        if !self.there(at, size) {
            return 0;
        }
        (0..size).rev().fold(0, |value, n| value << 8 | u64::from(self.bytes[at as usize + n]))
    }

    fn put(&mut self, at: i64, size: usize, value: u64) {
        if self.there(at, size) {
            for n in 0..size {
                self.bytes[at as usize + n] = (value >> (8 * n)) as u8;
            }
        }
    }
}

/// Carries out an instruction by its name.
pub fn execute(wave: &mut Wave, name: &str, offset: u16, bytes: &mut [u8]) {
    let parts: Vec<&str> = name.strip_prefix("ds_").unwrap().split('_').collect();
    let (op, kind) = (parts[0], parts[parts.len() - 1]);
    let (before, whole) = (wave.clone(), bytes.len() as i64);
    let limit = whole.min(i64::from(wave.m0));
    let mut lds = Lds { bytes, limit };
    if matches!(op, "append" | "consume") {
        lds.limit = whole;
        let at = (i64::from(wave.m0 & 0xffff) + i64::from(offset)) & !3;
        let old = lds.get(at, 4) as u32;
        let count = wave.exec.count_ones();
        let new = if op == "append" { old.wrapping_add(count) } else { old.wrapping_sub(count) };
        if wave.exec != 0 {
            lds.put(at, 4, u64::from(new));
        }
        (0..64).filter(|l| before.active(*l)).for_each(|l| wave.set(RESULT, l, old));
        return;
    }
    let size = kind[1..].parse::<usize>().unwrap() / 8;
    let two = op.contains('2');
    let step = if op.ends_with("st64") { 64 * size } else { size };
    let op = op.trim_end_matches("st64").trim_end_matches('2');
    for element in 0..if two { 2 } else { 1 } {
        let offset_bytes = match element {
            _ if !two => i64::from(offset),
            0 => i64::from(offset & 255) * step as i64,
            _ => i64::from(offset >> 8) * step as i64,
        };
        for lane in (0..64).filter(|lane| before.active(*lane)) {
            let base = i64::from(before.lane(ADDRESS, lane));
            let at = (base + offset_bytes) & -(size as i64);
            let operand = |r: usize| {
                if size == 8 { before.wide(r, lane) } else { u64::from(before.lane(r, lane)) }
            };
            let result = RESULT + element * size.div_ceil(4);
            let give = |wave: &mut Wave, value: u64| {
                wave.set(result, lane, value as u32);
                if size == 8 {
                    wave.set(result + 1, lane, (value >> 32) as u32);
                }
            };
            match op {
                "swizzle" => {
                    let from = swizzled(offset, lane);
                    let value = if before.active(from) { before.lane(ADDRESS, from) } else { 0 };
                    wave.set(RESULT, lane, value);
                }
                "read" => {
                    let raw = lds.get(at, size);
                    let spare = 64 - 8 * size as u32;
                    let signed = (((raw << spare) as i64) >> spare) as u64;
                    give(wave, if kind.starts_with('i') { signed } else { raw });
                }
                "write" if parts[1] != "src2" => {
                    let r = if element == 0 { FIRST } else { SECOND };
                    lds.put(at, size, operand(r));
                }
                _ if parts[1] == "src2" => {
                    let [to, from] = pair(base as u32, offset, size as i64);
                    let new = change(op, kind, lds.get(to, size), lds.get(from, size), 0);
                    lds.put(to, size, new);
                }
                _ => {
                    let old = lds.get(at, size);
                    let (data, third) = match op {
                        "cmpst" | "mskor" => (operand(SECOND), operand(FIRST)),
                        _ if element == 1 => (operand(SECOND), 0),
                        _ => (operand(FIRST), 0),
                    };
                    lds.put(at, size, change(op, kind, old, data, third));
                    if parts[1] == "rtn" {
                        give(wave, old);
                    }
                }
            }
        }
    }
}

/// The two addresses of `_src2` forms.
fn pair(value: u32, offset: u16, size: i64) -> [i64; 2] {
    let (first, fifteen) = if offset & 0x8000 != 0 {
        (value % (1 << 17), i64::from(value >> 17))
    } else {
        (value, i64::from(offset % (1 << 15)))
    };
    let distance = if fifteen >= 1 << 14 { fifteen - (1 << 15) } else { fifteen };
    let first = i64::from(first) / size * size;
    [first, (first + 4 * distance).div_euclid(size) * size]
}

fn swizzled(offset: u16, lane: usize) -> usize {
    let field = |at: u32, bits: u32| usize::from(offset) >> at & ((1 << bits) - 1);
    if offset & 0x8000 != 0 {
        return lane / 4 * 4 + field(2 * (lane % 4) as u32, 2);
    }
    let inner = ((lane % 32) & field(0, 5) | field(5, 5)) ^ field(10, 5);
    lane / 32 * 32 + inner
}
