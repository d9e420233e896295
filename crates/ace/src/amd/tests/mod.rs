//! Short programs by hand, and every instruction that says how its bits go.

mod lab;
mod masking;
mod programs;
mod ways;
