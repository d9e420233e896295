//! What tasks note of themselves: when and where they began, how they ended.
//!
//! A line for each beginning and each end, appended by the job files, so that
//! much is known where no queue tells, and after the queue has forgotten.

use std::path::Path;

use crate::SlurmError;

/// One start of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Job and index of the task, and which restart of it.
    key: (u64, u32, u32),
    /// Node.
    pub node: String,
    /// When it began, in seconds of the epoch.
    pub began: u64,
    /// When it ended and with which exit code.
    pub ended: Option<(u64, i32)>,
}

impl Attempt {
    /// What the log of its task is called.
    pub fn log(&self) -> String {
        let (job, index, _) = self.key;
        format!("{job}.{index}.log")
    }

    /// The task: job and index.
    pub fn task(&self) -> (u64, u32) {
        (self.key.0, self.key.1)
    }
}

/// Attempts in the order of their beginnings; none where there is no file.
pub fn read(path: &Path) -> Result<Vec<Attempt>, SlurmError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(parse(&text)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(e) => Err(SlurmError::io(path, "read")(e)),
    }
}

/// Lines that are none (a node died while it wrote) are skipped.
fn parse(text: &str) -> Vec<Attempt> {
    let mut attempts: Vec<Attempt> = Vec::new();
    for line in text.lines() {
        let [what, job, index, restart, more, time] = line.split(' ').collect::<Vec<_>>()[..]
        else {
            continue;
        };
        let numbers = (job.parse(), index.parse(), restart.parse(), time.parse());
        let (Ok(job), Ok(index), Ok(restart), Ok(time)) = numbers else { continue };
        let key = (job, index, restart);
        match what {
            "start" => {
                attempts.push(Attempt { key, node: more.into(), began: time, ended: None });
            }
            "end" => {
                let own = attempts.iter_mut().rev().find(|a| a.key == key);
                if let (Some(own), Ok(code)) = (own, more.parse()) {
                    own.ended = Some((time, code));
                }
            }
            _ => {}
        }
    }
    attempts
}

/// Seconds that attempts took. One without an end is over when the next begins,
/// and goes on if it is the last.
pub fn seconds(attempts: &[Attempt], now: u64) -> u64 {
    let next = attempts.iter().skip(1).map(|a| a.began).chain([now]);
    let spans = attempts.iter().zip(next).map(|(a, next)| match a.ended {
        Some((end, _)) => end.saturating_sub(a.began),
        None => next.saturating_sub(a.began),
    });
    spans.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_orphan_may_end_after_its_restart_began() {
        let text = "start 7 3 0 n1 100\nstart 7 3 1 n2 130\nend 7 3 0 0 150\nst\n\
                    end 7 3 1 0 151\nstart 9 1 0 n4 160\n";
        let found = parse(text);
        let ends: Vec<_> = found.iter().map(|a| (a.node.as_str(), a.ended)).collect();
        assert_eq!(ends, [("n1", Some((150, 0))), ("n2", Some((151, 0))), ("n4", None)]);
        assert_eq!(seconds(&found, 170), 50 + 21 + 10);
        assert_eq!(found[1].log(), "7.3.log");
    }
}
