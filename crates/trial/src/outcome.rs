//! What became of a run, against the fault-free one.

use serde::{Deserialize, Serialize};
use upset_metrics::{Class, Noticed, Sdc};

use crate::End;

/// The fault-free run, as far as others are judged by it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Cycles.
    pub cycles: u64,
    /// Digest of the bytes copied to the host.
    pub output_digest: String,
}

/// A judged run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Its class.
    pub class: Class,
    /// Why it crashed, timed out or failed; else empty.
    pub cause: String,
    /// Its cycles.
    pub cycles: u64,
    /// Digest of the bytes copied to the host; empty unless the run was completed.
    pub output_digest: String,
    /// What the wrong outputs look like.
    pub sdc: Option<Sdc>,
    /// It was ended early: from some point on it was the fault-free run.
    #[serde(default)]
    pub early: bool,
    /// What performance counters noticed, where somebody watched them.
    #[serde(default)]
    pub noticed: Option<Noticed>,
}

impl Outcome {
    /// That of a run that is the fault-free one to its end.
    pub fn masked(reference: &Reference) -> Outcome {
        Outcome {
            class: Class::Masked,
            cause: String::new(),
            cycles: reference.cycles,
            output_digest: reference.output_digest.clone(),
            sdc: None,
            early: false,
            noticed: None,
        }
    }

    /// A failure of ours.
    pub fn tool_error(cause: impl Into<String>) -> Outcome {
        Outcome {
            class: Class::ToolError,
            cause: cause.into(),
            cycles: 0,
            output_digest: String::new(),
            sdc: None,
            early: false,
            noticed: None,
        }
    }

    /// How it was found out, in words for the store.
    pub fn how(&self) -> &'static str {
        match (self.early, self.class) {
            (true, Class::Performance) => "converged later",
            (true, _) => "converged",
            (false, _) => "simulated",
        }
    }
}

/// Judges a run. `wrong` says what is wrong with its outputs; it is asked only
/// when the run was completed.
pub fn judge(
    reference: &Reference,
    end: End,
    cycles: u64,
    output_digest: String,
    wrong: impl FnOnce() -> Option<Sdc>,
) -> Outcome {
    let (class, cause) = match end {
        End::Tool(cause) => return Outcome { cycles, ..Outcome::tool_error(cause) },
        End::Crash(cause) => (Class::Crash, cause),
        End::Timeout(cause) => (Class::Timeout, cause),
        End::Done => {
            let sdc = wrong();
            let class = match (&sdc, cycles == reference.cycles) {
                (Some(_), _) => Class::Sdc,
                (None, false) => Class::Performance,
                (None, true) => Class::Masked,
            };
            return Outcome {
                class,
                cause: String::new(),
                cycles,
                output_digest,
                sdc,
                early: false,
                noticed: None,
            };
        }
    };
    let output_digest = String::new();
    Outcome { class, cause, cycles, output_digest, sdc: None, early: false, noticed: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(end: End, cycles: u64, wrong: bool) -> Class {
        let reference = Reference { cycles: 100, output_digest: "a".into() };
        judge(&reference, end, cycles, "b".into(), || wrong.then(Sdc::default)).class
    }

    #[test]
    fn the_worse_class_wins() {
        assert_eq!(judged(End::Done, 100, false), Class::Masked);
        assert_eq!(judged(End::Done, 101, false), Class::Performance);
        assert_eq!(judged(End::Done, 101, true), Class::Sdc);
        assert_eq!(judged(End::Crash("x".into()), 50, true), Class::Crash);
        assert_eq!(judged(End::Timeout("x".into()), 200, true), Class::Timeout);
        assert_eq!(judged(End::Tool("x".into()), 200, true), Class::ToolError);
    }
}
