//! Tables of syndromes: what wrong results look like, and how often.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use crate::random::philox;

/// Rows that a table may have: it is part of a fault's name.
pub const MOST_ROWS: usize = 256;

/// What is wrong with a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pattern {
    /// So many bits of it, any.
    Bits(u8),
    /// These bits.
    Mask(u32),
    /// It is zero.
    Zero,
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::Bits(count) => write!(f, "{count}"),
            Pattern::Mask(mask) => write!(f, "{mask:#x}"),
            Pattern::Zero => f.write_str("zero"),
        }
    }
}

/// Patterns and how often each was seen.
///
/// A table lives as long as the process ([`Table::keep`]), so that a fault can
/// be copied bit by bit without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Table {
    /// Its name; empty for a table of the user's.
    pub name: &'static str,
    /// Where the numbers come from.
    pub source: &'static str,
    /// Patterns, ascending, each once, with a weight above 0.
    rows: &'static [(Pattern, u32)],
}

/// Weights of 1 to 32 wrong bits, then of a result that is zero, in millionths.
const fn by_count(weights: [u32; 33]) -> [(Pattern, u32); 33] {
    let mut rows = [(Pattern::Zero, 0); 33];
    let mut i = 0;
    while i < 33 {
        let pattern = if i < 32 { Pattern::Bits(i as u8 + 1) } else { Pattern::Zero };
        rows[i] = (pattern, weights[i]);
        i += 1;
    }
    rows
}

const SOURCE: &str = "UFRGS-CAROL dsn_2021 (FlexGripPlus at register-transfer level)";

// The published figures are the share of results with one wrong bit, the share
// that is zero, and the mean number of wrong bits. Between 2 and 32 bits the
// weights are those of largest entropy: they fall by the same factor from each
// number to the next, and the mean fixes the factor (0.8945, 0.9599, 0.9717). A
// result that should have 32 random bits and is zero has 16 wrong on average.
static UNITS: [(Pattern, u32); 33] = by_count([
    430_000, 60_879, 54_459, 48_716, 43_577, 38_981, 34_870, 31_192, 27_902, 24_960, 22_327,
    19_972, 17_866, 15_982, 14_296, 12_788, 11_440, 10_233, 9_154, 8_188, 7_325, 6_552, 5_861,
    5_243, 4_690, 4_195, 3_753, 3_357, 3_003, 2_686, 2_403, 2_150, 11_000,
]);
static PIPELINE: [(Pattern, u32); 33] = by_count([
    67_000, 38_136, 36_608, 35_142, 33_734, 32_383, 31_086, 29_842, 28_646, 27_499, 26_397, 25_340,
    24_325, 23_351, 22_416, 21_518, 20_656, 19_829, 19_035, 18_272, 17_540, 16_838, 16_164, 15_516,
    14_895, 14_298, 13_725, 13_176, 12_648, 12_141, 11_655, 11_189, 249_000,
]);
static SCHEDULER: [(Pattern, u32); 33] = by_count([
    22_000, 40_650, 39_501, 38_385, 37_300, 36_247, 35_223, 34_227, 33_260, 32_320, 31_407, 30_520,
    29_657, 28_820, 28_005, 27_214, 26_445, 25_698, 24_972, 24_266, 23_581, 22_914, 22_267, 21_638,
    21_026, 20_432, 19_855, 19_294, 18_749, 18_219, 17_704, 17_204, 131_000,
]);

/// Tables that are built in.
pub static TABLES: [Table; 3] = [
    Table { name: "units", source: SOURCE, rows: &UNITS },
    Table { name: "pipeline", source: SOURCE, rows: &PIPELINE },
    Table { name: "scheduler", source: SOURCE, rows: &SCHEDULER },
];

/// Tables of users' that were met so far.
static KEPT: Mutex<BTreeSet<&'static Table>> = Mutex::new(BTreeSet::new());

