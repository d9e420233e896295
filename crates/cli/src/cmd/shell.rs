//! What a shell and `man` know about `upset`, made from the command line's own
//! definition.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

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
pub fn completions(args: &CompletionsArgs, mut upset: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut upset, "upset", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// Runs `upset man`.
pub fn man(args: ManArgs, upset: Command) -> Result<(), Failure> {
    let Some(dir) = args.out else {
        let mut text = Vec::new();
        let done = Man::new(upset).render(&mut text);
        done.map_err(|e| Failure::new(failure::OURS, format!("cannot make the page: {e}")))?;
        return print(&String::from_utf8_lossy(&text));
    };
    std::fs::create_dir_all(&dir)
        .and_then(|()| clap_mangen::generate_to(upset, &dir))
        .map_err(|e| Failure::write(&dir, &e))?;
    print(&format!("a page for every command in {}\n", dir.display()))
}
