//! How a run ended.

use serde::{Deserialize, Serialize};
use upset_device::{DeviceError, TrapKind};

/// How a run ended, outputs aside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// In an orderly way.
    Done,
    /// A trap, an error of the program, a signal: the cause.
    Crash(String),
    /// Beyond its last cycle, or for ever: which of the two.
    Timeout(String),
    /// The fault led to something this tool lacks, or the tool failed.
    Tool(String),
}

impl End {
    /// What an error of the device means for the run.
    pub fn of(error: &DeviceError) -> End {
        if error.is_lacking() {
            return End::Tool(error.to_string());
        }
        match error {
            DeviceError::Trap { trap, near, .. } => match trap.kind {
                // A cause without the place: equal causes are counted together.
                TrapKind::CycleLimit(_) | TrapKind::InstructionLimit(_) => {
                    End::Timeout("cycle limit".into())
                }
                TrapKind::Deadlock => End::Timeout("deadlock".into()),
                _ => End::Crash(match near {
                    Some(near) => format!("{trap}; {near}"),
                    None => trap.to_string(),
                }),
            },
            other => End::Crash(other.to_string()),
        }
    }
}
