//! `upset export`: a campaign's results for other programs.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use upset_store::export::{self, Format};
use upset_store::{Reader, StoreError};

use crate::failure::{self, Failure};

/// `upset export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The store of a campaign
    #[arg(value_name = "STORE")]
    store: PathBuf,
    /// csv: a row per experiment; json: one object; jsonl: the form that the digest is taken of
    /// (default: what the name of the file says, else csv)
    #[arg(long, value_parser = ["csv", "json", "jsonl", "parquet"], hide_possible_values = true,
          value_name = "csv|json|jsonl|parquet")]
    format: Option<String>,
    /// Where to (- = standard output)
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    out: PathBuf,
}

/// Runs the command.
pub fn run(args: ExportArgs) -> Result<(), Failure> {
    let format = format(&args)?;
    let reader = Reader::open(&args.store).map_err(|e| failed(&args.out, e))?;
    if args.out == Path::new("-") {
        return match fill(&reader, format, io::stdout()) {
            Err(e) if e.is_broken_pipe() => Ok(()),
            done => done.map_err(|e| failed(&args.out, e)),
        };
    }
    // Opening the file empties it.
    let real = |path: &Path| fs::canonicalize(path).ok();
    if real(&args.store) == real(&args.out) {
        let message = format!("{} is the store itself: choose another --out", args.out.display());
        return Err(Failure::new(failure::BAD_INPUT, message));
    }
    let file = File::create(&args.out).map_err(|e| Failure::write(&args.out, &e))?;
    fill(&reader, format, file).map_err(|e| failed(&args.out, e))
}

fn format(args: &ExportArgs) -> Result<Format, Failure> {
    let ending = args.out.extension().and_then(|e| e.to_str());
    match (&args.format, ending) {
        (Some(name), _) => Format::parse(name).ok_or_else(|| lacking(name)),
        (None, Some("parquet")) => Format::parse("parquet").ok_or_else(|| lacking("parquet")),
        (None, ending) => Ok(ending.and_then(Format::parse).unwrap_or(Format::Csv)),
    }
}

fn lacking(name: &str) -> Failure {
    let message = format!("this upset was built without {name}: build it with --features {name}");
    Failure::new(failure::LACKING, message)
}

fn fill(reader: &Reader, format: Format, out: impl Write + Send) -> Result<(), StoreError> {
    export::write(reader, format, &mut BufWriter::with_capacity(1 << 16, out))
}

fn failed(out: &Path, e: StoreError) -> Failure {
    match e {
        StoreError::Export(e) => Failure::write(out, &e),
        e if e.is_input() => Failure::new(failure::BAD_INPUT, e.to_string()),
        e => Failure::new(failure::OURS, e.to_string()),
    }
}
