//! Scheduling fields.

/// What an instruction says about issue: bits 105-125.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Cycles before the warp may issue again, 1 to 15; above 11 only with `yields`.
    pub stall: u8,
    /// Another warp should go first.
    pub yields: bool,
    /// Scoreboard that the result's arrival releases.
    pub write: Option<u8>,
    /// Scoreboard that reading the operands releases.
    pub read: Option<u8>,
    /// Scoreboards to wait for, a bit each.
    pub wait: u8,
    /// Operands A, B, C to keep in the reuse cache, a bit each; not with `yields`.
    pub reuse: u8,
}

/// No scoreboard.
const NONE: u8 = 7;

impl Control {
    /// Waits for nothing and is waited for by nobody, `stall` cycles long.
    pub const fn stall(stall: u8) -> Control {
        Control { stall, yields: stall > 11, write: None, read: None, wait: 0, reuse: 0 }
    }

    /// The encoded fields.
    pub fn bits(self) -> u128 {
        let field = |lo: u32, v: u8| u128::from(v) << lo;
        field(105, self.stall)
            | field(109, u8::from(!self.yields))
            | field(110, self.write.unwrap_or(NONE))
            | field(113, self.read.unwrap_or(NONE))
            | field(116, self.wait)
            | field(122, self.reuse)
    }
}
