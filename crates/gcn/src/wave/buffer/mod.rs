//! Vector memory: where lanes go, what they bring and what they get.
//!
//! [`locate`] tells where, [`shape`] what is moved there, [`words`] and
//! [`operands`] what is brought. An engine that does an access in pieces uses
//! these; [`execute`] does it at once. Lanes act in their order: where stores
//! meet, the last one stays.

mod execute;
mod located;
mod operands;
mod operation;

pub use execute::execute;
pub use located::{Located, locate};
pub use operands::{descriptor, lds_addresses, operands, shape, words};
pub use operation::operation;
