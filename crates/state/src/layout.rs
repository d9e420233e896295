//! What an array is called and how its bits are numbered.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::kind::{Kind, RowBits};

/// Which bits of a line; everything but caches is [`Part::Data`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Part {
    /// What programs store.
    Data,
    /// The address a line answers for.
    Tag,
    /// Valid and dirty bits.
    State,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Data => "data",
            Part::Tag => "tag",
            Part::State => "state",
        })
    }
}

/// One physical array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ArrayId {
    /// What it stores.
    pub kind: Kind,
    /// Which one: SM, sub-core (`sm * sub-cores + sub-core`) or slice number.
    pub instance: u32,
    /// Which bits of a line.
    pub part: Part,
}

impl ArrayId {
    /// The data array of an instance.
    pub const fn data(kind: Kind, instance: u32) -> ArrayId {
        ArrayId { kind, instance, part: Part::Data }
    }

    /// Another part of the same lines.
    pub const fn with(self, part: Part) -> ArrayId {
        ArrayId { part, ..self }
    }

    /// Whether every use of its bits is told; of tags and states, to a
    /// [`LineObserver`](crate::LineObserver).
    pub fn is_observed(self) -> bool {
        let about = self.kind.about();
        about.observed && (about.parted || self.part == Part::Data)
    }

    /// Whether ghosts can follow a flip of its bits from the start.
    pub fn is_followable(self) -> bool {
        self.kind.about().followable && self.part == Part::Data
    }
}

/// One digit of a bit's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its name; an empty one prints the number's [`Axis::names`] instead.
    pub name: &'static str,
    /// How many values it has.
    pub size: u64,
    /// Values with names of their own (`active`, `live`), in place of numbers.
    pub names: &'static [&'static str],
}

impl Axis {
    /// A numbered axis.
    pub const fn new(name: &'static str, size: u64) -> Axis {
        Axis { name, size, names: &[] }
    }

    /// An axis whose values have names.
    pub const fn named(names: &'static [&'static str]) -> Axis {
        Axis { name: "", size: names.len() as u64, names }
    }
}

/// An array's name, place and shape.
///
/// The number of a bit is the mixed-radix number over the axes, the last axis
/// running fastest: `row117.lane5.bit12` of a register file with axes row (512),
/// lane (32) and bit (32) is bit (117 * 32 + 5) * 32 + 12.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Which array.
    pub id: ArrayId,
    /// Name of its kind: `rf`, `l2`, …
    pub kind: String,
    /// Where it sits: `sm3.sub1`, `slice4`; empty when there is only one.
    pub path: String,
    /// The shape.
    pub axes: Vec<Axis>,
    /// The part is written in names, before the last axis (caches).
    pub parted: bool,
}

impl Layout {
    /// Bits of the array.
    pub fn bits(&self) -> u64 {
        self.axes.iter().map(|a| a.size).product()
    }

    /// Bits of a row, as [`Event`](crate::Event)s count rows.
    pub fn row_bits(&self) -> u64 {
        match self.id.kind.about().row {
            RowBits::Fixed(bits) => bits,
            RowBits::LastAxis => self.axes.last().map_or(1, |a| a.size),
        }
    }

    /// The name of a bit.
    pub fn name(&self, bit: u64) -> String {
        let mut digits = vec![0; self.axes.len()];
        let mut rest = bit;
        for (digit, axis) in digits.iter_mut().zip(&self.axes).rev() {
            *digit = rest % axis.size.max(1);
            rest /= axis.size.max(1);
        }
        let mut text = format!("{}:{}", self.kind, self.path);
        for (i, (digit, axis)) in digits.iter().zip(&self.axes).enumerate() {
            let part = self.parted && i + 1 == self.axes.len();
            if part {
                push(&mut text, &self.id.part.to_string());
            }
            match axis.names.get(*digit as usize) {
                Some(name) => push(&mut text, name),
                None => push(&mut text, &format!("{}{digit}", axis.name)),
            }
        }
        text
    }
}

fn push(text: &mut String, word: &str) {
    if !text.ends_with(':') {
        text.push('.');
    }
    text.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_axes() {
        let rf = Layout {
            id: ArrayId::data(Kind::Rf, 13),
            kind: "rf".into(),
            path: "sm3.sub1".into(),
            axes: vec![Axis::new("row", 512), Axis::new("lane", 32), Axis::new("bit", 32)],
            parted: false,
        };
        assert_eq!(rf.name((117 * 32 + 5) * 32 + 12), "rf:sm3.sub1.row117.lane5.bit12");
        let l2 = Layout {
            id: ArrayId { kind: Kind::Cache(4), instance: 4, part: Part::Tag },
            kind: "l2".into(),
            path: "slice4".into(),
            axes: vec![Axis::new("set", 64), Axis::new("way", 16), Axis::new("bit", 57)],
            parted: true,
        };
        assert_eq!(l2.name((9 * 16 + 3) * 57 + 40), "l2:slice4.set9.way3.tag.bit40");
        assert_eq!(l2.bits(), 64 * 16 * 57);
    }
}
