//! How a broken bit misbehaves at a use, where it is not simply stuck.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::syndrome::{Table, table};

/// What a use does to a broken bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Does {
    /// It has this value.
    Stick(bool),
    /// It is inverted.
    Invert,
    /// It is wrong together with others of its word, as a table says.
    Syndrome(&'static Table),
}

/// The share of uses that are hit: above 0 and at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// The smallest: one use in so many would never be met.
    const LEAST: f64 = 1e-12;

    /// A share, if it is one.
    pub fn new(share: f64) -> Option<Rate> {
        // The bits of positive numbers are ordered as the numbers are.
        (Rate::LEAST..=1.0).contains(&share).then(|| Rate(share.to_bits()))
    }

    /// The share.
    pub fn share(self) -> f64 {
        f64::from_bits(self.0)
    }

    /// Whether a random number hits.
    pub(crate) fn hits(self, drawn: u64) -> bool {
        // A product with a power of two is exact.
        u128::from(drawn) < (self.share() * 2f64.powi(64)) as u128
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.share())
    }
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Rate, String> {
        let plain = |b: u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'-');
        let share = text.bytes().all(plain).then(|| text.parse().ok()).flatten();
        share.and_then(Rate::new).ok_or_else(|| {
            format!("the rate `{text}` must be from {:e} to 1 (1 % is 0.01)", Rate::LEAST)
        })
    }
}

/// A demand on an operand of the same lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition {
    /// Which operand: 0, 1, 2 for a, b, c.
    pub operand: u8,
    /// Bits that are looked at.
    pub mask: u32,
    /// What they must be.
    pub value: u32,
    /// Or must not be.
    pub differs: bool,
}

impl Condition {
    /// Whether the operands of word `i` of so many meet it; no where there is no
    /// such operand. A lane may have several words.
    pub(crate) fn is_met(&self, operands: &[Option<&[u32]>; 3], i: usize, words: usize) -> bool {
        let operand = operands.get(usize::from(self.operand)).copied().flatten();
        let word = operand.and_then(|lanes| lanes.get(i * lanes.len() / words.max(1)));
        word.is_some_and(|word| (word & self.mask == self.value) != self.differs)
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(b'a' + self.operand))?;
        if self.mask != !0 {
            write!(f, "&{:#x}", self.mask)?;
        }
        write!(f, "{}={:#x}", if self.differs { "!" } else { "" }, self.value)
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let forms = || {
            format!(
                "`{text}` is no condition: write a, b or c, perhaps &MASK, then =VALUE or !=VALUE, \
                 e.g. a&0x80000000=0x80000000"
            )
        };
        let (left, value) = text.split_once('=').ok_or_else(forms)?;
        let (left, differs) = match left.strip_suffix('!') {
            Some(left) => (left, true),
            None => (left, false),
        };
        let (operand, mask) = match left.split_once('&') {
            Some((operand, mask)) => (operand, word(mask).ok_or_else(forms)?),
            None => (left, !0),
        };
        let operand = match operand.trim() {
            "a" => 0,
            "b" => 1,
            "c" => 2,
            _ => return Err(forms()),
        };
        let value = word(value).ok_or_else(forms)?;
        if value & !mask != 0 || mask == 0 {
            return Err(format!(
                "`{text}` asks for bits that the mask leaves out: every use would be the same"
            ));
        }
        Ok(Condition { operand, mask, value, differs })
    }
}

/// A number of 32 bits, in hexadecimal digits with `0x`.
fn word(text: &str) -> Option<u32> {
    let text = text.trim();
    match text.strip_prefix("0x") {
        Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
            u32::from_str_radix(hex, 16).ok()
        }
        None if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    }
}

/// How a broken bit misbehaves: what happens, at which uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct How {
    /// What happens.
    pub does: Does,
    /// The share of uses at which it does; all without one.
    pub rate: Option<Rate>,
    /// What draws follow from, where there are any; else 0.
    pub seed: u64,
    /// Uses at which it can happen.
    pub only: Option<Condition>,
}

impl How {
    /// At every use.
    pub const fn always(does: Does) -> How {
        How { does, rate: None, seed: 0, only: None }
    }

