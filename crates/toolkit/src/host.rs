//! The host compiler that nvcc calls.

use crate::Outcome;
use std::process::Command;

/// Names another host compiler.
const VARIABLE: &str = "UPSET_CCBIN";

/// What nvcc of a release must be told about the host compiler. A g++ that is
/// newer than the release accepts is used against nvcc's advice where there is
/// no other, since it mostly works.
pub fn arguments(release: &str) -> Vec<String> {
    let newest = newest_accepted(release);
    let compiler = choice(newest);
    let mut arguments = Vec::new();
    if major_version(&compiler).is_some_and(|major| major > newest) {
        arguments.push("-allow-unsupported-compiler".to_string());
    }
    // nvcc's own choice is g++.
    if compiler != "g++" {
        arguments.extend(["-ccbin".to_string(), compiler]);
    }
    arguments
}

/// An error where nvcc of a release would find no host compiler.
pub fn require_host_compiler(release: &str) -> Outcome<()> {
    let newest = newest_accepted(release);
    let compiler = choice(newest);
    major_version(&compiler).map(|_| ()).ok_or_else(|| {
        format!(
            "{compiler} does not run: nvcc needs a host compiler, best g++-{newest} \
             (Debian: apt-get install g++); ${VARIABLE} names another"
        )
    })
}

/// The newest g++ that a release accepts (NVIDIA's installation guides, table
/// of host compilers; within CUDA 12 it grew from 12 to 14).
fn newest_accepted(release: &str) -> u32 {
    match release.split('.').next() {
        Some("11") => 11,
        Some("12") => 12,
        _ => 15,
    }
}

fn choice(newest: u32) -> String {
    if let Ok(named) = std::env::var(VARIABLE)
        && !named.is_empty()
    {
        return named;
    }
    let accepted = format!("g++-{newest}");
    match major_version("g++") {
        Some(major) if major <= newest => "g++".to_string(),
        _ if major_version(&accepted).is_some() => accepted,
        _ => "g++".to_string(),
    }
}

/// 12 of a g++ 12.2.0; none if it does not run.
fn major_version(compiler: &str) -> Option<u32> {
    let done = Command::new(compiler).arg("-dumpversion").output().ok()?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    text.split('.').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_release_has_its_newest_host_compiler() {
        assert_eq!(newest_accepted("11.8"), 11);
        assert_eq!(newest_accepted("12.0"), 12);
        assert_eq!(newest_accepted("13.0"), 15);
    }

    /// Whatever the machine has, a compiler beyond the limit comes with the
    /// flag that allows it.
    #[test]
    fn a_host_compiler_that_is_too_new_is_allowed_by_name() {
        let Some(major) = major_version("g++") else { return };
        let told = arguments("11.8");
        let named = told.iter().any(|word| word == "-ccbin");
        let allowed = told.iter().any(|word| word == "-allow-unsupported-compiler");
        assert!(major <= 11 || named || allowed, "{told:?}");
        assert_eq!(major <= 11, told.is_empty(), "{told:?}");
    }
}
