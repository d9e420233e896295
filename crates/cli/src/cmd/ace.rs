//! `upset ace`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use upset_ace::{Ace, HotSpot, Listening};
use upset_apps::App;
use upset_campaign::folder;
use upset_chip::ChipSpec;
use upset_device::{Device, Mode};
use upset_sass::decode::decode;
use upset_sass::{Arch, Word, disasm};
use upset_state::Registry;

use super::ace_against::Failures;
use crate::ace_text::{self, Origin};
use crate::chip_choice::ChipChoice;
use crate::destination::Destination;
use crate::failure::{self, Failure, print};
use crate::host::Host;

/// `upset ace`.
#[derive(Debug, Args)]
#[command(override_usage = "upset ace [OPTIONS] --chip <NAME|FILE> <APP>")]
pub struct AceArgs {
    /// A built-in application (see `upset apps`) or a folder with an app.toml
    #[arg(required_unless_present = "program", conflicts_with = "program")]
    app: Option<String>,
    /// CUDA programs cannot be analysed
    #[arg(last = true, value_name = "PROGRAM", hide = true)]
    program: Vec<OsString>,
    /// The chip.
    #[command(flatten)]
    chip: ChipChoice,
    /// Size of the input
    #[arg(long, default_value = "small", value_name = "small|paper")]
    scale: upset_apps::Scale,
    /// Seed of the generated input (default: the application's)
    #[arg(long)]
    seed: Option<u64>,
    /// Only these structures, e.g. rf,l2.tag
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    structure: Vec<String>,
    /// Write the result as one JSON object (- = standard output)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Check that the bounds count every single flip of a campaign's store that failed or got out of its array
    #[arg(long, value_name = "STORE")]
    against: Option<PathBuf>,
    /// Print no tables
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: AceArgs, host: &Host) -> Result<(), Failure> {
    let Some(name) = &args.app else {
        return Err(Failure::new(
            failure::LACKING,
            "the analysis of CUDA programs is not supported; it takes a built-in application or a folder with an app.toml",
        ));
    };
    let chip = ChipSpec::load(&args.chip.chip, &args.chip.set)?;
    let opened;
    let app: &dyn App = if Path::new(name).join("app.toml").is_file() {
        opened = folder::open(Path::new(name), &chip)?;
        &opened
    } else {
        upset_apps::find(name)?
    };
    let mut device = Device::timed(&chip)?;
    let json = args.json.as_deref().map(Destination::open).transpose()?;
    let to_stdout = json.as_ref().is_some_and(Destination::is_stdout);
    let quiet = args.quiet || to_stdout || host.library().is_some();
    let (bar, callback) = host.spinner(app.id(), Mode::Timing);
    device.on_progress(callback);

    let seed = args.seed.unwrap_or(app.default_seed());
    let failures = match &args.against {
        Some(store) => {
            // Local memory is there only at the end of a run.
            let mut plain = Device::timed(&chip)?;
            app.run(&mut plain, args.scale, seed)?;
            let registry = plain.machine_mut().map(|m| Registry::of(m)).unwrap_or_default();
            let about = (app.id(), args.scale.name());
            Some((Failures::read(store, about, &chip, &registry)?, registry))
        }
        None => None,
    };
    let listening = match &failures {
        Some((failures, registry)) => Listening::asking(&mut device, registry, &failures.sites),
        None => Listening::to(&mut device),
    };
    let outcome = app.run(&mut device, args.scale, seed);
    bar.finish_and_clear();
    let run = outcome?;
    let verdict = app.check(&run);
    if !verdict.passed {
        let what = verdict.first_mismatch.map_or(String::new(), |m| format!(": {m}"));
        let message = format!("{} differs from its reference{what}", app.id());
        return Err(Failure::new(failure::NO, message));
    }
    let mut ace = listening.finish(&mut device);
    choose(&mut ace, &args.structure)?;
    let origins = origins(&ace, &device);
    let text = || {
        let title = format!("{} ({}) on {}", app.id(), args.scale.name(), chip.chip.name);
        // Line tables of AMD's code are not read.
        let lines = device.has_source_lines() || device.is_amd();
        ace_text::text(&title, &ace, &origins, lines)
    };
    let about = (app.id(), args.scale.name(), chip.chip.name.as_str());
    host.answer(text, || object(about, &ace, &origins));
    if !quiet {
        print(&text())?;
    }
    if let Some(to) = json {
        to.fill(|out| writeln!(out, "{:#}", object(about, &ace, &origins)))?;
    }
    let Some((failures, _)) = failures else { return Ok(()) };
    let (found, all) = failures.text(&ace);
    if !to_stdout && host.library().is_none() {
        print(&found)?;
    }
    match all {
        true => Ok(()),
        false => Err(Failure::new(failure::NO, "a flip that the bounds do not count")),
    }
}

