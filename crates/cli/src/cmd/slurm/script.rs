//! `upset slurm script`.

use upset_campaign::{ShardOf, Spec};
use upset_slurm::script::Plain;

use super::args::ScriptArgs;
use crate::failure::{self, Failure, print};

/// Runs the command.
pub fn run(args: &ScriptArgs) -> Result<(), Failure> {
    // Mistakes are told here and not by every job.
    Spec::load(&args.spec)?.check()?;
    let bad = |text: String| Failure::new(failure::BAD_INPUT, text);
    format!("1/{}", args.shards).parse::<ShardOf>().map_err(bad)?;
    if let Some(name) = &args.index_var {
        let is_name = |c: char| c == '_' || c.is_ascii_alphanumeric();
        if name.is_empty() || !name.chars().all(is_name) || name.starts_with(char::is_numeric) {
            return Err(bad(format!("--index-var {name:?}: no name of an environment variable")));
        }
    }
    let plain = Plain {
        spec: &args.spec,
        shards: args.shards,
        index_var: args.index_var.as_deref(),
        first_index: args.first_index,
        folder: &args.folder,
    };
    print(&plain.text())
}
