//! `cargo xtask bench`: how fast both engines are, and how much memory the
//! timing engine takes.

use std::time::Instant;

use upset_apps::App;
use upset_device::{Device, Mode};

use crate::Outcome;
use crate::options::Options;

/// Runs per application; the fastest counts, since other load only slows down.
const RUNS: usize = 3;

/// Runs the command: each application in a process of its own, on one core.
pub fn command(words: &[String]) -> Outcome<()> {
    let options = Options::of_papers(words, RUNS)?;
    if options.child {
        for app in &options.apps {
            println!("{}", Measured::take(*app, &options)?.line());
        }
        return Ok(());
    }
    if cfg!(debug_assertions) {
        eprintln!("this is a debug build: use cargo run --release -p xtask -- bench");
    }
    println!(
        "{} scale, {}, one core, fastest of {} runs",
        options.scale, options.chip_name, options.runs
    );
    println!(
        "{:<6} {:>13} {:>9} {:>8} {:>10} {:>10} {:>12} {:>9}",
        "APP",
        "THREAD INSTS",
        "CYCLES",
        "SECONDS",
        "M INSTS/S",
        "K CYCLES/S",
        "FUNCTIONAL",
        "PEAK MB"
    );
    let mut all = Vec::new();
    for app in &options.apps {
        let m = Measured::read(&options.in_child("bench", *app)?)?;
        println!(
            "{:<6} {:>13} {:>9} {:>8.3} {:>10.1} {:>10.1} {:>12.1} {:>9}",
            app.id(),
            m.insts,
            m.cycles,
            m.timing,
            m.rate(),
            m.cycles as f64 / m.timing / 1e3,
            m.functional_rate(),
            m.peak.map_or("-".into(), |kib| format!("{:.0}", kib as f64 * 1024.0 / 1e6)),
        );
        all.push(m);
    }
    let mean = |of: fn(&Measured) -> f64| {
        (all.iter().map(|m| of(m).ln()).sum::<f64>() / all.len() as f64).exp()
    };
    let lowest = |of: fn(&Measured) -> f64| all.iter().map(of).fold(f64::INFINITY, f64::min);
    let cycles = |m: &Measured| m.cycles as f64 / m.timing / 1e3;
    for (name, rate, per_cycle, functional) in [
        ("geometric mean", mean(Measured::rate), mean(cycles), mean(Measured::functional_rate)),
        ("lowest", lowest(Measured::rate), lowest(cycles), lowest(Measured::functional_rate)),
    ] {
        println!("{name:<39} {rate:>10.1} {per_cycle:>10.1} {functional:>12.1}");
    }
    let per_warp = |seconds: fn(&Measured) -> f64| {
        let ln = |m: &Measured| (m.warp_insts as f64 / seconds(m) / 1e6).ln();
        (all.iter().map(ln).sum::<f64>() / all.len() as f64).exp()
    };
    println!(
        "million instructions of warps or wavefronts per second, geometric mean: {:.2} with \
         timing, {:.2} without",
        per_warp(|m| m.timing),
        per_warp(|m| m.functional)
    );
    if let Some(most) = all.iter().filter_map(|m| m.peak).max() {
        println!("peak memory {:.0} MB", most as f64 * 1024.0 / 1e6);
    }
    Ok(())
}

/// One application.
struct Measured {
    /// Of threads.
    insts: u64,
    /// Of warps or wavefronts.
    warp_insts: u64,
    cycles: u64,
    /// Seconds with timing.
    timing: f64,
    /// Seconds without.
    functional: f64,
    /// Most memory a run with timing had, in KiB.
    peak: Option<u64>,
}

impl Measured {
    fn take(app: &dyn App, options: &Options) -> Outcome<Measured> {
        let mut m = Measured {
            insts: 0,
            warp_insts: 0,
            cycles: 0,
            timing: f64::INFINITY,
            functional: f64::INFINITY,
            peak: None,
        };
        for _ in 0..options.runs {
            let (device, seconds) = run(app, options, Mode::Timing)?;
            m.timing = m.timing.min(seconds);
            (_, m.warp_insts, m.insts) = device.stats().total();
            m.cycles = device.cycles().unwrap_or(0);
        }
        // Before functional mode gets a chance to need more.
        m.peak = peak_kib();
        for _ in 0..options.runs {
            m.functional = m.functional.min(run(app, options, Mode::Functional)?.1);
        }
        Ok(m)
    }

    /// For the parent process.
    fn line(&self) -> String {
        let peak = self.peak.unwrap_or(0);
        let (insts, warps) = (self.insts, self.warp_insts);
        format!("{insts} {warps} {} {} {} {peak}", self.cycles, self.timing, self.functional)
    }

    fn read(line: &str) -> Outcome<Measured> {
        let mut words = line.split(' ');
        let mut next = || words.next().and_then(|w| w.parse::<f64>().ok());
        let all = (|| {
            Some(Measured {
                insts: next()? as u64,
                warp_insts: next()? as u64,
                cycles: next()? as u64,
                timing: next()?,
                functional: next()?,
                peak: Some(next()? as u64).filter(|kib| *kib > 0),
            })
        })();
        all.ok_or_else(|| format!("cannot read the measurement {line:?}"))
    }

    /// Million thread instructions per second with timing.
    fn rate(&self) -> f64 {
        self.insts as f64 / self.timing / 1e6
    }

    /// Millions of instructions per second without timing.
    fn functional_rate(&self) -> f64 {
        self.insts as f64 / self.functional / 1e6
    }
}

fn run(app: &dyn App, options: &Options, mode: Mode) -> Outcome<(Device, f64)> {
    let mut device = Device::in_mode(&options.chip, mode).map_err(|e| e.to_string())?;
    let start = Instant::now();
    app.run(&mut device, options.scale, app.default_seed()).map_err(|e| e.to_string())?;
    Ok((device, start.elapsed().as_secs_f64()))
}

/// Most memory this process ever had, where the system says so.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
