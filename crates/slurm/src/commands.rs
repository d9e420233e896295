//! Slurm's commands.

use std::process::Command;

use crate::SlurmError;

/// Runs a command of Slurm; what it printed.
pub fn run(command: &'static str, words: &[String]) -> Result<String, SlurmError> {
    let ran = Command::new(command).args(words).output().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => SlurmError::Missing(command),
        _ => SlurmError::Command { command, words: e.to_string() },
    })?;
    match ran.status.success() {
        true => Ok(String::from_utf8_lossy(&ran.stdout).into_owned()),
        false => Err(SlurmError::Command { command, words: words_of(&ran) }),
    }
}

/// What a command that failed said.
fn words_of(ran: &std::process::Output) -> String {
    let said = [&ran.stderr, &ran.stdout].map(|out| String::from_utf8_lossy(out).into_owned());
    let lines: Vec<&str> =
        said.iter().flat_map(|s| s.lines()).map(str::trim).filter(|l| !l.is_empty()).collect();
    match lines.is_empty() {
        true => format!("it said nothing ({})", ran.status),
        false => lines.join("; "),
    }
}

/// Whether a command can be run.
pub fn is_there(command: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(command).is_file())
}
