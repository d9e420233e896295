//! The hierarchy against a flat memory, under faults, and against the clock.

mod faults;
mod machine;
mod ordering;
mod timing;
