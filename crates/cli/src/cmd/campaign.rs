//! `upset campaign`: many experiments, and the worker processes that run them.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::Args;
use upset_campaign::{Begin, CampaignError, Flags, Observer, Options, ShardOf, Spec};

use super::serve_campaign::ServedCampaign;
use crate::campaign_progress::{CampaignBar, CampaignLines};
use crate::destination::Destination;
use crate::failure::{self, Failure, print};
use crate::host::Host;
pub use crate::process::{cores, interruptible, worker_command};
use crate::subject::as_text;
use crate::words::counted;

/// `upset campaign`.
#[derive(Debug, Args)]
#[command(override_usage = "upset campaign [OPTIONS] --app <APP> --chip <NAME|FILE>
       upset campaign [OPTIONS] --chip <NAME|FILE> -- <PROGRAM> [ARGS]...
       upset campaign SPEC.toml [OPTIONS]
       upset campaign --resume --out FILE")]
pub struct CampaignArgs {
    /// A specification file; flags change what it says
    #[arg(value_name = "SPEC.toml")]
    spec: Option<PathBuf>,
    /// A CUDA program, linked with `-cudart shared`, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
    /// Keys of the specification.
    #[command(flatten)]
    flags: Flags,
    /// Worker processes (default: one per core)
    #[arg(long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
    /// The store (default: named after applications and chips)
    #[arg(long, value_name = "FILE.db")]
    out: Option<PathBuf>,
    /// Write a page with charts at the end, - for standard output (`upset report` has more options)
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Go on with the store that --out names
    #[arg(long)]
    resume: bool,
    /// Go on with the store if it is there, else begin it; waits for whoever writes it (for job files)
    #[arg(long, conflicts_with = "resume")]
    go_on: bool,
    /// Run one part of the campaign, e.g. 3/8, in a store of its own; `upset merge` joins them
    #[arg(long, value_name = "I/N")]
    shard: Option<ShardOf>,
    /// Run nothing: print strata, runs, and what each shard of --shard I/N will take
    #[arg(long, conflicts_with_all = ["resume", "go_on", "html"])]
    dry_run: bool,
    /// Show the campaign in a browser while it runs (default 127.0.0.1:8717, or any free port; see `upset serve`)
    #[arg(long, value_name = "ADDR:PORT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    serve: Option<String>,
    /// Print nothing but failures
    #[arg(long, short, conflicts_with = "json_lines")]
    quiet: bool,
    /// Progress and result as JSON lines on standard output
    #[arg(long)]
    json_lines: bool,
}

impl CampaignArgs {
    /// The specification: the file's, changed by the flags; `None` when
    /// nothing but a store to resume is given.
    fn specification(&self) -> Result<Option<Spec>, Failure> {
        let mut spec = match &self.spec {
            Some(path) => Spec::load(path)?,
            None => Spec::default(),
        };
        let bare = spec.clone();
        if !self.program.is_empty() {
            spec.program = as_text(&self.program)?;
        }
        let wrong = |e: clap::Error| Failure::new(failure::BAD_INPUT, e.to_string());
        self.flags.apply(&mut spec).map_err(wrong)?;
        spec.model = upset_campaign::tables::in_model(&spec.model)?;
        let nothing = self.spec.is_none() && spec == bare;
        Ok((!(self.resume && nothing)).then_some(spec))
    }

    fn store(&self, spec: Option<&Spec>) -> Result<PathBuf, Failure> {
        if let Some(out) = &self.out {
            return Ok(out.clone());
        }
        let spec = spec.ok_or_else(|| {
            Failure::new(failure::BAD_INPUT, "which store? Say --resume --out FILE.db")
        })?;
        let stem = |text: &String| {
            let stem = Path::new(text).file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        };
        let what = spec.apps.iter().chain(spec.program.first()).map(stem);
        // Variants of a chip share its name.
        let chip = |text: &String| stem(&text.split(':').next().unwrap_or(text).to_string());
        let mut words: Vec<String> = what.chain(spec.chips.iter().map(chip)).collect();
        words.dedup();
        let part = self.shard.map(|s| format!(".{}-of-{}", s.number, s.count));
        Ok(PathBuf::from(format!("{}{}.db", words.join("-"), part.unwrap_or_default())))
    }
}