impl Table {
    /// The table with these rows, in any order.
    pub fn keep(rows: &[(Pattern, u32)]) -> Result<&'static Table, String> {
        let mut sorted = rows.to_vec();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|w| w[0].0 == w[1].0) {
            return Err(format!("the table has {} twice", twice[0].0));
        }
        for (pattern, weight) in &sorted {
            match pattern {
                Pattern::Bits(n) if !(1..=32).contains(n) => {
                    return Err(format!("a word has 1 to 32 wrong bits, not {n}"));
                }
                Pattern::Mask(0) => return Err("0x0 changes nothing: leave it out".into()),
                _ if *weight == 0 => {
                    return Err(format!("{pattern} has the weight 0: leave it out"));
                }
                _ => {}
            }
        }
        if sorted.is_empty() || sorted.len() > MOST_ROWS {
            return Err(format!("a table has 1 to {MOST_ROWS} rows, this one {}", sorted.len()));
        }
        if let Some(known) = TABLES.iter().find(|t| *t.rows == *sorted) {
            return Ok(known);
        }
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.iter().find(|t| *t.rows == *sorted) {
            return Ok(known);
        }
        let rows = Box::leak(sorted.into_boxed_slice());
        let table: &'static Table = Box::leak(Box::new(Table { name: "", source: "", rows }));
        kept.insert(table);
        Ok(table)
    }

    /// Patterns, and how often each was seen.
    pub fn rows(&self) -> &'static [(Pattern, u32)] {
        self.rows
    }

    /// Sum of the weights.
    pub fn total(&self) -> u64 {
        self.rows.iter().map(|(_, weight)| u64::from(*weight)).sum()
    }

    /// What is wrong with `value` in the bits of `named`: ones where a bit is
    /// another. The same for the same key and place.
    pub(crate) fn draw(&self, named: u32, value: u32, place: [u64; 2], key: [u64; 2]) -> u32 {
        let mut draws = Words { place, key, block: 0, words: [0; 4], used: 4 };
        let mut left = draws.below(self.total());
        let mut pattern = Pattern::Zero;
        for &(next, weight) in self.rows {
            pattern = next;
            if left < u64::from(weight) {
                break;
            }
            left -= u64::from(weight);
        }
        match pattern {
            Pattern::Zero => value & named,
            Pattern::Mask(mask) => mask & named,
            Pattern::Bits(count) => {
                let mut wanted = u64::from(count).min(u64::from(named.count_ones()));
                let mut left = u64::from(named.count_ones());
                let mut wrong = 0;
                // Each bit with the share of those still wanted among those left:
                // every set is as likely as any other.
                for bit in (0..32).filter(|b| named >> b & 1 == 1) {
                    if draws.below(left) < wanted {
                        wrong |= 1 << bit;
                        wanted -= 1;
                    }
                    left -= 1;
                }
                wrong
            }
        }
    }
}

/// Random numbers of one use of a word.
struct Words {
    place: [u64; 2],
    key: [u64; 2],
    block: u64,
    words: [u64; 4],
    used: usize,
}

impl Words {
    /// A number below a limit, far smaller than 2^64: no bias that shows.
    fn below(&mut self, limit: u64) -> u64 {
        if self.used == 4 {
            // Draws of chances have a 0 where these have a 1.
            self.words = philox([self.place[0], self.place[1], 1, self.block], self.key);
            (self.block, self.used) = (self.block + 1, 0);
        }
        self.used += 1;
        ((u128::from(self.words[self.used - 1]) * u128::from(limit)) >> 64) as u64
    }
}

/// `units`, or rows as `1=43/2=20/0x80000000=5/zero=11`.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            return f.write_str(self.name);
        }
        for (i, (pattern, weight)) in self.rows.iter().enumerate() {
            write!(f, "{}{pattern}={weight}", if i > 0 { "/" } else { "" })?;
        }
        Ok(())
    }
}

/// A pattern as it is written: `3`, `0x80000000`, `zero`.
impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Pattern, String> {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let pattern = match text.strip_prefix("0x") {
            Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
                u32::from_str_radix(hex, 16).ok().map(Pattern::Mask)
            }
            None if text == "zero" => Some(Pattern::Zero),
            None if digits => text.parse().ok().map(Pattern::Bits),
            _ => None,
        };
        pattern
            .ok_or_else(|| format!("`{text}` is no pattern: write 1 to 32 (bits), 0xMASK, or zero"))
    }
}

