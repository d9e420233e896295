//! What Slurm has of our jobs at the moment.

use crate::{SlurmError, commands};

/// Array job, index, state, nodes, reason.
const FORMAT: &str = "%F|%K|%T|%N|%r";

/// A task or job that Slurm has not done with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queued {
    /// Job, for tasks that of their array.
    pub job: u64,
    /// Index in the array.
    pub index: Option<u32>,
    /// How far it is.
    pub phase: Phase,
    /// Its node.
    pub node: Option<String>,
    /// Why it does not run, where it does not.
    pub reason: Option<String>,
}

impl Queued {
    /// Whether Slurm holds it back after a launch that failed, until somebody
    /// releases it. What people hold back is theirs to release.
    pub fn is_held(&self) -> bool {
        self.reason.as_deref().is_some_and(|r| r.contains("requeued") && r.contains("held"))
    }

    /// As Slurm's commands name it.
    pub fn name(&self) -> String {
        match self.index {
            Some(index) => format!("{}_{index}", self.job),
            None => self.job.to_string(),
        }
    }
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It has no node yet, or not again.
    Waits,
    /// It has one.
    Runs,
    /// It is over but for what it leaves behind.
    Ends,
}

/// Those of some jobs, all of them that Slurm still has.
pub fn ask(jobs: &[u64]) -> Result<Vec<Queued>, SlurmError> {
    if jobs.is_empty() {
        return Ok(Vec::new());
    }
    let ids = jobs.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let words = ["--noheader", "--array", "--jobs", &ids, "--format", FORMAT];
    match commands::run("squeue", &words.map(String::from)) {
        Ok(text) => Ok(parse(&text)),
        // Slurm forgets jobs some minutes after their end.
        Err(SlurmError::Command { words, .. }) if words.contains("Invalid job id") => {
            Ok(Vec::new())
        }
        Err(e) => Err(e),
    }
}

fn parse(text: &str) -> Vec<Queued> {
    text.lines().filter_map(queued).collect()
}

/// `None` for what is over, and for lines that are none.
fn queued(line: &str) -> Option<Queued> {
    let [job, index, state, node, reason] = line.trim().split('|').collect::<Vec<_>>()[..] else {
        return None;
    };
    let phase = match state {
        "PENDING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT" => Phase::Waits,
        "RUNNING" | "CONFIGURING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "RESIZING" => {
            Phase::Runs
        }
        "COMPLETING" | "STAGE_OUT" => Phase::Ends,
        _ => return None,
    };
    let some = |text: &str| {
        let nothing = text.is_empty() || text == "None" || text == "(null)";
        (!nothing).then(|| text.to_string())
    };
    Some(Queued {
        job: job.parse().ok()?,
        index: index.parse().ok(),
        phase,
        node: some(node),
        reason: (phase == Phase::Waits).then(|| some(reason)).flatten(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Slurm 22.05 prints it.
    #[test]
    fn lines_of_a_real_queue() {
        let text = "7|3|PENDING||BeginTime\n7|1|RUNNING|n1|None\n8|N/A|PENDING||Dependency\n\
                    7|2|COMPLETING|n2|None\n7|4|COMPLETED|n2|None\n\nslurm is sorry\n";
        let found = parse(text);
        let said: Vec<String> = found
            .iter()
            .map(|q| format!("{} {:?} {:?} {:?} {:?}", q.job, q.index, q.phase, q.node, q.reason))
            .collect();
        assert_eq!(
            said,
            [
                r#"7 Some(3) Waits None Some("BeginTime")"#,
                r#"7 Some(1) Runs Some("n1") None"#,
                r#"8 None Waits None Some("Dependency")"#,
                r#"7 Some(2) Ends Some("n2") None"#,
            ]
        );
        let reasons = ["launch failed requeued held", "JobHeldUser", "BeginTime"];
        let held = reasons.map(|r| parse(&format!("1|49|PENDING||{r}"))[0].is_held());
        assert_eq!((held, found[0].name().as_str()), ([true, false, false], "7_3"));
    }
}
