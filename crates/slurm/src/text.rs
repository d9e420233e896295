//! Status in a terminal.

use std::fmt::Write;

use crate::shards::{ShardState, State};
use crate::status::Status;

/// Shards that are told one by one, of those that do as they should.
const SHOWN: usize = 24;

impl Status {
    /// The page.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{}: {}", self.folder, self.summary());
        if let Some(why) = &self.no_queue {
            let _ = writeln!(
                out,
                "note: {why}; what began and did not end counts as running, what did not begin as \
                 waiting"
            );
        }
        if !self.held.is_empty() {
            let tasks = self.held.join(", ");
            let _ = writeln!(
                out,
                "note: Slurm holds back {tasks} after a launch that failed: submit again to \
                 release it"
            );
        }
        let _ = writeln!(out);
        self.shards_text(&mut out);
        let _ = writeln!(out, "\nmerge and report: {}", self.merge_text());
        let _ = writeln!(out, "{}", self.runs_text());
        if !self.report.panels.is_empty() {
            out.push_str(&self.report.brief());
        }
        out
    }

    /// `64 shards: 12 done, 8 running, 44 waiting`
    fn summary(&self) -> String {
        let of = |state: State| match self.count(state) {
            0 => None,
            n => Some(format!("{n} {}", state.name())),
        };
        let parts: Vec<String> = State::ALL.into_iter().filter_map(of).collect();
        format!("{}: {}", counted(self.shards.len(), "shard"), parts.join(", "))
    }

    /// Who runs or needs help, one by one; of the others a few.
    fn shards_text(&self, out: &mut String) {
        let mut rows = vec![["SHARD", "STATE", "RUNS", "NODE", "RESTARTS", ""].map(String::from)];
        let few = self.shards.len() <= SHOWN;
        let told = |s: &&ShardState| few || s.state == State::Running || s.state.needs_help();
        for s in self.shards.iter().filter(told) {
            rows.push([
                s.shard.to_string(),
                s.state.name().into(),
                match s.planned {
                    Some(planned) => format!("{} of {planned}", s.runs),
                    None => format!("{} of ?", s.runs),
                },
                s.node.clone().unwrap_or_else(|| "-".into()),
                s.restarts.to_string(),
                words(s),
            ]);
        }
        let left = self.shards.len() + 1 - rows.len();
        out.push_str(&render(&rows));
        if left > 0 {
            let _ = writeln!(out, "and {left} that are done or waiting");
        }
    }

    fn merge_text(&self) -> String {
        let said = self.merge_said.as_deref().map(|s| format!(": {s}")).unwrap_or_default();
        match self.merge {
            State::Done => "done, see merged.db and report.html".into(),
            State::Waiting => "waiting for the shards".into(),
            state => format!("{}{said}", state.name()),
        }
    }

    fn runs_text(&self) -> String {
        let planned = self.planned.map_or("? ".into(), |n| format!("{n} "));
        let left = match self.left {
            _ if self.shards.iter().all(|s| s.state == State::Done) => String::new(),
            Some(left) => format!(
                "; about {} left ({} to {}), if as many tasks go on running",
                duration(left.expected),
                duration(left.low),
                duration(left.high)
            ),
            None if self.count(State::Running) == 0 => "; nothing is running".into(),
            None => "; too early to say how long it takes".into(),
        };
        format!("{} of {planned}experiments so far{left}", self.runs)
    }
}

/// What there is to say about a shard.
fn words(s: &ShardState) -> String {
    let said = s.said.as_deref().unwrap_or_default();
    match (s.state, s.exit_code) {
        (State::Failed | State::Stopped, Some(code)) if said.is_empty() => {
            format!("exit code {code}")
        }
        (State::Failed | State::Stopped, Some(code)) => format!("exit code {code}: {said}"),
        _ => said.to_string(),
    }
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The first two columns and the last to the left, the others to the right.
fn render<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (c, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let right = (2..N - 1).contains(&c);
            line += &if right { format!("{cell:>width$}  ") } else { format!("{cell:<width$}  ") };
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}

/// Two digits are more than a pace can promise.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 90.0 * 60.0 => format!("{:.0} min", s / 60.0),
        s if s < 48.0 * 3600.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_as_people_say_them() {
        let said = [3.2, 89.9, 91.0, 5399.0, 5400.0, 172799.0, 172800.0].map(duration);
        assert_eq!(said, ["3 s", "90 s", "2 min", "90 min", "1.5 h", "48.0 h", "2.0 days"]);
    }
}
