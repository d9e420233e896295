//! Options for performance counters.

use std::path::{Path, PathBuf};

use clap::Args;
use upset_device::pmu::Sampling;

use crate::counters_file::Format;
use crate::failure::{self, Failure};

/// What is counted, and when it is read.
#[derive(Debug, Args)]
pub struct CountingArgs {
    /// Write the performance counters of every launch and SM (.csv or .json; - = JSON to standard output)
    #[arg(long, value_name = "FILE")]
    pub counters: Option<PathBuf>,
    /// Read them every so many cycles of a launch, not only at its end
    #[arg(
        long,
        value_name = "CYCLES",
        requires = "counters",
        conflicts_with_all = ["samples", "functional"],
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub every: Option<u64>,
    /// Read them in so many equal parts of each launch; runs every launch twice
    #[arg(
        long,
        value_name = "N",
        requires = "counters",
        conflicts_with = "functional",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub samples: Option<u64>,
}

impl CountingArgs {
    /// When they are read.
    pub fn sampling(&self) -> Sampling {
        match (self.every, self.samples) {
            (Some(cycles), _) => Sampling::Every(cycles),
            (None, Some(parts)) => Sampling::Parts(parts),
            (None, None) => Sampling::AtEnd,
        }
    }

    /// Where they go, and how.
    pub fn file(&self) -> Result<Option<(&Path, Format)>, Failure> {
        let Some(path) = self.counters.as_deref() else { return Ok(None) };
        let named = path.extension().and_then(|e| e.to_str());
        let format = match named {
            _ if path == Path::new("-") => Format::Json,
            Some("csv") => Format::Csv,
            Some("json") => Format::Json,
            _ => {
                let path = path.display();
                return Err(Failure::new(
                    failure::BAD_INPUT,
                    format!(
                        "--counters {path} does not say how to write: end its name in .csv or \
                         .json, or give - for JSON on standard output"
                    ),
                ));
            }
        };
        Ok(Some((path, format)))
    }
}
