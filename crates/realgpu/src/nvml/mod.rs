//! What the card says about itself: temperatures, power, clocks, ECC, Xids.
//!
//! An own table instead of the crate nvml-wrapper: that one knows one version
//! of each function at a time and answers with errors where we want a name in
//! a list of what is missing, and the dozen functions used here are the same
//! few lines as the table of CUDA's driver.

mod api;
mod card;
mod sensors;
mod trace;

pub use api::Nvml;
pub use card::{Card, Identity};
pub use trace::{Sample, Trace};
