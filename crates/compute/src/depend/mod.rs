//! How instructions wait for what they depend on: one member for each way that
//! hardware has. Code from sm_70 on names [`counters`]; a scoreboard that finds
//! dependences by itself, for older code, has its place here.

pub mod counters;
