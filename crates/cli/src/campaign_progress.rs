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
    /// The subjects that are under way.
    rounds: Vec<Round>,
}

/// How far a subject is.
struct Round {
    last: Progress,
    since: Instant,
    /// Shares of the work that were told.
    told: u64,
}

impl Round {
    /// Whether all experiments of the round came back.
    fn is_over(&self) -> bool {
        self.last.handed.0 == self.last.handed.1
    }
}

impl CampaignBar {
    /// On standard error; without a terminal, plain lines now and then.
    pub fn new(terminal: bool) -> CampaignBar {
        let bar = ProgressBar::no_length();
        bar.set_draw_target(match terminal {
            true => ProgressDrawTarget::stderr_with_hz(5),
            false => ProgressDrawTarget::hidden(),
        });
        CampaignBar { bar, terminal, quiet: false, rounds: Vec::new() }
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

    /// The round of a subject, with its newest news.
    fn round(&mut self, p: &Progress) -> &mut Round {
        let is_same = |r: &Round| r.last.subject == p.subject;
        // Those of others that are over are of no interest any more.
        self.rounds.retain(|r| is_same(r) || !r.is_over());
        let at = self.rounds.iter().position(is_same).unwrap_or_else(|| {
            let last = Progress::default();
            self.rounds.push(Round { last, since: Instant::now(), told: 0 });
            self.rounds.len() - 1
        });
        let round = &mut self.rounds[at];
        if round.last.handed.1 != p.handed.1 || p.handed.0 == 0 {
            (round.since, round.told) = (Instant::now(), 0);
        }
        round.last = p.clone();
        round
    }

    /// How fast all rounds together go.
    fn pace(&self) -> Option<Pace> {
        let (mut rate, mut left) = (0.0, 0.0);
        for Round { last, since, .. } in &self.rounds {
            let passed = since.elapsed();
            if passed < SOON {
                return None;
            }
            rate += last.handed.0 as f64 / passed.as_secs_f64();
            left += last.handed.1.saturating_sub(last.handed.0) as f64;
        }
        (rate > 0.0).then_some(Pace { rate, left: left / rate })
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
        // While runs of another subject come back, these are shown.
        if self.rounds.iter().any(|r| !r.is_over()) {
            return;
        }
        self.bar.reset_elapsed();
        // There is nothing to count yet, so there is no bar either.
        self.show("{spinner} {msg}", progress_text::stage(subject, what));
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    fn progress(&mut self, p: &Progress) {
        let terminal = self.terminal;
        let round = self.round(p);
        // Without an experiment for the workers there is nothing to wait for.
        let (done, all) = p.handed;
        let share = (done * SHARES).checked_div(all).unwrap_or(SHARES);
        let tells = !terminal && share > round.told;
        if tells {
            round.told = share;
        }
        let together = progress_text::together(self.rounds.iter().map(|r| &r.last));
        self.show("{msg}", progress_text::display(&together, self.pace()));
        if tells {
            self.say(&progress_text::line(p));
        }
    }
}

/// Hears the lines.
type Say = Box<dyn FnMut(serde_json::Value) + Send>;

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
