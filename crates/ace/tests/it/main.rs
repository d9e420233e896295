//! What the bounds do not count must do no harm.

mod amd;
mod claims;
mod nvidia;
