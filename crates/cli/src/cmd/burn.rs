//! `upset burn`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use upset_burn::model::ModelBoard;
use upset_burn::suite::{Event, Plan};
use upset_burn::{Board, BoardError, Effort, Injection, Level, metrics, page, suite, text};
use upset_chip::ChipSpec;
use upset_fault::Experiment;
use upset_realgpu::Unopened;

use super::burn_board::{self, RealArgs};
use super::campaign::interruptible;
use super::replay::{self, ReplayArgs};
use super::{burn_groups, burn_trace};
use crate::destination::Destination;
use crate::failure::{self, Failure, print};

/// Other ways to test.
#[derive(Debug, Subcommand)]
pub enum BurnCommand {
    /// Run a CUDA program on sets of SMs that share none, compare what it leaves, and find the SMs that differ
    Replay(ReplayArgs),
}

/// `upset burn`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BurnArgs {
    #[command(subcommand)]
    pub command: Option<BurnCommand>,
    /// Tests to run; those of the level when none is named
    #[arg(value_name = "TEST")]
    pub tests: Vec<String>,
    /// How much: 1 seconds, 2 two minutes, 3 a quarter of an hour, 4 hours
    #[arg(long, value_name = "1-4", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    pub level: u8,
    /// Tests the model of a chip instead of a GPU: a preset or a chip file
    #[arg(long, value_name = "NAME|FILE")]
    pub model: Option<String>,
    /// Changes one parameter of the model, e.g. sm.count=2 (may be repeated)
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "model")]
    pub set: Vec<String>,
    /// Breaks bits of the model, as in `upset inject`, e.g. 'stuck0
    /// fma:sm3.sub1.lane5.bit29@0..' (may be repeated)
    #[arg(long = "fault", value_name = "FAULT", requires = "model")]
    pub faults: Vec<String>,
    /// Goes round and round for so many seconds of the board's time
    #[arg(long, value_name = "SECONDS", conflicts_with = "iterations")]
    pub duration: Option<f64>,
    /// Rounds over all tests
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: u32,
    /// The tests in this order, some perhaps more than once
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', conflicts_with = "tests")]
    pub sequence: Vec<String>,
    /// Ends with the first test that finds something
    #[arg(long)]
    pub stop_at_first: bool,
    /// Of random operands
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Writes the record as JSON (docs/burn.schema.json); `-` for standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Writes the record as OpenMetrics text
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
    /// Writes a page with a map of the chip
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Writes temperature, power and clock as NVML reads them, fifty times a second
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "opencl"])]
    pub trace: Option<PathBuf>,
    /// Lists the tests
    #[arg(long)]
    pub list: bool,
    /// Makes an error on purpose, e.g. sm=3,sub=1,lane=5,bit=12,period=1
    #[arg(long, value_name = "PLACE")]
    pub inject: Option<Injection>,
    /// Makes random errors on purpose, so many, and says whether each was found at its place
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "10", conflicts_with_all = ["inject", "duration", "sequence"])]
    pub self_test: Option<u32>,
    #[command(flatten)]
    pub real: RealArgs,
}

