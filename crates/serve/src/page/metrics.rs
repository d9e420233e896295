//! The numbers for Prometheus, in the format of OpenMetrics 1.0.

use std::fmt::{Display, Write};

use upset_metrics::Class;

use crate::view::{Campaign, Panel, Row, Snapshot, State};

/// One family after the other: each has its help, its type and its samples.
struct Families(String);

impl Families {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# TYPE {name} {kind}\n# HELP {name} {help}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let _ = writeln!(self.0, "{name}{{{}}} {value}", labels.join(","));
    }
}

/// In quotes.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// All metrics.
pub fn text(snapshot: &Snapshot) -> String {
    let all = &snapshot.campaigns;
    let mut out = Families(String::new());
    out.family("upset_campaign", "info", "A campaign: a specification with its seed.");
    for c in all {
        let seed = c.seed.to_string();
        let labels = [("campaign", c.id.as_str()), ("title", &c.title), ("seed", &seed)];
        out.sample("upset_campaign_info", &labels, 1);
    }
    out.family("upset_campaign_state", "stateset", "Whether a campaign goes on.");
    for c in all {
        for state in [State::Running, State::Stopped, State::Complete] {
            let labels = [("campaign", c.id.as_str()), ("upset_campaign_state", state.word())];
            out.sample("upset_campaign_state", &labels, u8::from(c.state == state));
        }
    }
    out.family("upset_runs", "counter", "Runs whose outcome is known.");
    rows(all, |labels, row| {
        for class in Class::ALL {
            let labels = [labels, &[("outcome", class.name())]].concat();
            out.sample("upset_runs_total", &labels, row.counts.of(class));
        }
    });
    out.family("upset_runs_missing", "gauge", "Runs that are to come, at most.");
    rows(all, |labels, row| out.sample("upset_runs_missing", labels, row.missing));
    out.family("upset_runs_planned", "gauge", "Runs that are known or to come.");
    rows(all, |labels, row| out.sample("upset_runs_planned", labels, row.done + row.missing));
    out.family(
        "upset_avf_low",
        "gauge",
        "Lower limit of the AVF, whatever the missing runs bring.",
    );
    rows(all, |labels, row| out.sample("upset_avf_low", labels, row.avf_low));
    out.family(
        "upset_avf_high",
        "gauge",
        "Upper limit of the AVF, whatever the missing runs bring.",
    );
    rows(all, |labels, row| out.sample("upset_avf_high", labels, row.avf_high));
    out.family("upset_tool_errors", "counter", "Runs that failed in the tool itself.");
    for c in all {
        out.sample("upset_tool_errors_total", &[("campaign", &c.id)], c.counts.tool_error);
    }
    out.family("upset_stores", "gauge", "Stores of a campaign, by their state.");
    for c in all {
        for state in [State::Running, State::Stopped, State::Complete] {
            let n = c.stores.iter().filter(|s| s.state == state).count();
            out.sample("upset_stores", &[("campaign", &c.id), ("state", state.word())], n);
        }
    }
    out.family("upset_shards_missing", "gauge", "Shards that no store is there for.");
    for c in all {
        out.sample("upset_shards_missing", &[("campaign", &c.id)], c.missing_shards.len());
    }
    out.family("upset_workers", "gauge", "Worker processes on this machine.");
    for c in all {
        let workers: u32 = c.stores.iter().map(|s| s.workers).sum();
        out.sample("upset_workers", &[("campaign", &c.id)], workers);
    }
    out.0 + "# EOF\n"
}

/// Hands each row to `each`, with its labels.
fn rows(campaigns: &[Campaign], mut each: impl FnMut(&[(&str, &str)], &Row)) {
    for campaign in campaigns {
        for panel in &campaign.panels {
            for row in &panel.rows {
                let Panel { app, scale, chip, .. } = panel;
                let bits = row.bits.to_string();
                let labels = [
                    ("campaign", campaign.id.as_str()),
                    ("app", app),
                    ("scale", scale),
                    ("chip", chip),
                    ("kernel", &row.kernel),
                    ("window", &row.window),
                    ("structure", &row.structure),
                    ("bits", &bits),
                    ("model", &row.model),
                ];
                each(&labels, row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_end_their_quotes() {
        let mut out = Families(String::new());
        out.sample("x", &[("kernel", "a\"b\\c\nd")], 1);
        assert_eq!(out.0, "x{kernel=\"a\\\"b\\\\c\\nd\"} 1\n");
    }

    #[test]
    fn nothing_is_valid_too() {
        let text = text(&Snapshot::default());
        assert!(text.ends_with("# EOF\n") && text.lines().all(|l| l.starts_with('#')), "{text}");
    }
}
