//! A progress line for what takes longer than a second.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use upset_device::{Mode, Progress};

/// A callback that shows a spinner on standard error (terminals only) once a
/// second has passed, with kernel, instructions and rate.
pub fn spinner(app: &str, mode: Mode) -> (ProgressBar, Progress) {
    let bar = ProgressBar::new_spinner();
    bar.set_style(
        ProgressStyle::with_template("{spinner} {elapsed} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    let shown = bar.clone();
    let app = app.to_string();
    let start = Instant::now();
    let mut last = start;
    let mut done = 0u64;
    let mut current = 0u64;
    let callback: Progress = Box::new(move |kernel, counts| {
        // The timing engine tells its warp instructions only.
        let (count, what) = match mode {
            Mode::Functional => (counts.thread_insts, "thread"),
            Mode::Timing => (counts.warp_insts, "warp"),
        };
        // Counts restart with each launch.
        if count < current {
            done += current;
        }
        current = count;
        let now = Instant::now();
        if now - start < Duration::from_secs(1) || now - last < Duration::from_millis(100) {
            return;
        }
        last = now;
        let total = (done + current) as f64;
        let rate = total / (now - start).as_secs_f64();
        shown.set_message(format!(
            "{app}: {kernel}, {:.1} M {what} instructions, {:.1} M/s",
            total / 1e6,
            rate / 1e6
        ));
        shown.tick();
    });
    (bar, callback)
}

/// A bar of runs on standard error (terminals only).
pub fn runs(count: u64, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(count);
    bar.set_style(
        ProgressStyle::with_template("{elapsed} {bar:30} {pos} of {len} runs")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar
}
