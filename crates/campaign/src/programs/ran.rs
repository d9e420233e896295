//! A run of a program that is over.

use upset_launcher::{self as launcher, End as HostEnd};
use upset_trial::order::Answer;
use upset_trial::{End, Notes};

use crate::golden::Array;

/// A run that is over.
pub struct Ran {
    /// What the host's processes did.
    pub host: launcher::Ran,
    /// Everything is to end.
    pub stopped: bool,
    /// A process made a device and was told what to do in it.
    pub taken: bool,
    /// What that process found, if it came to an orderly end.
    pub answer: Option<Answer>,
    /// What it noted of its state, if it was to.
    pub notes: Notes,
    /// Every copy to the host.
    pub copies: Vec<Vec<u8>>,
    /// Digest of the copies.
    pub output_digest: String,
    /// The program came to a result.
    pub has_result: bool,
    /// What is compared besides the copies.
    pub results: Vec<Array>,
    /// What the program or the user's command says is wrong with the result.
    pub wrong: Option<String>,
    /// Processes that made a device.
    pub processes: usize,
}

impl Ran {
    /// Cycles of the run.
    pub fn cycles(&self) -> u64 {
        self.answer.as_ref().map_or(self.host.records.cycles, |a| a.cycles)
    }

    /// Whether somebody else ended it.
    pub fn was_killed(&self) -> bool {
        self.host.was_killed()
    }

    /// What the program needs and is not there.
    pub fn lacks(&self) -> Option<String> {
        let records = &self.host.records;
        match records.missing.is_empty() {
            false => Some(format!("functions of the runtime: {}", records.missing.join(", "))),
            true => records.lacking.first().cloned(),
        }
    }

    /// How it ended, results aside.
    pub(super) fn end(&self, processor_seconds: u64) -> End {
        let host = &self.host;
        if let Some(failure) = host.records.failures.first() {
            return End::Tool(failure.clone());
        }
        let lacking = |t: &&launcher::Trapped| matches!(t.end, End::Tool(_));
        if let Some(trap) = host.records.traps.iter().find(lacking) {
            return trap.end.clone();
        }
        if let Some(lacks) = self.lacks() {
            return End::Tool(format!("not supported: {lacks}"));
        }
        if host.was_too_long() {
            let text = format!("the host used more than {processor_seconds} s of processor time");
            return End::Tool(match host.end {
                Some(_) => text,
                None => "the host does not end".into(),
            });
        }
        if host.was_killed() {
            return End::Tool("the program was killed".into());
        }
        if !self.taken {
            return End::Tool("no CUDA call arrived".into());
        }
        // What the program does after that is its reaction.
        if let Some(trap) = host.records.traps.first() {
            return trap.end.clone();
        }
        match host.end {
            _ if self.has_result => End::Done,
            Some(HostEnd::Exit(0)) | None => End::Done,
            Some(HostEnd::Exit(code)) => End::Crash(format!("exit code {code}")),
            Some(HostEnd::Signal(s)) => End::Crash(launcher::signal_name(s)),
        }
    }
}
