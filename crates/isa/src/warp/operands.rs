//! What an engine shows to its instructions.

use crate::trap::TrapKind;
use crate::{Codes, Lanes, Mask};

/// What an instruction can read.
pub trait Operands {
    /// A register of all lanes; [`RZ`](crate::RZ) is a row of zeroes.
    fn row(&self, r: u8) -> &Lanes;
    /// The predicates; the last one is all ones.
    fn preds(&self) -> &[Mask; 8];
    /// The uniform predicates, each all ones or all zeroes; the last one is all ones.
    fn upreds(&self) -> &[Mask; 8];
    /// The condition codes, of machines that have them.
    fn codes(&self) -> Option<&Codes>;
    /// A uniform register; [`URZ`](crate::URZ) and above read zero.
    fn ureg(&self, r: u8) -> u32;
    /// The 32-bit word at a byte offset of a constant bank.
    fn constant(&self, bank: u8, offset: i64) -> Result<u32, TrapKind>;
    /// The 32-bit word at a byte offset of the bank that the uniform pair at
    /// `ureg` describes ([`ConstWindow`](super::ConstWindow)).
    fn bindless(&self, ureg: u8, offset: i64) -> Result<u32, TrapKind>;
}
