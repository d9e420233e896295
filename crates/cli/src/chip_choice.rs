//! Options that say which chip.

use clap::Args;

/// Which chip.
#[derive(Debug, Args)]
pub struct ChipChoice {
    /// A preset (see `upset chips`) or a chip file
    #[arg(long, value_name = "NAME|FILE")]
    pub chip: String,
    /// Changes one parameter, e.g. sm.count=15 (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}
