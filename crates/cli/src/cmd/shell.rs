//! What a shell and `man` know about `upset`, made from the command line's own
//! definition.

use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Cli;
use crate::failure::{self, Failure, print};

/// `upset completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Whose completions
    shell: Shell,
}

/// `upset man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for every command into this folder, instead of the main one to standard output
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs `upset completions`.
pub fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "upset", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// Runs `upset man`.
pub fn man(args: ManArgs) -> Result<(), Failure> {
    let Some(dir) = args.out else {
        let mut text = Vec::new();
        let done = Man::new(Cli::command()).render(&mut text);
        done.map_err(|e| Failure::new(failure::OURS, format!("cannot make the page: {e}")))?;
        return print(&String::from_utf8_lossy(&text));
    };
    std::fs::create_dir_all(&dir)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &dir))
        .map_err(|e| Failure::write(&dir, &e))?;
    print(&format!("a page for every command in {}\n", dir.display()))
}
