//! `upset burn --trace`: what NVML reads while tests run.

use std::fmt::Write as _;
use std::time::Duration;

use upset_burn::About;
use upset_realgpu::nvml::{Sample, Trace};

use crate::failure::{self, Failure};

/// NVML has a new value about fifty times a second.
const EVERY: Duration = Duration::from_millis(20);

/// Begins to read.
pub fn start(about: &About) -> Result<Trace, Failure> {
    let uuid = about.uuid.as_deref().ok_or_else(|| {
        let why = format!("{} has no NVML that --trace could read", about.name);
        Failure::new(failure::LACKING, why)
    })?;
    Ok(Trace::start(uuid, EVERY))
}

/// The readings as comma-separated values, with a line about them for people.
pub fn told(trace: Trace) -> Result<(String, String), Failure> {
    let samples = trace.finish().map_err(|why| Failure::new(failure::LACKING, why))?;
    let mut text =
        "seconds,temperature_celsius,power_watts,power_average_watts,sm_mhz\n".to_string();
    let cell = |value: Option<f64>| value.map(|v| v.to_string()).unwrap_or_default();
    for s in &samples {
        let values = [s.temperature, s.power_now, s.power, s.sm_clock].map(cell);
        let _ = writeln!(text, "{:.3},{}", s.at, values.join(","));
    }
    let span = |of: fn(&Sample) -> Option<f64>, unit: &str| {
        let all: Vec<f64> = samples.iter().filter_map(of).collect();
        match (all.iter().copied().reduce(f64::min), all.iter().copied().reduce(f64::max)) {
            (Some(least), Some(most)) => format!("{least} to {most} {unit}"),
            _ => format!("no {unit}"),
        }
    };
    let line = format!(
        "trace    {} readings: {}, {}, {}\n",
        samples.len(),
        span(|s| s.power_now.or(s.power), "W"),
        span(|s| s.temperature, "degrees"),
        span(|s| s.sm_clock, "MHz")
    );
    Ok((text, line))
}
