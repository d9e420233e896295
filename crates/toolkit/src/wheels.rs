//! Python packages as a source of files.

use std::path::Path;
use std::process::Command;

use crate::Outcome;
use crate::files::files_ending;

/// Downloads and unpacks the wheels under `work/wheels`.
pub(crate) fn fetch_wheels(work: &Path, wheels: &[&str]) -> Outcome<()> {
    let pip = ["-m", "pip", "download", "--no-deps", "--dest", "."];
    perform(Command::new("python3").current_dir(work).args(pip).args(wheels))?;
    for wheel in files_ending(work, ".whl")? {
        let unzip = ["-m", "zipfile", "-e"];
        perform(Command::new("python3").args(unzip).arg(wheel).arg(work.join("wheels")))?;
    }
    Ok(())
}

/// Runs a command that talks to the user itself.
pub(crate) fn perform(command: &mut Command) -> Outcome<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program} ended with {status}; its own message is above")),
        Err(e) => Err(format!("cannot run {program}: {e}")),
    }
}
