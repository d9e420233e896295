//! What stands between a list of faults and its grades.

use upset_burn::BoardError;
use upset_fault::FaultError;

/// Why nothing was graded.
#[derive(Debug, thiserror::Error)]
pub enum GradeError {
    /// A structure or model that this chip has not.
    #[error("{0}")]
    Fault(#[from] FaultError),
    /// Such faults cannot be graded.
    #[error("{0}")]
    Unsuited(String),
    /// A test cannot run on this chip.
    #[error("test {test} cannot run: {why}")]
    CannotRun {
        /// Its name.
        test: &'static str,
        /// Why.
        why: String,
    },
    /// A test finds fault with a chip that has none.
    #[error("test {test} does not pass on the chip without a fault: {why}")]
    NotClean {
        /// Its name.
        test: &'static str,
        /// What it says.
        why: String,
    },
}

impl GradeError {
    /// What a board refused.
    pub(crate) fn of(test: &'static str, error: BoardError) -> GradeError {
        match error {
            BoardError::CannotRun(why) => GradeError::CannotRun { test, why },
            BoardError::Failed(why) => GradeError::NotClean { test, why },
        }
    }

    /// Whether something is lacking, not asked wrongly.
    pub fn is_lacking(&self) -> bool {
        matches!(self, GradeError::CannotRun { .. } | GradeError::NotClean { .. })
    }
}
