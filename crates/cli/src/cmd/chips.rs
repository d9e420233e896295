//! `upset chips`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use upset_chip::{ChipSpec, import, render_list};

use crate::arrays;
use crate::failure::{self, Failure, print};

/// `upset chips`.
#[derive(Debug, Args)]
pub struct ChipsArgs {
    /// List them all when absent.
    #[command(subcommand)]
    pub command: Option<ChipsCommand>,
    /// Write the list as JSON
    #[arg(long)]
    pub json: bool,
}

/// `upset chips …`.
#[derive(Debug, Subcommand)]
pub enum ChipsCommand {
    /// Show one chip
    Show {
        /// A preset or a chip file
        #[arg(value_name = "NAME|FILE")]
        chip: String,
        /// Changes one parameter, e.g. sm.count=15 (may be repeated)
        #[arg(long = "set", value_name = "KEY=VALUE")]
        set: Vec<String>,
        /// Print the whole chip as a chip file
        #[arg(long, conflicts_with_all = ["arrays", "json"])]
        toml: bool,
        /// List every array of the machine: instances, bits each, bits in all
        #[arg(long)]
        arrays: bool,
        /// Write JSON: the arrays, or else the whole chip
        #[arg(long)]
        json: bool,
    },
    /// Turn a GPGPU-Sim 4 configuration into a chip file
    Import {
        /// gpgpusim.config
        file: PathBuf,
        /// Name of the chip
        #[arg(long)]
        name: Option<String>,
        /// Write the chip file here instead of to standard output
        #[arg(long, short)]
        output: Option<PathBuf>,
    },
}

/// Runs the command.
pub fn run(args: ChipsArgs) -> Result<(), Failure> {
    match args.command {
        None => list(args.json),
        Some(ChipsCommand::Show { chip, set, toml, arrays: list, json }) => {
            let chip = ChipSpec::load(&chip, &set)?;
            print(&match (list, json) {
                (true, true) => pretty(&arrays::json(&chip))?,
                (true, false) => arrays::text(&chip),
                (false, true) => pretty(&chip)?,
                (false, false) if toml => chip.to_toml(),
                (false, false) => chip.describe(),
            })
        }
        Some(ChipsCommand::Import { file, name, output }) => {
            import_config(&file, name.as_deref(), output.as_deref())
        }
    }
}

fn list(json: bool) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for preset in ChipSpec::presets() {
        rows.push(ChipSpec::preset(preset.name)?.row());
    }
    if json {
        return print(&pretty(&rows)?);
    }
    print(&render_list(&rows))
}

fn pretty(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    text.map(|t| t + "\n").map_err(|e| Failure::new(failure::OURS, e.to_string()))
}

fn import_config(file: &Path, name: Option<&str>, output: Option<&Path>) -> Result<(), Failure> {
    let bytes = std::fs::read(file).map_err(|e| Failure::read(file, &e))?;
    let text = String::from_utf8_lossy(&bytes);
    let stem = file.file_stem().and_then(|s| s.to_str()).unwrap_or("imported");
    let imported = import::gpgpusim(&text, &file.display().to_string(), name.unwrap_or(stem))?;
    match output {
        Some(path) => {
            std::fs::write(path, &imported.toml).map_err(|e| Failure::write(path, &e))?;
        }
        None => print(&imported.toml)?,
    }
    for note in &imported.notes {
        failure::say(&format!("{note}\n"));
    }
    Ok(())
}
