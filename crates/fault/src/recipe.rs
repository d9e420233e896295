//! What kind of faults to draw.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::parse::number;
use crate::{FaultError, ModelSpec};

/// How the bits of a fault lie to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Spread {
    /// Any bits of one entry: a register word of a lane, the data, tag or state
    /// of a line, a word of memory.
    #[default]
    Entry,
    /// Consecutive bits of one entry.
    Adjacent,
    /// Consecutive bits of entries above one another.
    Cluster {
        /// Entries.
        rows: u32,
        /// Bits of each.
        cols: u32,
    },
    /// Any bits of one instance: with all parts that the structure has.
    Array,
    /// Any bits of the structure.
    Structure,
    /// The same bits in this many entries of one array.
    Entries(u32),
    /// The same bit in all rows of one array: a port, a bit line.
    Column,
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Spread::Entry => f.write_str("entry"),
            Spread::Adjacent => f.write_str("adjacent"),
            Spread::Cluster { rows, cols } => write!(f, "{rows}x{cols}"),
            Spread::Array => f.write_str("array"),
            Spread::Structure => f.write_str("structure"),
            Spread::Entries(entries) => write!(f, "entries:{entries}"),
            Spread::Column => f.write_str("column"),
        }
    }
}

impl FromStr for Spread {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Spread, FaultError> {
        let count =
            |word: &str| number(word).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
        let spread = match text {
            "entry" => Some(Spread::Entry),
            "adjacent" => Some(Spread::Adjacent),
            "array" => Some(Spread::Array),
            "structure" => Some(Spread::Structure),
            "column" => Some(Spread::Column),
            _ => match (text.strip_prefix("entries:"), text.split_once('x')) {
                (Some(entries), _) => count(entries).map(Spread::Entries),
                (None, Some((rows, cols))) => {
                    let size = count(rows).zip(count(cols));
                    size.map(|(rows, cols)| Spread::Cluster { rows, cols })
                }
                (None, None) => None,
            },
        };
        spread.ok_or_else(|| FaultError::Spec {
            text: text.to_string(),
            what: "spread",
            forms: "entry, adjacent, ROWSxCOLUMNS (2x3), array, structure, entries:N or column",
        })
    }
}

impl TryFrom<String> for Spread {
    type Error = FaultError;

    fn try_from(text: String) -> Result<Spread, FaultError> {
        text.parse()
    }
}

impl From<Spread> for String {
    fn from(spread: Spread) -> String {
        spread.to_string()
    }
}

/// What kind of faults to draw from all bits of a structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// What happens to the bits.
    pub model: ModelSpec,
    /// How many bits are hit (of each entry, for [`Spread::Entries`]). A
    /// cluster has rows x columns bits: give that number, or 1. A column is one
    /// bit of each row: give 1.
    pub bits: u32,
    /// How they lie to each other.
    pub spread: Spread,
    /// The same positions in this many instances (sub-cores, SMs, slices).
    pub copies: u32,
}

impl Default for Recipe {
    fn default() -> Recipe {
        Recipe { model: ModelSpec::Flip, bits: 1, spread: Spread::Entry, copies: 1 }
    }
}

impl Recipe {
    /// All bits that are hit in one structure, copies included; of a column, one
    /// for each copy.
    pub fn total_bits(&self) -> u64 {
        let one = match self.spread {
            Spread::Cluster { rows, cols } => u64::from(rows) * u64::from(cols),
            Spread::Entries(entries) => u64::from(self.bits) * u64::from(entries),
            _ => u64::from(self.bits),
        };
        one.saturating_mul(u64::from(self.copies))
    }
}

/// The pattern in words.
impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = match self.bits {
            1 => "1 bit".to_string(),
            n => format!("{n} bits"),
        };
        match self.spread {
            Spread::Entry => write!(f, "{bits} of an entry")?,
            Spread::Adjacent => write!(f, "{bits} side by side in an entry")?,
            Spread::Cluster { rows, cols } => write!(f, "a cluster of {rows}x{cols} bits")?,
            Spread::Array => write!(f, "{bits} of an array")?,
            Spread::Structure => write!(f, "{bits} of the structure")?,
            Spread::Entries(entries) => write!(f, "{bits} of each of {entries} entries")?,
            Spread::Column => write!(f, "{bits} of every row")?,
        }
        match self.copies {
            1 => Ok(()),
            n => write!(f, ", in {n} instances"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_print_and_parse() {
        for text in ["entry", "adjacent", "2x3", "array", "structure", "entries:2", "column"] {
            assert_eq!(text.parse::<Spread>().unwrap().to_string(), text);
        }
        for text in ["", "rows", "0x3", "2x", "x", "entries:", "entries:0", "entries:2x3", "2x3x4"]
        {
            let problem = text.parse::<Spread>().unwrap_err().to_string();
            assert!(problem.contains("is no spread; write entry"), "{problem}");
        }
    }

    #[test]
    fn recipes_are_kept_as_they_are_written() {
        let recipe = Recipe {
            model: "stuck1:500".parse().unwrap(),
            bits: 6,
            spread: "2x3".parse().unwrap(),
            copies: 2,
        };
        let json = serde_json::to_string(&recipe).unwrap();
        assert_eq!(json, r#"{"model":"stuck1:500","bits":6,"spread":"2x3","copies":2}"#);
        assert_eq!(serde_json::from_str::<Recipe>(&json).unwrap(), recipe);
        assert_eq!(recipe.total_bits(), 12);
        assert_eq!(recipe.to_string(), "a cluster of 2x3 bits, in 2 instances");
    }
}
