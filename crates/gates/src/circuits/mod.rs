//! The units, as circuits of our own. No vendor publishes theirs: what holds for
//! them holds for a unit that computes the same in a usual way.

mod fma;
mod integer;
mod multiplier;
#[cfg(test)]
mod tests;

use crate::netlist::Netlist;

/// A unit that has a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// FP32 fused multiply-add.
    Fma,
    /// 32-bit addition of three numbers.
    Iadd,
    /// 32 x 32 + 32 multiply-add, 64-bit result.
    Imad,
}

impl Unit {
    /// All of them.
    pub const ALL: [Unit; 3] = [Unit::Fma, Unit::Iadd, Unit::Imad];

    /// Its name in files and on pages.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Fma => "fma",
            Unit::Iadd => "iadd",
            Unit::Imad => "imad",
        }
    }

    /// Its circuit.
    pub fn netlist(self) -> Netlist {
        match self {
            Unit::Fma => fma::fma(),
            Unit::Iadd => integer::iadd(),
            Unit::Imad => integer::imad(),
        }
    }
}
