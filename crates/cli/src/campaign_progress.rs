//! How a campaign goes, on a terminal or for machines.

use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use upset_campaign::{Observer, Progress};

use crate::progress_text::{self, Pace};

/// Lines without a terminal: one for each of so many shares of the work.
const SHARES: u64 = 10;
/// A rate means nothing before so much time has passed.
const SOON: Duration = Duration::from_millis(500);

/// How far a campaign is, on standard error.
pub struct CampaignBar {
    bar: ProgressBar,
    terminal: bool,
    quiet: bool,
    told: u64,
    /// What round it is, by what tells it from the others, and since when.
    round: Option<((String, u64), Instant)>,
}

impl CampaignBar {
    /// On standard error; without a terminal, plain lines now and then.
    pub fn new(terminal: bool) -> CampaignBar {
        let bar = ProgressBar::no_length();
        bar.set_draw_target(match terminal {
            true => ProgressDrawTarget::stderr_with_hz(5),
            false => ProgressDrawTarget::hidden(),
        });
        CampaignBar { bar, terminal, quiet: false, told: 0, round: None }
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
            (_, false) => crate::failure::say(&format!("{text}\n")),
        }
    }

    /// What is shown, in a style.
    fn show(&self, style: &str, text: String) {
        let style = ProgressStyle::with_template(style);
        self.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        self.bar.set_message(text);
    }

    /// How fast the round goes.
    fn pace(&mut self, p: &Progress) -> Option<Pace> {
        let (done, all) = p.handed;
        let this = (p.subject.clone(), all);
        let since = match &self.round {
            Some((round, since)) if *round == this && done > 0 => *since,
            _ => {
                let now = Instant::now();
                self.round = Some((this, now));
                now
            }
        };
        let passed = since.elapsed();
        let rate = done as f64 / passed.as_secs_f64();
        let left = all.saturating_sub(done) as f64 / rate;
        (passed >= SOON && rate > 0.0).then_some(Pace { rate, left })
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
        self.bar.reset_elapsed();
        // There is nothing to count yet, so there is no bar either.
        self.show("{spinner} {msg}", progress_text::stage(subject, what));
        self.bar.enable_steady_tick(Duration::from_millis(200));
        self.told = 0;
    }

    fn progress(&mut self, p: &Progress) {
        let pace = self.pace(p);
        self.show("{msg}", progress_text::display(p, pace));
        // Without an experiment for the workers there is nothing to wait for.
        let (done, all) = p.handed;
        let share = (done * SHARES).checked_div(all).unwrap_or(SHARES);
        if !self.terminal && share > self.told {
            self.told = share;
            self.say(&progress_text::line(p));
        }
    }
}

/// Hears the lines.
type Say = Box<dyn FnMut(serde_json::Value)>;

/// JSON lines.
pub struct CampaignLines {
    /// What was told last: subject and experiments known.
    told: (String, u64),
    say: Say,
}

impl CampaignLines {
    /// On standard output. A reader that went away does not end the campaign.
    pub fn printed() -> CampaignLines {
        CampaignLines::new(Box::new(|line| drop(crate::failure::print(&format!("{line}\n")))))
    }

    /// To another thread, likewise.
    pub fn to(heard: Sender<serde_json::Value>) -> CampaignLines {
        CampaignLines::new(Box::new(move |line| drop(heard.send(line))))
    }

    fn new(say: Say) -> CampaignLines {
        CampaignLines { told: Default::default(), say }
    }
}

impl Observer for CampaignLines {
    fn note(&mut self, text: &str) {
        (self.say)(json!({ "event": "note", "text": text }));
    }

    fn stage(&mut self, subject: &str, what: &str) {
        (self.say)(json!({ "event": "stage", "subject": subject, "what": what }));
    }

    fn progress(&mut self, p: &Progress) {
        let now = (p.subject.clone(), p.done);
        if now == self.told {
            return;
        }
        self.told = now;
        (self.say)(json!({
            "event": "progress", "subject": p.subject, "done": p.done, "total": p.total,
            "handed": p.handed.0, "to_hand": p.handed.1, "simulated": p.simulated,
            "counts": p.counts,
        }));
    }
}
