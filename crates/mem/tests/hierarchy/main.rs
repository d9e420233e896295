//! The hierarchy against a flat memory, under faults, and against the clock; the
//! layout of memory against a real driver.

mod driver;
mod faults;
mod ghosts;
mod machine;
mod ordering;
mod timing;
