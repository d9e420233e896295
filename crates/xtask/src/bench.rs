//! `cargo xtask bench`: how fast the functional engine is.

use std::time::Instant;

use upset_apps::Scale;
use upset_chip::ChipSpec;
use upset_device::Device;

use crate::Outcome;

/// Runs per application; the fastest counts, since other load only slows down.
const RUNS: usize = 5;

/// Runs the command: all applications at paper scale on one core.
pub fn command(words: &[String]) -> Outcome<()> {
    let name = words.first().map_or("rtx2060", String::as_str);
    let chip = ChipSpec::load::<&str>(name, &[]).map_err(|e| e.to_string())?;
    println!("functional mode, paper scale, {name}, fastest of {RUNS} runs");
    println!("{:<6} {:>14} {:>9} {:>14}", "APP", "THREAD INSTS", "SECONDS", "MILLION/S");
    let mut logs = 0.0;
    let apps = upset_apps::built_in();
    for app in apps {
        let (mut insts, mut best) = (0, f64::INFINITY);
        for _ in 0..RUNS {
            let mut device = Device::new(&chip).map_err(|e| e.to_string())?;
            let start = Instant::now();
            app.run(&mut device, Scale::Paper, app.default_seed()).map_err(|e| e.to_string())?;
            best = best.min(start.elapsed().as_secs_f64());
            insts = device.stats().total().2;
        }
        let rate = insts as f64 / best / 1e6;
        logs += rate.ln();
        println!("{:<6} {insts:>14} {best:>9.3} {rate:>14.1}", app.id());
    }
    println!("geometric mean {:>37.1}", (logs / apps.len() as f64).exp());
    Ok(())
}
