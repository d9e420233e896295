//! `upset campaign`: many experiments, and the worker processes that run them.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use clap::Args;
use upset_apps::Scale;
use upset_campaign::choices::Sampling;
use upset_campaign::{CampaignError, Observer, Options, Spec};
use upset_fault::Scope;

use crate::campaign_progress::{CampaignBar, CampaignLines};
use crate::comparison::{ComparisonArgs, set};
use crate::destination::Destination;
use crate::failure::{self, Failure, print};
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
    /// Built-in applications or folders with an app.toml
    #[arg(long, value_name = "APP,…", value_delimiter = ',')]
    app: Vec<String>,
    /// Chips: presets or chip files
    #[arg(long, value_name = "NAME|FILE,…", value_delimiter = ',')]
    chip: Vec<String>,
    /// Changes one parameter of the chips, e.g. sm.count=15 (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Size of the input of built-in applications
    #[arg(long, value_name = "small|paper")]
    scale: Option<Scale>,
    /// Seed of the applications' generated input (default: their own)
    #[arg(long, value_name = "N")]
    input_seed: Option<u64>,
    /// Structures to break (default rf,smem,l1d,l1t,l2); l2.tag is a part, rf+l2 both at once
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    structure: Vec<String>,
    /// `each` kernel for itself (default), the whole `app`, or names of kernels
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    kernel: Vec<String>,
    /// Only this launch, counted from 0
    #[arg(long, value_name = "N")]
    launch: Option<u64>,
    /// Only these cycles, e.g. 100..200,350
    #[arg(long, value_name = "A..B,…", value_delimiter = ',')]
    cycles: Vec<String>,
    /// Bits per experiment (default 1); 1,3 makes both
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    bits: Vec<u32>,
    /// flip (default), stuck0, stuck1, stuck, stuck1:500, burst1:10/90:5000
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// How several bits lie: entry (default), adjacent, 2x3, array, structure, entries:2; l2=array for one structure
    #[arg(long, value_name = "PATTERN,…", value_delimiter = ',')]
    spread: Vec<String>,
    /// The same positions in this many SMs or slices
    #[arg(long, value_name = "N")]
    copies: Option<u32>,
    /// Experiments per kernel, structure and number of bits (default 1000)
    #[arg(long, value_name = "N", conflicts_with_all = ["margin", "relative"])]
    runs: Option<u64>,
    /// As many experiments as this half width of the interval needs, e.g. 1%
    #[arg(long, value_name = "PERCENT", value_parser = upset_campaign::share, conflicts_with = "relative")]
    margin: Option<f64>,
    /// Go on until rates are known this well relative to themselves, e.g. 10%
    #[arg(long, value_name = "PERCENT", value_parser = upset_campaign::share)]
    relative: Option<f64>,
    /// Most experiments with --relative (default 100000)
    #[arg(long, value_name = "N", requires = "relative")]
    max_runs: Option<u64>,
    /// Confidence of intervals (default 95%)
    #[arg(long, value_name = "PERCENT", value_parser = super::report::confidence)]
    confidence: Option<f64>,
    /// physical (default): all bits of a structure; active: those of live threads and CTAs
    #[arg(long, value_name = "physical|active")]
    sampling: Option<Sampling>,
    /// all (default), used, or numbers, e.g. 0,3-5
    #[arg(long, value_name = "SMS")]
    sms: Option<String>,
    /// Active sampling: one thread (default), or every thread of a warp
    #[arg(long, value_name = "thread|warp")]
    scope: Option<Scope>,
    /// Active sampling: registers or local words that get the same bits
    #[arg(long, value_name = "N")]
    registers: Option<u32>,
    /// Active sampling: CTAs whose shared memory gets the same bits
    #[arg(long, value_name = "N")]
    ctas: Option<u32>,
    /// A run is given up after this many times the fault-free run's cycles (default 2)
    #[arg(long, value_name = "FACTOR")]
    limit: Option<f64>,
    /// How results are compared.
    #[command(flatten)]
    comparison: ComparisonArgs,
    /// on (default): leave out what the fault-free run proves to be masked; off: run all from cycle 0
    #[arg(long, value_name = "on|off", value_parser = on_or_off)]
    exact: Option<bool>,
    /// Seed of the samples (default 1)
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
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
    /// Print nothing but failures
    #[arg(long, short, conflicts_with = "json_lines")]
    quiet: bool,
    /// Progress and result as JSON lines on standard output
    #[arg(long)]
    json_lines: bool,
}

