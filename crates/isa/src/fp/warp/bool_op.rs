//! How a comparison is combined with a predicate.

use crate::Mask;

/// How a comparison is combined with a predicate source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoolOp {
    /// Both.
    And,
    /// Either.
    Or,
    /// Exactly one.
    Xor,
}

impl BoolOp {
    /// From the two-bit field; 3 is not an operation.
    pub fn from_bits(bits: u64) -> Option<BoolOp> {
        match bits {
            0 => Some(BoolOp::And),
            1 => Some(BoolOp::Or),
            2 => Some(BoolOp::Xor),
            _ => None,
        }
    }

    pub(super) fn apply(self, a: Mask, b: Mask) -> Mask {
        match self {
            BoolOp::And => a & b,
            BoolOp::Or => a | b,
            BoolOp::Xor => a ^ b,
        }
    }
}