/// A built-in table or rows, as they are printed.
pub fn table(text: &str) -> Result<&'static Table, String> {
    if let Some(known) = TABLES.iter().find(|t| t.name == text) {
        return Ok(known);
    }
    let mut rows = Vec::new();
    for row in text.split('/') {
        let Some((pattern, weight)) = row.split_once('=') else {
            let names: Vec<&str> = TABLES.iter().map(|t| t.name).collect();
            return Err(format!(
                "`{text}` is no table of syndromes: write {}, a FILE.toml or FILE.csv, or rows as \
                 1=43/2=20/zero=11",
                names.join(", ")
            ));
        };
        let digits = weight.bytes().all(|b| b.is_ascii_digit());
        let weight: Option<u32> = weight.parse().ok().filter(|_| digits);
        let weight = weight.ok_or_else(|| format!("the weight in `{row}` is no whole number"))?;
        rows.push((pattern.parse()?, weight));
    }
    Table::keep(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u64; 2] = [7, 1];

    /// The published figures: one bit, mean bits, zero (a zero has 16 wrong bits
    /// on average).
    #[test]
    fn built_in_tables_have_the_figures_of_their_source() {
        for (name, one, mean, zero) in [
            ("units", 430_000, 5_900_000, 11_000),
            ("pipeline", 67_000, 13_500_000, 249_000),
            ("scheduler", 22_000, 14_600_000, 131_000),
        ] {
            let t = table(name).unwrap();
            let weight = |p: Pattern| t.rows.iter().find(|r| r.0 == p).map(|r| r.1);
            assert_eq!((t.total(), weight(Pattern::Bits(1))), (1_000_000, Some(one)), "{name}");
            assert_eq!(weight(Pattern::Zero), Some(zero), "{name}");
            let bits = |(p, w): &(Pattern, u32)| match p {
                Pattern::Bits(n) => u64::from(*n) * u64::from(*w),
                Pattern::Mask(_) => 0,
                Pattern::Zero => 16 * u64::from(*w),
            };
            assert_eq!(t.rows.iter().map(bits).sum::<u64>(), mean, "{name}");
            // Weights fall by one factor from two bits on.
            let many: Vec<f64> = t.rows[1..32].iter().map(|r| f64::from(r.1)).collect();
            let factor = (many[30] / many[0]).powf(1.0 / 30.0);
            assert!(many.windows(2).all(|w| (w[1] / w[0] - factor).abs() < 1e-3), "{name}");
            assert!(!t.source.is_empty() && t.to_string() == name);
        }
    }

    #[test]
    fn draws_have_the_figures_too() {
        for (name, one, mean, zero) in [
            ("units", 0.43, 5.9, 0.011),
            ("pipeline", 0.067, 13.5, 0.249),
            ("scheduler", 0.022, 14.6, 0.131),
        ] {
            let t = table(name).unwrap();
            let (mut ones, mut zeros, mut bits) = (0u32, 0u32, 0u64);
            let n = 40_000;
            for cycle in 0..n {
                // Right results of random bits: those of another key.
                let right = philox([cycle, 0, 0, 0], [0; 2])[0] as u32;
                let wrong = t.draw(!0, right, [96, cycle], KEY);
                assert_eq!(wrong, t.draw(!0, right, [96, cycle], KEY));
                ones += u32::from(wrong.count_ones() == 1);
                zeros += u32::from(wrong == right);
                bits += u64::from(wrong.count_ones());
            }
            let share = |count: u32| f64::from(count) / n as f64;
            // Four deviations of a share, and of a mean of numbers up to 32.
            let near =
                |share: f64, p: f64| (share - p).abs() < 4.0 * (p * (1.0 - p) / n as f64).sqrt();
            assert!(near(share(ones), one) && near(share(zeros), zero), "{name} {ones} {zeros}");
            assert!((bits as f64 / n as f64 - mean).abs() < 0.2, "{name} {bits}");
        }
    }

    #[test]
    fn only_named_bits_are_wrong_and_each_as_often() {
        let t = table("2=1").unwrap();
        let named = 0b1011_0010;
        let mut counts = [0u32; 32];
        for cycle in 0..6_000 {
            let wrong = t.draw(named, 0, [0, cycle], KEY);
            assert_eq!((wrong.count_ones(), wrong & !named), (2, 0));
            (0..32).for_each(|b| counts[b] += wrong >> b & 1);
        }
        // Two of four bits each time: 3,000 each, with a deviation of 39.
        let hit: Vec<u32> = counts.into_iter().filter(|c| *c > 0).collect();
        assert!(hit.len() == 4 && hit.iter().all(|c| c.abs_diff(3_000) < 160), "{hit:?}");
        let more = table("32=1").unwrap();
        assert_eq!(more.draw(named, 0, [0, 0], KEY), named);
        assert_eq!(table("zero=1").unwrap().draw(0xf0, 0x1234_5678, [0, 0], KEY), 0x70);
        assert_eq!(table("0xff00ff=3").unwrap().draw(0xfff, 0, [0, 0], KEY), 0xff);
    }

    #[test]
    fn tables_print_and_parse_and_are_kept_once() {
        for text in ["units", "1=43", "1=43/32=5/0x80000000=2/zero=11"] {
            assert_eq!(table(text).unwrap().to_string(), text);
        }
        let (a, b) = (table("zero=1/3=2").unwrap(), table("3=2/zero=1").unwrap());
        assert!(std::ptr::eq(a, b) && a.to_string() == "3=2/zero=1");
        let rows: Vec<String> = TABLES[0].rows.iter().map(|(p, w)| format!("{p}={w}")).collect();
        assert_eq!(table(&rows.join("/")), Ok(&TABLES[0]));
        for (text, why) in [
            ("unit", "is no table of syndromes: write units, pipeline, scheduler, a FILE.toml"),
            ("", "is no table"),
            ("33=1", "1 to 32 wrong bits, not 33"),
            ("1=0", "1 has the weight 0"),
            ("0x0=1", "0x0 changes nothing"),
            ("1=1/1=2", "has 1 twice"),
            ("1=-1", "no whole number"),
            ("1=", "no whole number"),
            ("0x=1", "is no pattern"),
            ("x=1", "is no pattern"),
            ("0x1ffffffff=1", "is no pattern"),
        ] {
            let problem = table(text).unwrap_err();
            assert!(problem.contains(why), "{text}: {problem}");
        }
        let long: Vec<String> = (1..=257).map(|n| format!("{n:#x}=1")).collect();
        assert!(table(&long.join("/")).unwrap_err().contains("1 to 256 rows, this one 257"));
    }
}