fn on_or_off(text: &str) -> Result<bool, String> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("must be on or off".into()),
    }
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
        let lists = [
            (&self.app, &mut spec.apps),
            (&self.chip, &mut spec.chips),
            (&self.set, &mut spec.set),
            (&self.structure, &mut spec.structures),
            (&self.kernel, &mut spec.kernels),
            (&self.cycles, &mut spec.cycles),
            (&self.spread, &mut spec.spread),
        ];
        for (given, to) in lists {
            if !given.is_empty() {
                *to = given.clone();
            }
        }
        if !self.program.is_empty() {
            spec.program = as_text(&self.program)?;
        }
        if !self.bits.is_empty() {
            spec.bits = self.bits.clone();
        }
        self.comparison.apply(&mut spec);
        set(&mut spec.model, self.model.clone());
        set(&mut spec.sms, self.sms.clone());
        set(&mut spec.scale, self.scale);
        set(&mut spec.sampling, self.sampling);
        set(&mut spec.scope, self.scope);
        set(&mut spec.copies, self.copies);
        set(&mut spec.registers, self.registers);
        set(&mut spec.ctas, self.ctas);
        set(&mut spec.limit, self.limit);
        set(&mut spec.max_runs, self.max_runs);
        set(&mut spec.confidence, self.confidence);
        set(&mut spec.exact, self.exact);
        set(&mut spec.seed, self.seed);
        spec.launch = self.launch.or(spec.launch);
        spec.input_seed = self.input_seed.or(spec.input_seed);
        if self.runs.or(self.max_runs).is_some() || self.margin.or(self.relative).is_some() {
            (spec.runs, spec.margin, spec.relative) = (self.runs, self.margin, self.relative);
        }
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
        let words: Vec<String> = what.chain(spec.chips.iter().map(stem)).collect();
        Ok(PathBuf::from(format!("{}.db", words.join("-"))))
    }
}

/// Set when the user presses Ctrl-C.
static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Worker processes unless the user says how many.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How a worker is started.
pub fn worker_command() -> Result<Vec<OsString>, Failure> {
    let program = std::env::current_exe()
        .map_err(|e| Failure::new(failure::OURS, format!("cannot find the program upset: {e}")))?;
    Ok(vec![program.into(), "worker".into(), std::process::id().to_string().into()])
}

/// A flag that Ctrl-C sets. The first one ends the work in order, a second one
/// at once: the store is sound either way.
pub fn interruptible() -> Result<&'static AtomicBool, Failure> {
    let stop = Arc::clone(&STOP);
    ctrlc::set_handler(move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(failure::INTERRUPTED.into());
        }
    })
    .map_err(|e| Failure::new(failure::OURS, format!("cannot wait for Ctrl-C: {e}")))?;
    Ok(&STOP)
}

/// Runs the command.
pub fn run(args: CampaignArgs) -> Result<(), Failure> {
    let spec = args.specification()?;
    let out = args.store(spec.as_ref())?;
    let options = Options {
        out: out.clone(),
        resume: args.resume,
        jobs: args.jobs.map_or_else(cores, usize::from),
        worker: worker_command()?,
        stop: interruptible()?,
    };
    let mut observer: Box<dyn Observer> = match (args.quiet, args.json_lines) {
        (true, _) => Box::new(CampaignBar::hidden()),
        (_, true) => Box::new(CampaignLines::default()),
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
    let report = super::report::of_store(&options.out)?;
    if let Some(to) = html {
        to.fill(|out| out.write_all(report.html().as_bytes()))?;
    }
    if args.json_lines {
        let line = serde_json::json!({
            "event": "done", "store": out, "counts": done.counts, "runs": done.counts.runs(),
            "simulated": done.simulated, "digest": done.digest,
            "results_digest": done.results_digest, "notes": report.notes,
        });
        return print(&format!("{line}\n"));
    }
    if args.quiet && done.counts.tool_error > 0 {
        let failed = counted(done.counts.tool_error, "experiment");
        failure::say(&format!("upset: {failed} failed in the tool; `upset report` lists them\n"));
    }
    if !args.quiet && !to_stdout {
        let out = out.display();
        let mut text = report.text();
        text.push_str(&format!("\nresults in {out}, digest {}\n", done.digest));
        match &args.html {
            Some(page) => text.push_str(&format!("a page with charts in {}\n", page.display())),
            None => text
                .push_str(&format!("a page with charts: upset report {out} --html report.html\n")),
        }
        print(&text)?;
    }
    Ok(())
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