/// Leaves only the structures that were asked for.
fn choose(ace: &mut Ace, structures: &[String]) -> Result<(), Failure> {
    if structures.is_empty() {
        return Ok(());
    }
    let known = |name: &String| ace.timelines.iter().any(|t| t.structure == *name);
    if let Some(unknown) = structures.iter().find(|s| !known(s)) {
        let has: Vec<&str> = ace.timelines.iter().map(|t| t.structure.as_str()).collect();
        let message =
            format!("no structure `{unknown}` is analysed here; there are {}", has.join(", "));
        return Err(Failure::new(failure::BAD_INPUT, message));
    }
    ace.bounds.retain(|b| structures.contains(&b.structure));
    ace.timelines.retain(|t| structures.contains(&t.structure));
    ace.hot_spots.retain(|h| structures.contains(&h.structure));
    Ok(())
}

/// The instruction of each hot spot, and its line in the source.
fn origins(ace: &Ace, device: &Device) -> Vec<Origin> {
    let arch = Arch::from_number(device.arch_number());
    let text = |word: u128, offset: u64| {
        if device.is_amd() {
            let words = [word as u32, (word >> 32) as u32];
            return upset_gcn::decode(&words).ok().map(|inst| upset_gcn::text(&inst));
        }
        let decoded = decode(Word::from_bytes(word.to_le_bytes()), arch?).ok()?;
        Some(disasm::text(&decoded, offset))
    };
    let origin = |h: &HotSpot| Origin {
        instruction: h.word.zip(h.offset).and_then(|(word, at)| text(word, at)),
        source: h
            .offset
            .and_then(|at| device.source_line(&h.kernel, at))
            .map(|(file, line)| format!("{file}:{line}")),
    };
    ace.hot_spots.iter().map(origin).collect()
}

fn object((app, scale, chip): (&str, &str, &str), ace: &Ace, origins: &[Origin]) -> Value {
    let rows: Vec<Value> = ace
        .bounds
        .iter()
        .map(|b| {
            json!({
                "app": app, "chip": chip, "kernel": b.kernel, "structure": b.structure,
                "bits": b.bits, "cycles": b.cycles, "occupancy": b.occupancy, "avf": b.avf, "avf_util": b.avf_util,
                "avf_refined": b.refined, "avf_util_refined": b.refined_util,
            })
        })
        .collect();
    let hot: Vec<Value> = ace
        .hot_spots
        .iter()
        .zip(origins)
        .map(|(h, origin)| {
            json!({
                "structure": h.structure, "kernel": h.kernel, "offset": h.offset,
                "instruction": origin.instruction, "source": origin.source,
                "register": h.register,
                "bit_cycles": h.bit_cycles, "share": h.share,
            })
        })
        .collect();
    json!({
        "app": app, "chip": chip, "scale": scale, "cycles": ace.cycles,
        "rows": rows, "timeline": ace.timelines, "hot_spots": hot,
    })
}
