//! What a test makes of a fault.

use serde::Serialize;

/// How near a verdict is to the place of the fault, the farthest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nearness {
    /// Another SM, or none.
    Wrong,
    /// The right SM.
    Sm,
    /// The right sub-core of it.
    SubCore,
    /// All that is known of the place: the lane of a unit, the word of a memory.
    Exact,
}

/// What came of a fault in a test.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Grade {
    /// Results were wrong.
    Detected {
        /// Where the verdict sees it; `None` where the fault is in no SM.
        near: Option<Nearness>,
        /// Seconds from the start of the test to the first wrong result.
        seconds: f64,
    },
    /// The test did not end in four times its time: noticed, without a place.
    Hang,
    /// The test ended in a trap, before it compared anything wrong: noticed,
    /// without a place.
    Trap {
        /// What the device said.
        what: String,
    },
    /// Nothing was wrong, but the test did not reach all it is to reach: no pass.
    NoVerdict {
        /// What it did not reach.
        what: String,
    },
    /// The fault changed what a wire or cell held, or might have, and the test
    /// passed.
    Masked,
    /// Nothing in the test ever drives the wire with another value than the one
    /// that it sticks at: the run is the run without the fault.
    Unused,
}

impl Grade {
    /// Whether the test did not pass: somebody looks at the GPU.
    pub fn is_noticed(&self) -> bool {
        match self {
            Grade::Detected { .. } | Grade::Hang | Grade::Trap { .. } | Grade::NoVerdict { .. } => {
                true
            }
            Grade::Masked | Grade::Unused => false,
        }
    }

    /// Whether it says that something is broken (exit code 1 of `upset burn`).
    pub fn is_detected(&self) -> bool {
        self.is_noticed() && !matches!(self, Grade::NoVerdict { .. })
    }
}
