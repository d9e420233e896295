//! `upset report`: what campaigns found, in the terminal, as JSON, as a page.

use std::path::{Path, PathBuf};

use clap::Args;
use upset_report::ecc::Ecc;
use upset_report::{AceBounds, Options, Report};
use upset_store::{Reader, Results, StoreError};

use super::estimate_args::EstimateArgs;
use crate::destination::Destination;
use crate::failure::{self, Failure, print};

/// `upset report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Stores of campaigns
    #[arg(required = true, value_name = "STORE")]
    stores: Vec<PathBuf>,
    /// Write one self-contained page with charts (- = standard output)
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write all numbers as one JSON object (- = standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write each figure of the page as an SVG file into this folder
    #[arg(long, value_name = "FOLDER")]
    figures: Option<PathBuf>,
    #[command(flatten)]
    estimates: EstimateArgs,
    /// Re-read the results under a code, e.g. rf=secded:32 l2=secded:256/4 smem=parity:32 (may be repeated)
    #[arg(long, value_name = "STRUCTURE=CODE:BITS[/INTERLEAVE]", value_delimiter = ',')]
    ecc: Vec<Ecc>,
    /// Show bounds of the ACE analysis beside the rates: a file that `upset ace --json` wrote (may be repeated)
    #[arg(long, value_name = "FILE")]
    ace: Vec<PathBuf>,
    /// Print no tables
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: ReportArgs) -> Result<(), Failure> {
    let stores = args.stores.iter().map(load).collect::<Result<Vec<Results>, Failure>>()?;
    let options = options(&args, &stores)?;
    // Files are opened before the work: a wrong path is told at once.
    let open = |path| Destination::open_beside(path, &args.stores);
    let html = args.html.as_deref().map(open).transpose()?;
    let json = args.json.as_deref().map(open).transpose()?;
    let to_stdout = |t: &Option<Destination<'_>>| t.as_ref().is_some_and(Destination::is_stdout);
    if to_stdout(&html) && to_stdout(&json) {
        return Err(Failure::new(
            failure::BAD_INPUT,
            "--html and --json cannot both go to standard output; give one of them a file",
        ));
    }
    if args.html.is_some() && args.html == args.json {
        let text = "--html and --json name the same file; give each its own";
        return Err(Failure::new(failure::BAD_INPUT, text));
    }
    let report = Report::new(&stores, &options);
    if !(args.quiet || to_stdout(&html) || to_stdout(&json)) {
        print(&report.text())?;
    }
    if let Some(to) = html {
        to.fill(|out| out.write_all(report.html().as_bytes()))?;
    }
    if let Some(to) = json {
        to.fill(|out| writeln!(out, "{:#}", report.json()))?;
    }
    if let Some(folder) = &args.figures {
        write_figures(&report, folder)?;
    }
    Ok(())
}

/// One file for each figure, named as on the page.
fn write_figures(report: &Report, folder: &Path) -> Result<(), Failure> {
    let failed = |path: &Path, e: std::io::Error| {
        let text = format!("{}: cannot be written: {e}", path.display());
        Failure::new(failure::BAD_INPUT, text)
    };
    std::fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
    for (name, svg) in report.figures() {
        let path = folder.join(name);
        std::fs::write(&path, svg).map_err(|e| failed(&path, e))?;
    }
    Ok(())
}

/// The report alone, for who has this as a library.
pub fn report(args: &ReportArgs) -> Result<Report, Failure> {
    let stores = args.stores.iter().map(load).collect::<Result<Vec<Results>, Failure>>()?;
    let options = options(args, &stores)?;
    Ok(Report::new(&stores, &options))
}

fn options(args: &ReportArgs, stores: &[Results]) -> Result<Options, Failure> {
    for (i, ecc) in args.ecc.iter().enumerate() {
        if args.ecc[..i].iter().any(|e| e.structure == ecc.structure) {
            let text = format!("--ecc has two codes for {}; give it one", ecc.structure);
            return Err(Failure::new(failure::BAD_INPUT, text));
        }
    }
    let read = |path: &PathBuf| {
        let bad =
            |what: String| Failure::new(failure::BAD_INPUT, format!("{}: {what}", path.display()));
        let text =
            std::fs::read_to_string(path).map_err(|e| bad(format!("cannot be read: {e}")))?;
        AceBounds::parse(&text).map_err(bad)
    };
    let ace = args.ace.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    Ok(Options { ecc: args.ecc.clone(), ace, ..args.estimates.options(stores)? })
}

/// The report on one store, without options: what a campaign ends with.
pub fn of_store(store: &Path) -> Result<Report, Failure> {
    Ok(Report::new(&[load(store)?], &Options::default()))
}

/// Everything in a store.
pub fn load(path: impl AsRef<Path>) -> Result<Results, Failure> {
    let path = path.as_ref();
    let read = || Reader::open(path)?.results(path);
    read().map_err(|e: StoreError| {
        let code = if e.is_input() { failure::BAD_INPUT } else { failure::OURS };
        Failure::new(code, e.to_string())
    })
}
