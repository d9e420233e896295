//! What all host sides can do.

use crate::error::AppError;
use crate::output::Output;
use crate::session::Session;
use crate::verdict::Expected;

/// An application at one scale.
pub(crate) trait Host: Send + Sync {
    /// Runs it on a device.
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError>;

    /// Its right answer for the same input.
    fn expected(&self, seed: u64) -> Vec<Expected>;
}