    /// Whether something is drawn at a use.
    pub fn draws(&self) -> bool {
        self.rate.is_some() || matches!(self.does, Does::Syndrome(_))
    }
}

/// `invert`, `stuck1(rate=0.01,seed=7)`, `syndrome(units,seed=7,if a=0x1)`.
impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut inside = Vec::new();
        match self.does {
            Does::Stick(value) => write!(f, "stuck{}", u8::from(value))?,
            Does::Invert => f.write_str("invert")?,
            Does::Syndrome(table) => {
                f.write_str("syndrome")?;
                inside.push(table.to_string());
            }
        }
        inside.extend(self.rate.map(|rate| format!("rate={rate}")));
        if self.draws() {
            inside.push(format!("seed={}", self.seed));
        }
        inside.extend(self.only.map(|only| format!("if {only}")));
        match inside.is_empty() {
            true => Ok(()),
            false => write!(f, "({})", inside.join(",")),
        }
    }
}

impl FromStr for How {
    type Err = String;

    fn from_str(text: &str) -> Result<How, String> {
        let (word, inside) = match text.split_once('(') {
            Some((word, rest)) => {
                let inside = rest.strip_suffix(')').ok_or("the `(` has no `)`")?;
                (word, inside.split(',').map(str::trim).collect())
            }
            None => (text, Vec::new()),
        };
        let mut inside = inside.into_iter();
        let does = match word {
            "stuck0" => Does::Stick(false),
            "stuck1" => Does::Stick(true),
            "invert" => Does::Invert,
            "syndrome" => {
                let rows = inside.next().ok_or("which table? e.g. syndrome(units,seed=7)")?;
                Does::Syndrome(table(rows)?)
            }
            _ => return Err(FORMS.into()),
        };
        let mut how = How::always(does);
        let mut seed = None;
        for item in inside {
            if let Some(rate) = item.strip_prefix("rate=").filter(|_| how.rate.is_none()) {
                how.rate = Some(rate.parse()?);
            } else if let Some(number) = item.strip_prefix("seed=").filter(|_| seed.is_none()) {
                let digits = number.bytes().all(|b| b.is_ascii_digit());
                let number = number.parse::<u64>().ok().filter(|_| digits);
                seed = Some(number.ok_or_else(|| format!("`{item}` is no whole number"))?);
            } else if let Some(only) = item.strip_prefix("if ").filter(|_| how.only.is_none()) {
                how.only = Some(only.trim().parse()?);
            } else {
                return Err(format!(
                    "`{item}`: expected rate=SHARE, seed=NUMBER or if CONDITION, each once"
                ));
            }
        }
        if seed.is_some() && !how.draws() {
            return Err("a seed without a rate has nothing to draw: leave it out".into());
        }
        how.seed = seed.unwrap_or(0);
        Ok(how)
    }
}

/// What can be written.
pub const FORMS: &str = "expected flip, stuck0, stuck1, invert, each but flip perhaps with \
                         (rate=SHARE,seed=NUMBER,if CONDITION), syndrome(TABLE,seed=NUMBER), \
                         burst0(ON/OFF) or burst1(ON/OFF)";

impl TryFrom<String> for How {
    type Error = String;

    fn try_from(text: String) -> Result<How, String> {
        text.parse()
    }
}