/// Runs the command.
pub fn run(args: BurnArgs) -> Result<(), Failure> {
    if let Some(BurnCommand::Replay(args)) = &args.command {
        return replay::run(args);
    }
    if args.list {
        return print(&text::list());
    }
    if args.real.probe {
        return print(&burn_board::probe(&args.real).map_err(refused)?);
    }
    if args.real.without_each {
        return without_each(&args);
    }
    let level = Level::of(args.level).unwrap_or(Level::One);
    let (mut board, not_there) = open_or_say(&args)?;
    if let Some(errors) = args.self_test {
        return super::burn_self_test::run(board.as_mut(), &args.tests, errors, args.seed);
    }
    let names = if args.sequence.is_empty() { &args.tests } else { &args.sequence };
    let (tests, left_out) = Plan::choose(names, level, board.about().kind)
        .map_err(|e| Failure::new(failure::BAD_INPUT, e))?;
    let files: Vec<_> = [&args.json, &args.metrics, &args.html, &args.trace]
        .into_iter()
        .map(|f| f.as_deref().map(Destination::open).transpose())
        .collect::<Result<_, _>>()?;
    let plan = Plan {
        tests,
        left_out,
        effort: Effort { level, rounds: 1, bytes: None },
        seed: args.seed,
        inject: args.inject,
        duration: args.duration,
        iterations: args.iterations,
        stop_at_first: args.stop_at_first,
    };
    let trace = match (&args.trace, &not_there) {
        (Some(_), None) => Some(burn_trace::start(board.about())?),
        _ => None,
    };
    let bar = spinner();
    let stop = interruptible()?;
    let record =
        suite::run_until(board.as_mut(), &plan, &program(), stop, &mut |event| match event {
            Event::Begins(about, i, of, round) => {
                bar.set_message(format!("round {}: {} ({} of {of})", round + 1, about.name, i + 1));
                bar.tick();
            }
            Event::Ended(_) => bar.tick(),
        });
    bar.finish_and_clear();
    let json = record.json().map_err(|e| Failure::new(failure::OURS, e))?;
    let (readings, line) = trace.map(burn_trace::told).transpose()?.unwrap_or_default();
    let texts = [json, metrics::render(&record), page::render(&record), readings];
    let aside = files.iter().flatten().any(Destination::is_stdout);
    for (file, text) in files.into_iter().zip(texts) {
        if let Some(file) = file {
            file.fill(|out| out.write_all(text.as_bytes()))?;
        }
    }
    if !aside && not_there.is_none() {
        print(&(text::render(&record) + &line))?;
    }
    match (not_there, record.exit_code) {
        // Said in one sentence; the record repeats it for every test.
        (Some(failure), _) => Err(failure),
        (None, 0) => Ok(()),
        (None, code) => Err(Failure::new(code, "")),
    }
}

/// `--without-each`.
fn without_each(args: &BurnArgs) -> Result<(), Failure> {
    let file = args.json.as_deref().map(Destination::open).transpose()?;
    let tour = burn_groups::run(args.real.device).map_err(refused)?;
    let aside = file.as_ref().is_some_and(Destination::is_stdout);
    if let Some(file) = file {
        file.fill(|out| writeln!(out, "{:#}", tour.json))?;
    }
    if !aside {
        print(&tour.text)?;
    }
    if tour.is_good { Ok(()) } else { Err(Failure::new(failure::NO, "")) }
}

/// Who writes the record.
fn program() -> String {
    format!("upset {}", env!("CARGO_PKG_VERSION"))
}

/// The model, with what is to be broken planned.
fn open_model(chip: &str, args: &BurnArgs) -> Result<Box<dyn Board>, Failure> {
    let chip = ChipSpec::load(chip, &args.set)?;
    let mut board = ModelBoard::new(&chip).map_err(refused)?;
    for fault in &args.faults {
        let text = upset_campaign::tables::in_fault(fault)?;
        let experiment = Experiment::parse(&text, &board.registry())
            .map_err(|e| Failure::new(failure::BAD_INPUT, e.to_string()))?;
        for (cycle, change) in experiment.changes() {
            board.plan(cycle, change);
        }
    }
    Ok(Box::new(board))
}

/// The board, or where there is no such GPU the sentence that says so, with a
/// board that says it to every test if somebody wants a record.
fn open_or_say(args: &BurnArgs) -> Result<(Box<dyn Board>, Option<Failure>), Failure> {
    if let Some(chip) = &args.model {
        return open_model(chip, args).map(|board| (board, None));
    }
    match burn_board::open(&args.real) {
        Ok(board) => Ok((board, None)),
        Err(BoardError::CannotRun(why)) => {
            let failure = Failure::new(
                failure::LACKING,
                format!("{why}; `upset burn --model rtx2060` tests the model of a GPU"),
            );
            let wants_record = [&args.json, &args.metrics, &args.html].iter().any(|f| f.is_some());
            if !wants_record || args.self_test.is_some() {
                return Err(failure);
            }
            let board = Unopened::new(burn_board::kind(&args.real), why);
            Ok((Box::new(board), Some(failure)))
        }
        Err(e) => Err(refused(e)),
    }
}

/// What a board cannot do, or did.
pub(super) fn refused(e: BoardError) -> Failure {
    match e {
        BoardError::CannotRun(why) => Failure::new(failure::LACKING, why),
        BoardError::Failed(why) => Failure::new(failure::NO, why),
    }
}

/// On standard error, terminals only.
fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(
        ProgressStyle::with_template("{spinner} {elapsed} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    bar
}
