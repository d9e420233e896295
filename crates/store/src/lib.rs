//! The file that a campaign is kept in.

pub mod model;

pub use model::*;
