//! Scalar arithmetic.
//!
//! A function of 32 bits reads the low words of its sources and gives a value
//! below 2^32; what it says of SCC counts only where its row writes SCC.

pub mod arithmetic;
pub mod compare;
pub mod count;
pub mod logic;
pub mod mask;
pub mod select;
pub mod shift;
