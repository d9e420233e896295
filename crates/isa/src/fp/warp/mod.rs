//! Warp-wide floating-point operations, ready to be lowered to.
//!
//! Each family offers functions that pick the fastest [`AluFn`](crate::AluFn)
//! for a set of modifiers; the modifiers travel in the layout of [`mods`].

mod bool_op;
pub mod convert;
pub mod fp32;
pub mod fp64;
pub mod half;
pub mod mods;
pub mod mufu;
mod wide;

use crate::{Mask, WARP};
pub use bool_op::BoolOp;
use wide::{WideOp, wide};

/// Which of three an operation is whose loops are written once for all.
const ADD: u8 = 0;
const MUL: u8 = 1;
const FMA: u8 = 2;

/// Bit of each lane, as a table: selects by it vectorise, variable shifts do not.
const LANE_BIT: [u32; WARP] = {
    let mut t = [0; WARP];
    let mut i = 0;
    while i < WARP {
        t[i] = 1 << i;
        i += 1;
    }
    t
};

/// Both predicate results of a `SETP`: the comparison and its complement,
/// each combined with the predicate source.
fn set_predicates(mods: u32, compared: Mask, source: Mask) -> [Mask; 2] {
    let op = mods::bool_op(mods);
    [op.apply(compared, source), op.apply(!compared, source)]
}
