//! How a campaign goes, on a terminal or for machines.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use upset_campaign::{Observer, Progress};
use upset_metrics::Class;
use upset_metrics::interval::wilson;

/// Lines without a terminal: not more often than this many experiments apart.
const SHARES: u64 = 10;

/// A line that shows rate, time left, and classes with intervals.
pub struct CampaignBar {
    bar: ProgressBar,
    terminal: bool,
    quiet: bool,
    told: u64,
}

impl CampaignBar {
    /// On standard error; without a terminal, plain lines now and then.
    pub fn new(terminal: bool) -> CampaignBar {
        let bar = ProgressBar::new(0);
        let style = "{msg}\n{bar:30} {pos}/{len} simulated, {per_sec}, {eta} left";
        bar.set_style(
            ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_draw_target(match terminal {
            true => ProgressDrawTarget::stderr_with_hz(5),
            false => ProgressDrawTarget::hidden(),
        });
        CampaignBar { bar, terminal, quiet: false, told: 0 }
    }

    /// Says nothing.
    pub fn hidden() -> CampaignBar {
        let mut bar = CampaignBar::new(false);
        bar.quiet = true;
        bar
    }

    fn say(&self, text: &str) {
        match (self.quiet, self.terminal) {
            (true, _) => {}
            (_, true) => self.bar.println(text),
            (_, false) => eprintln!("{text}"),
        }
    }
}

impl Drop for CampaignBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for CampaignBar {
    fn note(&mut self, text: &str) {
        self.say(&format!("note: {text}"));
    }

    fn stage(&mut self, subject: &str, what: &str) {
        self.bar.reset();
        self.bar.set_length(0);
        self.bar.set_message(format!("{subject}: {what}"));
        self.bar.enable_steady_tick(Duration::from_millis(200));
        self.told = 0;
    }

    fn progress(&mut self, p: &Progress) {
        let (done, all) = p.simulated;
        if self.bar.length() != Some(all) {
            // What needed no simulation took no time: the rate is of the rest.
            self.bar.reset();
            self.bar.set_length(all);
        }
        self.bar.set_position(done);
        let text = describe(p);
        self.bar.set_message(text.clone());
        // Without a simulated run there is nothing to say about the others.
        let share = (done * SHARES).checked_div(all).unwrap_or(SHARES);
        if !self.terminal && share > self.told {
            self.told = share;
            self.say(&format!("{text} ({done}/{all} simulated)"));
        }
    }
}

/// One line: how far, and the classes so far with their intervals.
fn describe(p: &Progress) -> String {
    let rates: Vec<String> = Class::ALL
        .into_iter()
        .filter(|c| *c != Class::ToolError)
        .map(|class| {
            let (share, low, high) = estimate(p, class);
            format!("{} {share:.2} [{low:.2}, {high:.2}] %", class.name())
        })
        .collect();
    let mut text = format!(
        "{} ({} of {}): {}/{} known; {}",
        p.subject,
        p.subjects.0 + 1,
        p.subjects.1,
        p.done,
        p.total,
        rates.join(", ")
    );
    if p.counts.tool_error > 0 {
        text.push_str(&format!("; failures of the tool: {}", p.counts.tool_error));
    }
    text
}

/// A class's share among all experiments that are decided now or in this
/// round, in percent, with its interval. What needs no simulation is known at
/// once, so the simulated runs speak for those that still are to be: taking
/// all known ones alike would show too few failures until the end.
fn estimate(p: &Progress, class: Class) -> (f64, f64, f64) {
    let (done, all) = p.simulated;
    let certain = p.counts.valid() - p.of_simulated.valid();
    let known = p.counts.of(class) - p.of_simulated.of(class);
    let total = (certain + all).max(1) as f64;
    let n = p.of_simulated.valid().max(1);
    let k = p.of_simulated.of(class);
    let i = wilson(k, n, 0.95);
    let of_all = |rate: f64| 100.0 * (known as f64 + rate * all as f64) / total;
    match done == all || all == 0 {
        true => {
            let i = wilson(p.counts.of(class), p.counts.valid().max(1), 0.95);
            let share = p.counts.of(class) as f64 / p.counts.valid().max(1) as f64;
            (100.0 * share, 100.0 * i.low, 100.0 * i.high)
        }
        false => (of_all(k as f64 / n as f64), of_all(i.low), of_all(i.high)),
    }
}

/// JSON lines on standard output.
#[derive(Default)]
pub struct CampaignLines {
    /// What was told last: subject and experiments known.
    told: (String, u64),
}

impl CampaignLines {
    fn line(value: &serde_json::Value) {
        // A reader that went away does not end the campaign.
        let _ = crate::failure::print(&format!("{value}\n"));
    }
}

impl Observer for CampaignLines {
    fn note(&mut self, text: &str) {
        Self::line(&json!({ "event": "note", "text": text }));
    }

    fn stage(&mut self, subject: &str, what: &str) {
        Self::line(&json!({ "event": "stage", "subject": subject, "what": what }));
    }

    fn progress(&mut self, p: &Progress) {
        let now = (p.subject.clone(), p.done);
        if now == self.told {
            return;
        }
        self.told = now;
        Self::line(&json!({
            "event": "progress", "subject": p.subject, "done": p.done, "total": p.total,
            "simulated": p.simulated.0, "to_simulate": p.simulated.1, "counts": p.counts,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_metrics::Counts;

    #[test]
    fn simulated_runs_speak_for_those_to_come() {
        let p = Progress {
            simulated: (10, 100),
            counts: Counts { masked: 905, sdc: 5, ..Counts::default() },
            of_simulated: Counts { masked: 5, sdc: 5, ..Counts::default() },
            ..Progress::default()
        };
        let (share, low, high) = estimate(&p, Class::Sdc);
        assert_eq!(share, 5.0);
        assert!(low < 5.0 && high > 5.0);
        assert_eq!(estimate(&p, Class::Masked).0, 95.0);
    }
}
