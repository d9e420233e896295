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
mod bulk;
mod evaluate;
mod flow;
mod operand;
mod operands;
mod special;
mod write;

pub use crate::windows::space_of;
pub use access::{
    Addresses, Pairs, Words, addresses, arrive_together, atomic_exists, constant_offset, copied,
    in_space, load_lane, load_lanes, load_rows, locate, store_lane, store_rows,
};
pub use bindless::ConstWindow;
pub use bulk::BulkPlaces;
pub use evaluate::{Effect, evaluate};
pub use flow::{FlowEffect, bar_result, flow};
pub use operand::{
    NO_ROWS, Scratch, constant_word, gather, guarded, load_scratch, pred, rows, value,
};
pub use operands::Operands;
pub use special::Env;
pub use write::{
    Destinations, uniform_pred, uniform_value, write_atomic, write_back, write_codes, write_old,
    write_one, write_pred, write_preds, write_query, write_row, write_rows,
};
