//! How far a campaign is, for whoever wants to hear it.

use upset_metrics::Counts;

/// How far a campaign is.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Application and chip.
    pub subject: String,
    /// Subjects before this one, and of all.
    pub subjects: (usize, usize),
    /// Experiments of the subject whose class is known.
    pub done: u64,
    /// Experiments of the subject.
    pub total: u64,
    /// Experiments of this round that need a worker: those that came back, and
    /// all of them. What the fault-free run tells beforehand is not among them.
    pub handed: (u64, u64),
    /// Experiments that became runs of their own; the others were followed
    /// through the fault-free run, or needed no run at all.
    pub simulated: u64,
    /// Classes so far.
    pub counts: Counts,
    /// What is counted.
    pub counted: Counted,
}

/// What a [`Progress`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counted {
    /// Experiments of a sample.
    #[default]
    Experiments,
    /// Flips of an exact count, each for all bits and cycles that meet the same
    /// use first: their shares are no rates.
    Flips,
}

/// Hears how a campaign goes. Several subjects may be under way at once.
pub trait Observer: Send {
    /// Something the user should know.
    fn note(&mut self, text: &str);
    /// What is being done before the runs.
    fn stage(&mut self, subject: &str, what: &str);
    /// Runs came to their end.
    fn progress(&mut self, progress: &Progress);
}
