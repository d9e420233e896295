//! Local data share: where lanes go, what they bring and what they get.
//!
//! [`locate`] tells where, [`data`] and [`compare`] what is brought. An engine
//! that does an access in pieces uses these; [`execute`] does it at once.
//!
//! Lanes act in their order, and of two elements the first ones of all lanes
//! come before the second ones: where stores meet, the last one stays.

mod execute;
mod located;
mod operands;
mod operation;
mod swizzle;

pub use execute::execute;
pub use located::{Located, locate};
pub use operands::{compare, data};
pub use operation::operation;
pub use swizzle::{source_lane, swizzle};
