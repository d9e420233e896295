//! `upset watch show`.

use std::path::Path;

use upset_watch::constants::Steerings;
use upset_watch::{Mismatch, Profile};

use super::args::ShowArgs;
use crate::failure::{self, Failure, print};
use crate::watch_text;

/// Runs the command.
pub fn run(args: &ShowArgs) -> Result<(), Failure> {
    print(&watch_text::profile(&read(&args.profile)?, &Steerings::new()))
}

/// Reads a profile.
pub fn read(path: &Path) -> Result<Profile, Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| Failure::read(path, &e))?;
    Profile::parse(&text).map_err(|e| {
        let told = format!("{} is {e}", path.display());
        Failure::new(
            failure::BAD_INPUT,
            if matches!(e, Mismatch::NoProfile(_)) { told } else { e.to_string() },
        )
    })
}

impl From<Mismatch> for Failure {
    fn from(e: Mismatch) -> Failure {
        Failure::new(failure::BAD_INPUT, e.to_string())
    }
}
