//! `upset env`: how to launch a program by hand.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use upset_chip::ChipSpec;
use upset_device::{Device, Mode};
use upset_launcher::{self as launcher, Clock, Settings};

use crate::chip_choice::ChipChoice;
use crate::failure::{Failure, print};

/// `upset env`.
#[derive(Debug, Args)]
pub struct EnvArgs {
    /// The chip.
    #[command(flatten)]
    pub chip: ChipChoice,
    /// Without timing: instructions one after the other, fast
    #[arg(long)]
    pub functional: bool,
    /// Write what ran where as a trace for Perfetto or chrome://tracing (1 us = 1 cycle)
    #[arg(long, value_name = "FILE", conflicts_with = "functional")]
    pub trace: Option<PathBuf>,
    /// End a kernel with a launch timeout after so many cycles
    #[arg(long, value_name = "N")]
    pub kernel_cycles: Option<u64>,
    /// Programs see the real clock and random bytes, not those that are the same in every run
    #[arg(long)]
    pub real_clock: bool,
}

/// Runs the command.
pub fn run(args: EnvArgs) -> Result<(), Failure> {
    let chip = ChipSpec::load(&args.chip.chip, &args.chip.set)?;
    let mode = if args.functional { Mode::Functional } else { Mode::Timing };
    Device::supports(&chip)?;
    let installed = launcher::install()?;
    let settings = Settings {
        chip: args.chip.chip,
        set: args.chip.set,
        mode,
        trace: args.trace,
        counters: None,
        kernel_cycles: args.kernel_cycles,
        clock: if args.real_clock { Clock::Real } else { Clock::HeldForCuda },
    };
    let mut out = String::from(
        "# For CUDA programs. In this shell:\n\
         #   eval \"$(upset env --chip NAME)\"; ./program\n",
    );
    let _ = writeln!(
        out,
        "export LD_LIBRARY_PATH={}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}",
        quoted(installed.folder().as_os_str())
    );
    let _ = writeln!(
        out,
        "export LD_PRELOAD={}${{LD_PRELOAD:+:$LD_PRELOAD}}",
        quoted(installed.host().as_os_str())
    );
    for (name, value) in settings.variables(&installed) {
        let _ = match value {
            Some(value) => writeln!(out, "export {name}={}", quoted(&value)),
            None => writeln!(out, "unset {name}"),
        };
    }
    print(&out)
}

/// A word for the shell.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted(OsStr::new("/a/b-1.2")), "/a/b-1.2");
        assert_eq!(quoted(OsStr::new("a=1\nb=2")), "'a=1\nb=2'");
        assert_eq!(quoted(OsStr::new("it's")), r"'it'\''s'");
        assert_eq!(quoted(OsStr::new("")), "''");
    }
}
