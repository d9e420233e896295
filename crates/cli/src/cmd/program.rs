//! `upset run -- PROGRAM`: somebody's CUDA program, as it is.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use serde_json::{Value, json};
use upset_chip::ChipSpec;
use upset_device::{Device, Mode};
use upset_launcher::{self as launcher, Clock, End, Launch, Outcome, Records, Settings};

use super::run_args::RunArgs;
use crate::counters_file::{self, Format};
use crate::destination::Destination;
use crate::failure::{self, Failure, say};
use crate::host::Host;
use crate::report::{Program, Report, Subject};

/// Runs the command.
pub fn run(args: &RunArgs, host: &Host) -> Result<(), Failure> {
    let [name, rest @ ..] = args.subject.program.as_slice() else {
        return Err(Failure::new(failure::BAD_INPUT, "no program is given after `--`"));
    };
    let chip = ChipSpec::load(&args.chip.chip, &args.chip.set)?;
    let mode = if args.functional { Mode::Functional } else { Mode::Timing };
    // Whether the chip can be simulated is known before the program starts.
    Device::supports(&chip)?;
    let program = launcher::inspect(Path::new(name))?;
    let installed = launcher::install()?;
    let libraries = launcher::libraries(&program, &installed)?;
    if !libraries.beyond.is_empty() {
        say(&format!(
            "upset: {} needs {}: what these do on the GPU is not simulated, only the CUDA runtime and driver are\n",
            program.file.display(),
            libraries.beyond.join(", ")
        ));
    }
    let json = args.json.as_deref().map(Destination::open).transpose()?;
    if let Some(path) = &args.trace {
        begin_file(path, "--trace")?;
    }
    let counters = args.counting.file()?;
    if let Some((path, _)) = counters {
        begin_file(path, "--counters")?;
    }
    let settings = Settings {
        chip: args.chip.chip.clone(),
        set: args.chip.set.clone(),
        mode,
        trace: args.trace.clone(),
        counters: counters.map(|(path, _)| (path.to_path_buf(), args.counting.sampling())),
        kernel_cycles: args.kernel_cycles,
        clock: if args.real_clock { Clock::Real } else { Clock::Held },
    };
    let launch = Launch {
        file: &program.file,
        name,
        args: rest,
        installed: &installed,
        preload: &libraries.preload,
        settings: &settings,
    };
    let outcome = launch.run()?;

    let stats = outcome.records.stats();
    let only = match outcome.records.processes.as_slice() {
        [only] => Some(only),
        _ => None,
    };
    let report = Report {
        subject: Subject::Program(Program {
            name: name.to_string_lossy().into_owned(),
            args: rest.iter().map(|a| a.to_string_lossy().into_owned()).collect(),
            end: outcome.end,
            records: &outcome.records,
        }),
        chip: &chip,
        mode,
        stats: &stats,
        wall: outcome.wall.as_secs_f64(),
        output_digest: only.and_then(|p| p.output_digest.as_deref()),
        digest: only.and_then(|p| p.digest.as_deref()),
    };
    let to_stdout = json.as_ref().is_some_and(Destination::is_stdout);
    let of_library = host.library().is_some();
    host.answer(|| report.text(), || report.json());
    if !args.quiet && !to_stdout && !of_library {
        say(&format!("\n{}", report.text()));
    }
    if let Some(path) = &args.trace {
        end_trace(path);
    }
    if let Some((path, format)) = counters {
        let program = name.to_string_lossy();
        let about = json!({ "program": program, "chip": chip.chip.name, "mode": mode.name() });
        end_counters(path, format, about)?;
    }
    if let Some(to) = json {
        to.fill(|out| writeln!(out, "{:#}", report.json()))?;
    }
    finish(&outcome, args.ignore_traps, of_library)
}

/// What is still to be said, and the exit code: the program's own, unless what
/// it did is not to be trusted.
fn finish(outcome: &Outcome, ignore_traps: bool, of_library: bool) -> Result<(), Failure> {
    let records = &outcome.records;
    if !records.any {
        say(
            "upset: no CUDA call arrived: the program made none, has a runtime of its own, or was \
             started by something that closes inherited files\n",
        );
    }
    if !records.unasked.is_empty() {
        say(&unasked(records));
    }
    if let Some(failure) = records.failures.first() {
        return Err(Failure::new(failure::OURS, format!("the simulation failed: {failure}")));
    }
    let mut lacking = records.lacking.clone();
    if !records.missing.is_empty() {
        lacking.push(format!("functions of the runtime: {}", records.missing.join(", ")));
    }
    if !lacking.is_empty() {
        let text = lacking.join("\n  ");
        return Err(Failure::new(
            failure::LACKING,
            format!("not supported, but needed by the program:\n  {text}"),
        ));
    }
    let ignored = records.traps.iter().find(|t| !t.asked && !ignore_traps);
    match (outcome.end, ignored) {
        (End::Exit(0), Some(trap)) => Err(Failure::new(
            failure::NO,
            format!(
                "the program ended with exit code 0 and never asked for the error of a kernel that \
                 trapped ({}); --ignore-traps if that is right",
                trap.error
            ),
        )),
        (end, _) => own(end, of_library),
    }
}

/// The program's own end.
fn own(end: End, of_library: bool) -> Result<(), Failure> {
    match end {
        End::Exit(0) => Ok(()),
        End::Exit(code) => Err(Failure::new(code, "")),
        // Who asked is not to die of it.
        End::Signal(signal) if of_library => {
            let code = u8::try_from(128 + signal).unwrap_or(failure::OURS);
            Err(Failure::new(code, ""))
        }
        End::Signal(signal) => launcher::die_of(signal),
    }
}

/// The calls that failed unnoticed, each once.
fn unasked(records: &Records) -> String {
    let calls: BTreeSet<_> = records.unasked.iter().map(|u| (&u.call, &u.error)).collect();
    let lines = calls.iter().map(|(call, error)| format!("  {call}: {error}\n"));
    let head = "upset: calls that failed, whose errors the program never asked for:\n";
    std::iter::once(head.to_string()).chain(lines).collect()
}

/// The program's process writes the file; that it can is known before.
fn begin_file(path: &Path, option: &str) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Err(Failure::new(
            failure::BAD_INPUT,
            format!("the standard output is the program's: give {option} a file"),
        ));
    }
    File::create(path).map(drop).map_err(|e| Failure::write(path, &e))
}

/// A trace is written when the process ends in an orderly way.
fn end_trace(path: &Path) {
    let empty = path.metadata().is_ok_and(|m| m.is_file() && m.len() == 0);
    if empty && std::fs::remove_file(path).is_ok() {
        say("upset: there is no trace: no process with a device came to an orderly end\n");
    }
}

/// What the program's processes wrote, a line per launch, becomes what was asked for.
fn end_counters(path: &Path, format: Format, about: Value) -> Result<(), Failure> {
    let text = std::fs::read_to_string(path).map_err(|e| Failure::read(path, &e))?;
    let readings = counters_file::lines(&text)?;
    let checked = counters_file::check(&readings);
    if checked.is_err() {
        let _ = std::fs::remove_file(path);
        return checked;
    }
    Destination::open(path)?.fill(|out| counters_file::write(out, format, about, &readings))
}
