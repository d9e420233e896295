//! An error put into a kernel on purpose, to test the tester.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An error that kernels compiled with `UPSET_INJECT` make: after the operation
/// under test, the result of one lane has bits inverted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Injection {
    /// `%smid`.
    pub sm: u32,
    /// `%warpid` modulo the number of sub-cores.
    pub sub_core: u32,
    /// Lane.
    pub lane: u32,
    /// Bits that are inverted.
    pub mask: u32,
    /// Every how manieth result; 1 is each.
    pub period: u32,
}

impl FromStr for Injection {
    type Err = String;

    /// `sm=3,sub=1,lane=5,bit=12,period=1`; `mask=0x1001` in place of `bit`.
    fn from_str(text: &str) -> Result<Injection, String> {
        let mut all = Injection { sm: 0, sub_core: 0, lane: 0, mask: 1, period: 1 };
        for part in text.split(',').filter(|p| !p.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| {
                format!("`{part}` is no KEY=VALUE; keys are sm, sub, lane, bit, mask, period")
            })?;
            let number = match value.strip_prefix("0x") {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => value.parse(),
            };
            let number = number.map_err(|_| format!("`{value}` of `{part}` is no number"))?;
            match key {
                "sm" => all.sm = number,
                "sub" => all.sub_core = number,
                "lane" if number < 32 => all.lane = number,
                "bit" if number < 32 => all.mask = 1 << number,
                "lane" | "bit" => return Err(format!("{part}: 0 to 31")),
                "mask" if number != 0 => all.mask = number,
                "period" if number != 0 => all.period = number,
                "mask" | "period" => return Err(format!("{part}: not 0")),
                _ => {
                    return Err(format!(
                        "no key `{key}`; there are sm, sub, lane, bit, mask, period"
                    ));
                }
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::Injection;

    #[test]
    fn places_are_read() {
        let read: Injection = "sm=3,sub=1,lane=5,bit=12,period=7".parse().unwrap();
        let right = Injection { sm: 3, sub_core: 1, lane: 5, mask: 1 << 12, period: 7 };
        assert_eq!(read, right);
        for wrong in ["sm", "sm=x", "lane=32", "bit=40", "mask=0", "period=0", "core=1"] {
            assert!(wrong.parse::<Injection>().is_err(), "{wrong}");
        }
    }
}