/// Runs the command.
pub fn run(args: CampaignArgs, host: &Host) -> Result<(), Failure> {
    let spec = args.specification()?;
    if let (true, Some(spec)) = (args.dry_run, &spec) {
        return super::dry_run::run(spec, args.shard, args.json_lines);
    }
    let out = args.store(spec.as_ref())?;
    let options = Options {
        out: out.clone(),
        begin: match (args.resume, args.go_on) {
            (true, _) => Begin::Resume,
            (_, true) => Begin::GoOn,
            _ => Begin::New,
        },
        shard: args.shard,
        jobs: args.jobs.map_or_else(cores, usize::from),
        worker: host.worker()?,
        stop: host.stop()?,
    };
    let mut observer: Box<dyn Observer> = match (host.library(), args.quiet, args.json_lines) {
        (Some(library), ..) => Box::new(CampaignLines::to(library.events.clone())),
        (_, true, _) => Box::new(CampaignBar::hidden()),
        (_, _, true) => Box::new(CampaignLines::printed()),
        _ => Box::new(CampaignBar::new(std::io::stderr().is_terminal())),
    };
    // A wrong path is told before the work.
    if args.html.as_deref() == Some(out.as_path()) {
        let text = format!("--html and --out are both {}: give each its own file", out.display());
        return Err(Failure::new(failure::BAD_INPUT, text));
    }
    let given: Vec<&PathBuf> = args.spec.iter().chain([&out]).collect();
    let open = |path| Destination::open_beside(path, &given);
    let html = args.html.as_deref().map(open).transpose()?;
    let to_stdout = html.as_ref().is_some_and(Destination::is_stdout);
    if to_stdout && args.json_lines {
        let text = "--html and --json-lines cannot both go to standard output; give --html a file";
        return Err(Failure::new(failure::BAD_INPUT, text));
    }
    let _page = args.serve.as_deref().map(|at| ServedCampaign::start(&out, at)).transpose()?;
    let done = upset_campaign::run(spec, &options, observer.as_mut()).map_err(|e| match e {
        CampaignError::Interrupted => {
            let text = format!(
                "interrupted; go on with `upset campaign --resume --out {}`",
                out.display()
            );
            Failure::new(failure::INTERRUPTED, text)
        }
        e => e.into(),
    })?;
    drop(observer);
    if args.quiet && html.is_none() && host.library().is_none() {
        say_failures(done.counts.tool_error);
        return Ok(());
    }
    let report = super::report::of_store(&options.out)?;
    if let Some(to) = html {
        to.fill(|out| out.write_all(report.html().as_bytes()))?;
    }
    let line = || {
        serde_json::json!({
            "event": "done", "store": out, "counts": done.counts, "runs": done.counts.runs(),
            "simulated": done.simulated, "digest": done.digest,
            "results_digest": done.results_digest, "notes": report.notes,
        })
    };
    if host.library().is_some() {
        host.answer(|| report.text(), line);
        return Ok(());
    }
    if args.json_lines {
        return print(&format!("{}\n", line()));
    }
    if args.quiet {
        say_failures(done.counts.tool_error);
    }
    if !args.quiet && !to_stdout {
        let out = out.display();
        let mut text = match args.shard {
            None => report.text(),
            Some(s) => format!(
                "shard {}/{}: {}; `upset merge` joins the shards\n",
                s.number,
                s.count,
                counted(done.counts.runs(), "experiment")
            ),
        };
        text.push_str(&format!("\nresults in {out}, digest {}\n", done.digest));
        match &args.html {
            None if args.shard.is_some() => {}
            Some(page) => text.push_str(&format!("a page with charts in {}\n", page.display())),
            None => text
                .push_str(&format!("a page with charts: upset report {out} --html report.html\n")),
        }
        print(&text)?;
    }
    Ok(())
}

/// What not even a quiet campaign keeps to itself.
fn say_failures(failed: u64) {
    if failed > 0 {
        let failed = counted(failed, "experiment");
        failure::say(&format!("upset: {failed} failed in the tool; `upset report` lists them\n"));
    }
}

/// Runs a worker process.
pub fn work(parent: u32) -> Result<(), Failure> {
    match upset_campaign::worker::main(parent) {
        0 => Ok(()),
        code => Err(Failure::new(code, "")),
    }
}

impl From<CampaignError> for Failure {
    fn from(e: CampaignError) -> Failure {
        match e {
            CampaignError::Chip(e) => e.into(),
            CampaignError::App(e) => e.into(),
            CampaignError::Device(e) => e.into(),
            CampaignError::Launch(e) => e.into(),
            CampaignError::Lacking(_) => Failure::new(failure::LACKING, e.to_string()),
            CampaignError::Store(e) => {
                let code = if e.is_input() { failure::BAD_INPUT } else { failure::OURS };
                Failure::new(code, e.to_string())
            }
            CampaignError::Interrupted => Failure::new(failure::INTERRUPTED, e.to_string()),
            CampaignError::Workers(_) => Failure::new(failure::OURS, e.to_string()),
            CampaignError::Golden { .. } => Failure::new(failure::NO, e.to_string()),
            CampaignError::Spec(_) | CampaignError::Fault(_) | CampaignError::Program(_) => {
                Failure::new(failure::BAD_INPUT, e.to_string())
            }
        }
    }
}
