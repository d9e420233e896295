//! `upset campaign --dry-run`: what the campaign will take.

use std::fmt::Write as _;

use upset_campaign::{Forecast, ShardOf, Spec, forecast};

use crate::failure::{Failure, print};
use crate::table::{render, row};
use crate::words::counted;

/// Prints it, as a table or as a line of JSON.
pub fn run(spec: &Spec, shard: Option<ShardOf>, json: bool) -> Result<(), Failure> {
    let count = shard.map_or(1, |s| s.count);
    let told = forecast(spec, count)?;
    if json {
        let line = serde_json::to_string(&told).unwrap_or_default();
        return print(&format!("{line}\n"));
    }
    print(&text(&told, shard))
}

fn text(told: &Forecast, shard: Option<ShardOf>) -> String {
    let mut strata = vec![row!["APPLICATION", "CHIP", "KERNEL", "STRUCTURE", "BITS", "RUNS"]];
    for s in &told.strata {
        let (kernel, runs) = match (s.kernel.as_str(), s.kernels) {
            ("each", Some(1)) => ("each (1)".to_string(), s.runs.to_string()),
            ("each", Some(n)) => (format!("each ({n})"), format!("{n} x {}", s.runs)),
            ("each", None) => ("each (?)".to_string(), format!("? x {}", s.runs)),
            (name, _) => (name.to_string(), s.runs.to_string()),
        };
        strata.push(row![s.app, s.chip, kernel, s.structure, s.bits, runs]);
    }
    let mut text = render(&strata);
    let mut shards = vec![row!["SHARD", "RUNS", "CORE TIME", "STORE"]];
    for part in &told.shards {
        let mine = shard.is_some_and(|s| s.number == part.number);
        let number = format!("{}{}", part.number, if mine { " *" } else { "" });
        shards.push(row![number, part.runs, time(part.core_seconds), size(part.bytes)]);
    }
    let _ = write!(text, "\n{}", render(&shards));
    let limit = if told.at_most { "at most " } else { "" };
    let seconds: f64 = told.shards.iter().map(|s| s.core_seconds).sum();
    let _ = write!(
        text,
        "\n{limit}{}, about {} of one core; nothing was run\n",
        counted(told.runs(), "experiment"),
        time(seconds)
    );
    if told.guessed {
        text += "programs and applications of your own are taken to be alike, with one kernel\n";
    }
    text
}

/// Seconds, minutes or hours, whichever is read best.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        b if b < 1 << 20 => format!("{} kB", b.div_ceil(1000)),
        b => format!("{:.1} MB", b as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_that_are_read_best() {
        let told = [0.4, 99.0, 101.0, 5999.0, 7200.0].map(time);
        assert_eq!(told, ["0 s", "99 s", "2 min", "100 min", "2.0 h"]);
        assert_eq!([1500, 2_500_000].map(size), ["2 kB", "2.5 MB"]);
    }
}