impl From<How> for String {
    fn from(how: How) -> String {
        how.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_how() -> impl Strategy<Value = How> {
        let does = prop_oneof![
            any::<bool>().prop_map(Does::Stick),
            Just(Does::Invert),
            prop::sample::select(vec!["units", "pipeline", "1=2/zero=3", "0x80000001=1"])
                .prop_map(|text| Does::Syndrome(table(text).unwrap())),
        ];
        let rate = prop::option::of((1e-9f64..=1.0).prop_map(|r| Rate::new(r).unwrap()));
        let only = (0u8..3, 1u32.., any::<u32>(), any::<bool>()).prop_map(
            |(operand, mask, value, differs)| Condition {
                operand,
                mask,
                value: value & mask,
                differs,
            },
        );
        (does, rate, any::<u64>(), prop::option::of(only)).prop_map(|(does, rate, seed, only)| {
            let how = How { does, rate, seed, only };
            How { seed: if how.draws() { seed } else { 0 }, ..how }
        })
    }

    proptest! {
        #[test]
        fn printing_and_parsing_are_inverse(how in any_how()) {
            let text = how.to_string();
            prop_assert_eq!(text.parse::<How>(), Ok(how), "{}", text);
            // Names of experiments are joined and divided by these.
            prop_assert!(!text.contains(['+', '@', ':']), "{}", text);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[a-z0-9=&!.,()/ -]{0,40}") {
            if let Ok(how) = text.parse::<How>() {
                prop_assert_eq!(how.to_string().parse::<How>(), Ok(how));
            }
        }
    }

    #[test]
    fn texts_as_people_write_them() {
        for (text, canonical) in [
            ("invert", "invert"),
            ("stuck1(rate=0.01,seed=7)", "stuck1(rate=0.01,seed=7)"),
            ("stuck0(rate=1e-3)", "stuck0(rate=0.001,seed=0)"),
            ("stuck1( seed=7, rate=0.5 )", "stuck1(rate=0.5,seed=7)"),
            ("stuck1(if a&0x80000000=2147483648)", "stuck1(if a&0x80000000=0x80000000)"),
            ("invert(if c!=0)", "invert(if c!=0x0)"),
            ("syndrome(units)", "syndrome(units,seed=0)"),
            ("syndrome(2=1,rate=0.1,if b=3)", "syndrome(2=1,rate=0.1,seed=0,if b=0x3)"),
        ] {
            assert_eq!(text.parse::<How>().map(|h| h.to_string()).as_deref(), Ok(canonical));
        }
        for (text, why) in [
            ("stick1", "expected flip, stuck0"),
            ("stuck1(rate=0.01", "has no `)`"),
            ("stuck1()", "expected rate=SHARE"),
            ("stuck1(rate=0)", "must be from 1e-12 to 1"),
            ("stuck1(rate=1.5)", "must be from 1e-12 to 1"),
            ("stuck1(rate=nan)", "must be from"),
            ("stuck1(rate=0.1,rate=0.2)", "each once"),
            ("stuck1(seed=1)", "nothing to draw"),
            ("stuck1(rate=0.1,seed=-1)", "no whole number"),
            ("stuck1(if d=1)", "is no condition"),
            ("stuck1(if a)", "is no condition"),
            ("stuck1(if a&0x1=0x2)", "the mask leaves out"),
            ("syndrome", "which table?"),
            ("syndrome(uints)", "is no table of syndromes"),
        ] {
            let problem = text.parse::<How>().unwrap_err();
            assert!(problem.contains(why), "{text}: {problem}");
        }
    }

    #[test]
    fn conditions_look_at_their_operand_and_lane() {
        let met = |text: &str, i| {
            let (a, b) = ([5u32, 0x8000_0001], [7u32, 7]);
            text.parse::<Condition>().unwrap().is_met(&[Some(&a), Some(&b), None], i, 2)
        };
        assert!(met("a=5", 0) && !met("a=5", 1));
        assert!(met("a!=5", 1) && met("a&0x80000000=0x80000000", 1));
        assert!(met("b=7", 0) && !met("c=0", 0) && !met("c!=0", 0) && !met("a!=9", 2));
        // Two words of one lane.
        let pair = |i| "a=5".parse::<Condition>().unwrap().is_met(&[Some(&[5]), None, None], i, 2);
        assert!(pair(0) && pair(1));
    }

    #[test]
    fn a_rate_is_the_share_that_hits() {
        let rate = Rate::new(0.25).unwrap();
        assert!(rate.hits(u64::MAX / 4) && !rate.hits(u64::MAX / 4 + 1));
        assert!(Rate::new(1.0).unwrap().hits(u64::MAX));
        assert_eq!((Rate::new(0.0), Rate::new(1.1), Rate::new(f64::NAN)), (None, None, None));
        assert!(Rate::new(0.1) < Rate::new(0.2));
    }
}
