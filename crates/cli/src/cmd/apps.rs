//! `upset apps`.

use std::fmt::Write;

use clap::Args;
use upset_apps::vendor_name;

use crate::failure::{self, Failure, print};

/// `upset apps`.
#[derive(Debug, Args)]
pub struct AppsArgs {
    /// Write the list as JSON
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: AppsArgs) -> Result<(), Failure> {
    let apps = upset_apps::built_in();
    if args.json {
        let list: Vec<_> = apps
            .iter()
            .map(|a| {
                serde_json::json!({
                    "app": a.id(),
                    "vendors": a.vendors(),
                    "aliases": a.aliases(),
                    "description": a.description(),
                    "kernels": a.manifest().kernels.iter().map(|k| &k.name).collect::<Vec<_>>(),
                })
            })
            .collect();
        let text = serde_json::to_string_pretty(&list)
            .map_err(|e| Failure::new(failure::OURS, e.to_string()))?;
        return print(&(text + "\n"));
    }
    let mut out = String::from("APP    VENDOR  ALIASES              DESCRIPTION\n");
    for a in apps {
        let vendors: Vec<_> = a.vendors().into_iter().map(vendor_name).collect();
        let (vendors, aliases) = (vendors.join(", "), a.aliases().join(", "));
        let _ = writeln!(out, "{:<6} {vendors:<7} {aliases:<20} {}", a.id(), a.description());
    }
    print(&out)
}
