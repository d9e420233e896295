//! `upset exhaustive`: every bit and cycle of a structure.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use upset_apps::Scale;
use upset_campaign::exhaustive::{Exact, Workers, exhaustive};
use upset_campaign::{CampaignError, Observer, Spec};
use upset_chip::ChipSpec;
use upset_metrics::Class;
use upset_report::RawFit;

use super::campaign::{cores, interruptible, worker_command};
use crate::campaign_progress::CampaignBar;
use crate::chip_choice::ChipChoice;
use crate::destination::Destination;
use crate::failure::{self, Failure, print};
use crate::table::{grouped, render, row};

/// `upset exhaustive`.
#[derive(Debug, Args)]
pub struct ExhaustiveArgs {
    /// A built-in application or a folder with an app.toml
    app: Option<String>,
    /// A CUDA program: refused, with the reason
    #[arg(last = true, value_name = "PROGRAM", hide = true)]
    program: Vec<OsString>,
    #[command(flatten)]
    chip: ChipChoice,
    /// Structures: rf, pred, ureg, upred, smem, lmem, ibuf, of AMD's chips vrf, srf, lds, scc, m0, ibuf, and data of caches such as l2.data
    #[arg(long, value_name = "A,B,…", value_delimiter = ',', required = true)]
    structure: Vec<String>,
    /// The whole `app` (default), `each` kernel for itself, or names of kernels
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    kernel: Vec<String>,
    /// Only this launch, counted from 0
    #[arg(long, value_name = "N")]
    launch: Option<u64>,
    /// Only these cycles, e.g. 100..200,350
    #[arg(long, value_name = "A..B,…", value_delimiter = ',')]
    cycles: Vec<String>,
    /// Size of the input of built-in applications
    #[arg(long, value_name = "small|paper", default_value = "small")]
    scale: Scale,
    /// Seed of the application's generated input (default: its own)
    #[arg(long, value_name = "N")]
    input_seed: Option<u64>,
    /// Worker processes (default: one per core)
    #[arg(long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
    /// Write all numbers as one JSON object (- = standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Raw FIT of a bit, for FIT: chip (what the chip file says), 12nm, 28nm, sifi, or a number with its source
    #[arg(long, value_name = "NAME|NUMBER")]
    raw_fit: Option<String>,
    /// Where the number given with --raw-fit comes from
    #[arg(long, value_name = "TEXT", requires = "raw_fit")]
    raw_fit_source: Option<String>,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

impl ExhaustiveArgs {
    fn specification(&self) -> Result<Spec, Failure> {
        let text = |a: &OsString| a.to_string_lossy().into_owned();
        let program: Vec<String> = self.program.iter().map(text).collect();
        if self.app.is_none() && program.is_empty() {
            let text = "which application? `upset apps` lists them";
            return Err(Failure::new(failure::BAD_INPUT, text));
        }
        let kernels = match self.kernel.is_empty() {
            true => vec!["app".to_string()],
            false => self.kernel.clone(),
        };
        Ok(Spec {
            apps: self.app.iter().cloned().collect(),
            program,
            scale: self.scale,
            input_seed: self.input_seed,
            chips: vec![self.chip.chip.clone()],
            set: self.chip.set.clone(),
            structures: self.structure.clone(),
            kernels,
            launch: self.launch,
            cycles: self.cycles.clone(),
            ..Spec::default()
        })
    }
}

/// Runs the command.
pub fn run(args: ExhaustiveArgs) -> Result<(), Failure> {
    let spec = args.specification()?;
    let chip = || {
        let chip = &args.chip;
        Ok(vec![(chip.chip.clone(), ChipSpec::load(&chip.chip, &chip.set)?)])
    };
    let source = args.raw_fit_source.as_deref();
    let raw_fit = args.raw_fit.as_deref().map(|value| super::raw_fit::given(value, source, chip));
    // One chip has one.
    let raw_fit = raw_fit.transpose()?.and_then(|raws| raws.all().into_iter().next().cloned());
    // A wrong path is told before the work.
    let json = args.json.as_deref().map(Destination::open).transpose()?;
    let workers = Workers {
        jobs: args.jobs.map_or_else(cores, usize::from),
        command: worker_command()?,
        stop: interruptible()?,
    };
    let mut bar = match args.quiet {
        true => CampaignBar::hidden(),
        false => CampaignBar::new(std::io::IsTerminal::is_terminal(&std::io::stderr())),
    };
    let observer: &mut dyn Observer = &mut bar;
    let rows = exhaustive(&spec, &workers, observer).map_err(|e| match e {
        CampaignError::Interrupted => {
            Failure::new(failure::INTERRUPTED, "interrupted: nothing is kept of an exact count")
        }
        e => e.into(),
    })?;
    drop(bar);
    let to_stdout = json.as_ref().is_some_and(Destination::is_stdout);
    if let Some(to) = json {
        let text = format!("{:#}\n", object(&rows, raw_fit.as_ref()));
        to.fill(|out| out.write_all(text.as_bytes()))?;
    }
    match to_stdout {
        true => Ok(()),
        false => {
            let texts: Vec<String> = rows.iter().map(|r| text(r, raw_fit.as_ref())).collect();
            print(&texts.join("\n"))
        }
    }
}

/// Failures in 10^9 hours.
fn fit(row: &Exact, raw: &RawFit) -> f64 {
    row.avf * raw.per_bit * row.structure_bits as f64
}

fn object(rows: &[Exact], raw: Option<&RawFit>) -> Value {
    let rows = rows.iter().map(|row| {
        let mut object = json!(row);
        object["fit"] = json!(raw.map(|raw| fit(row, raw)));
        object
    });
    json!({ "rows": rows.collect::<Vec<_>>(), "raw_fit": raw })
}

fn text(e: &Exact, raw: Option<&RawFit>) -> String {
    let kernel = e.kernel.as_deref().unwrap_or("whole run");
    let window = match e.window.is_empty() {
        true => String::new(),
        false => format!(", {}", e.window),
    };
    let mut text =
        format!("{} ({}) on {}, {kernel}{window}, {}\n", e.app, e.scale, e.chip, e.structure);
    text += &format!(
        "{} bits x {} cycles = {} bit-cycles\n",
        grouped(e.structure_bits),
        grouped(e.cycles),
        grouped(e.bit_cycles)
    );
    text += &format!(
        "{} flips stand for {} of them: {} followed, {} simulated\n\n",
        grouped(e.classes),
        grouped(e.how.iter().filter(|(how, _)| !is_dead(how)).map(|(_, n)| n).sum()),
        grouped(e.followed),
        grouped(e.simulated)
    );
    let share = |n: u64| format!("{:.6} %", 100.0 * n as f64 / e.bit_cycles as f64);
    let mut rows = vec![row!["CLASS", "BIT-CYCLES", "SHARE"]];
    for class in Class::ALL {
        let n = e.counts.of(class);
        rows.push(row![class.name(), grouped(n), share(n)]);
    }
    text += &render(&rows);
    text += &format!("\nAVF {} / {} = {}\n", e.failures, e.bit_cycles, share(e.failures));
    if e.counts.tool_error > 0 {
        let most = share(e.failures + e.counts.tool_error);
        text += &format!("flips that fail in the tool count as no failure: at most {most}\n");
    }
    if let Some(raw) = raw {
        let fit = fit(e, raw);
        text += &format!("FIT {fit:.4e} with {} per bit ({})\n", raw.per_bit, raw.source);
    }
    text
}

/// Whether nothing was run to know it.
fn is_dead(how: &str) -> bool {
    matches!(how, "untouched" | "overwritten")
}
