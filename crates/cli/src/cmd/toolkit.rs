//! `upset toolkit`: NVIDIA's compiler for those who have none.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use upset_toolkit::{CONVERTER, RELEASE, Toolkit, require_host_compiler};

use crate::failure::{self, Failure, print};

/// `upset toolkit`.
#[derive(Debug, Args)]
pub struct ToolkitArgs {
    /// Tell which compiler is used when absent.
    #[command(subcommand)]
    command: Option<ToolkitCommand>,
}

/// `upset toolkit …`.
#[derive(Debug, Subcommand)]
enum ToolkitCommand {
    /// Fetch the compiler of CUDA 11.8 into a folder, without installing anything (Debian)
    Fetch {
        /// The folder (default: one of your own, where `upset compile` looks first)
        dir: Option<PathBuf>,
        /// Fetch no compiler, but what turns PTX into machine code: nvJitLink 12.9
        #[arg(long)]
        converter: bool,
    },
}

/// Runs the command.
pub fn run(args: ToolkitArgs) -> Result<(), Failure> {
    match args.command {
        None => show(),
        Some(ToolkitCommand::Fetch { dir, converter }) => fetch(dir, converter),
    }
}

fn show() -> Result<(), Failure> {
    let toolkit = Toolkit::any().map_err(lacking)?;
    let host = match toolkit.host_arguments() {
        [] => "g++".to_string(),
        told => format!("g++ ({})", told.join(" ")),
    };
    let nvcc = toolkit.nvcc().display();
    print(&format!("compiler       {nvcc}, CUDA {}\nhost compiler  {host}\n", toolkit.release()))?;
    require_host_compiler(toolkit.release()).map_err(lacking)
}

fn fetch(dir: Option<PathBuf>, converter: bool) -> Result<(), Failure> {
    let prefix = match &dir {
        Some(dir) => std::path::absolute(dir).map_err(|e| Failure::write(dir, &e))?,
        None => upset_toolkit::folder().ok_or_else(|| {
            lacking("there is no folder of yours (HOME is not set): name one".to_string())
        })?,
    };
    let shown = prefix.display();
    if converter {
        let fetched = upset_toolkit::fetch_converter(&prefix).map_err(lacking)?;
        print(&match fetched {
            true => format!("{CONVERTER} is in {shown}\n"),
            false => format!("{shown} already holds a converter\n"),
        })?;
        return match dir {
            Some(_) => print(&format!("`export UPSET_CUDA={shown}` makes `upset run` use it\n")),
            None => Ok(()),
        };
    }
    let fetched = upset_toolkit::fetch(&prefix).map_err(lacking)?;
    print(&match fetched {
        true => format!("CUDA {RELEASE} is in {shown}\n"),
        false => format!("{shown} already holds a compiler\n"),
    })?;
    if dir.is_some() {
        print(&format!("`export UPSET_CUDA={shown}` makes `upset compile` use it\n"))?;
    }
    require_host_compiler(RELEASE).map_err(lacking)
}

/// Something of the machine is missing.
pub(super) fn lacking(why: String) -> Failure {
    Failure::new(failure::BAD_INPUT, why)
}
