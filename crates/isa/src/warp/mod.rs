//! One instruction of one warp: from operands to results, over whatever
//! storage holds the registers.
//!
//! An engine implements [`Operands`] for its registers and [`Destinations`]
//! for where results go. Everything between is here, so that the functional
//! and the timing engine cannot disagree about it: guards and operands
//! ([`guarded`], [`value`], [`rows`]), arithmetic and special registers
//! ([`evaluate`]), addresses and data of memory accesses ([`addresses`],
//! [`locate`], [`load_lane`], …), control flow ([`flow`]), and which result
//! goes where ([`write_back`]).

mod access;
mod bindless;
mod evaluate;
mod flow;
mod operand;
mod special;
mod write;

pub use access::{
    addresses, atomic_exists, constant_offset, in_space, load_lane, load_lanes, load_rows, locate,
    space_of, store_lane, store_rows,
};
pub use bindless::ConstWindow;
pub use evaluate::{Effect, evaluate};
pub use flow::{FlowEffect, bar_result, flow};
pub use operand::{Scratch, constant_word, guarded, load_scratch, pred, rows, value};
pub use special::Env;
pub use write::{
    Destinations, uniform_pred, uniform_value, write_atomic, write_back, write_pred, write_preds,
    write_query, write_row, write_rows,
};

use crate::trap::TrapKind;
use crate::{Lanes, Mask};

/// What an instruction can read.
pub trait Operands {
    /// A register of all lanes; [`RZ`](crate::RZ) is a row of zeroes.
    fn row(&self, r: u8) -> &Lanes;
    /// The predicates; the last one is all ones.
    fn preds(&self) -> &[Mask; 8];
    /// The uniform predicates, each all ones or all zeroes; the last one is all ones.
    fn upreds(&self) -> &[Mask; 8];
    /// A uniform register; [`URZ`](crate::URZ) and above read zero.
    fn ureg(&self, r: u8) -> u32;
    /// The 32-bit word at a byte offset of a constant bank.
    fn constant(&self, bank: u8, offset: i64) -> Result<u32, TrapKind>;
    /// The 32-bit word at a byte offset of the bank that the uniform pair at
    /// `ureg` describes ([`ConstWindow`]).
    fn bindless(&self, ureg: u8, offset: i64) -> Result<u32, TrapKind>;
}
