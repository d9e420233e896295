//! How instructions wait for what they depend on: one member for each way that
//! hardware has. Code from sm_70 on names [`counters`]; for older code a
//! [`scoreboard`] finds dependences by itself.

pub mod counters;
pub mod scoreboard;
