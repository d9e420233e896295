//! `upset run`.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use upset_apps::{App, FolderApp, Verdict};
use upset_chip::ChipSpec;
use upset_device::{Device, Mode, Stats};

use crate::args::RunArgs;
use crate::failure::{self, Failure, print};
use crate::progress;

/// Runs the command.
pub fn run(args: RunArgs) -> Result<(), Failure> {
    let folder;
    let app: &dyn App = if Path::new(&args.app).join("app.toml").is_file() {
        folder = FolderApp::open(Path::new(&args.app))?;
        &folder
    } else {
        upset_apps::find(&args.app)?
    };
    let chip = ChipSpec::load(&args.chip.chip, &args.chip.set)?;
    let mode = if args.functional { Mode::Functional } else { Mode::Timing };
    let mut device = Device::in_mode(&chip, mode)?;
    let (bar, callback) = progress::spinner(app.id());
    device.on_progress(callback);

    let start = Instant::now();
    let outcome = app.run(&mut device, args.scale, args.seed.unwrap_or(app.default_seed()));
    let wall = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let run = outcome?;
    let verdict = app.check(&run);

    let digest = device.outputs().digest();
    let to_stdout = args.json.as_deref() == Some(Path::new("-"));
    if !to_stdout {
        print(&table(app, &chip, args.scale.name(), device.stats(), wall, &verdict, &digest))?;
    }
    if let Some(path) = &args.json {
        let object = object(app, &chip, args.scale.name(), device.stats(), wall, &verdict, &digest);
        let text = serde_json::to_string_pretty(&object)
            .map_err(|e| Failure::new(failure::OURS, e.to_string()))?
            + "\n";
        if to_stdout {
            print(&text)?;
        } else {
            std::fs::write(path, text).map_err(|e| Failure::write(path, &e))?;
        }
    }
    if verdict.passed {
        Ok(())
    } else {
        let what = verdict.first_mismatch.map_or(String::new(), |m| format!(": {m}"));
        Err(Failure::new(failure::NO, format!("{} differs from its reference{what}", app.id())))
    }
}

fn rate(insts: u64, wall: f64) -> f64 {
    if wall > 0.0 { insts as f64 / wall } else { 0.0 }
}

fn table(
    app: &dyn App,
    chip: &ChipSpec,
    scale: &str,
    stats: &Stats,
    wall: f64,
    v: &Verdict,
    digest: &str,
) -> String {
    let mut out = format!("{} ({scale}) on {}, functional\n\n", app.id(), chip.chip.name);
    let width = stats.kernels.iter().map(|k| k.name.len()).max().unwrap_or(6).max(6);
    let _ = writeln!(
        out,
        "{:<width$} {:>8} {:>14} {:>14} {:>5} {:>8}",
        "KERNEL", "LAUNCHES", "WARP INSTS", "THREAD INSTS", "REGS", "SHARED"
    );
    for k in &stats.kernels {
        let _ = writeln!(
            out,
            "{:<width$} {:>8} {:>14} {:>14} {:>5} {:>8}",
            k.name, k.launches, k.warp_insts, k.thread_insts, k.registers, k.shared_bytes
        );
    }
    let (launches, warp, thread) = stats.total();
    let _ = writeln!(out, "{:<width$} {launches:>8} {warp:>14} {thread:>14}", "total");
    let _ = writeln!(
        out,
        "\n{wall:.3} s, {:.1} million thread instructions/s",
        rate(thread, wall) / 1e6
    );
    if let Some(t) = stats.timing() {
        let _ = writeln!(out, "{t:?}");
    }
    let verdict = match (v.passed, v.compared) {
        (true, 0) => "not checked: the application names no reference".to_string(),
        (true, n) if v.max_ulps == 0.0 => format!("passed: {n} elements equal the reference"),
        (true, n) => format!(
            "passed: {n} elements within {} ulp of the reference (largest {:.2})",
            v.tolerance.ulps, v.max_ulps
        ),
        (false, n) => format!("FAILED: compared {n} elements with the reference"),
    };
    let _ = writeln!(out, "{verdict}\noutput digest {digest}");
    out
}

fn object(
    app: &dyn App,
    chip: &ChipSpec,
    scale: &str,
    stats: &Stats,
    wall: f64,
    v: &Verdict,
    digest: &str,
) -> Value {
    let (launches, warp_insts, thread_insts) = stats.total();
    let kernels: Vec<Value> = stats
        .kernels
        .iter()
        .map(|k| {
            json!({
                "name": k.name, "launches": k.launches, "ctas": k.ctas,
                "warp_insts": k.warp_insts, "thread_insts": k.thread_insts,
                "registers": k.registers, "shared_bytes": k.shared_bytes,
                "local_bytes": k.local_bytes,
            })
        })
        .collect();
    json!({
        "app": app.id(), "chip": chip.chip.name, "mode": "functional", "scale": scale,
        "passed": v.passed, "compared": v.compared, "max_ulps": v.max_ulps,
        "output_digest": digest, "kernels": kernels,
        "total": { "launches": launches, "warp_insts": warp_insts, "thread_insts": thread_insts },
        "wall_s": wall, "thread_insts_per_s": rate(thread_insts, wall),
    })
}
