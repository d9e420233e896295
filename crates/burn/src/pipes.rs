//! Which of two FP32 pipes a broken lane belongs to.
//!
//! From sm_86 on (sm_80 aside) a sub-core has two: the heavy one multiplies
//! integers as well, the lite one FP32 alone. Nobody can send an FP32
//! instruction to one of them, but an integer product has no choice. A lane
//! whose FP32 results are wrong and whose integer products are right has a
//! broken lite pipe; a lane where both are wrong, a broken heavy one.

use crate::classify::{Class, Verdict};
use crate::record::{State, TestRecord};

/// The pipe, added to what is known of a broken lane.
pub fn told(mut verdict: Verdict, pipes: Option<u32>, tests: &[TestRecord]) -> Verdict {
    if verdict.class != Class::Lane || pipes != Some(2) {
        return verdict;
    }
    let of = |name: &str| tests.iter().find(|t| t.name == name);
    let [Some(floats), Some(integers)] = ["fma", "imad"].map(of) else { return verdict };
    let others = tests.iter().any(|t| t.errors > 0 && t.name != "fma" && t.name != "imad");
    let (pipe, why) = match (floats.errors > 0, integers.errors > 0, integers.state) {
        // Something that other tests see as well is no pipe's.
        _ if others => return verdict,
        (true, true, _) => ("heavy", "integer products are wrong as well"),
        (true, false, State::Passed) => ("lite", "integer products are right"),
        _ => return verdict,
    };
    verdict.evidence += &format!("; {pipe} FP32 pipe: {why}");
    verdict.pipe = Some(pipe.to_string());
    verdict
}
