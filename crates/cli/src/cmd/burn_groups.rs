//! `upset burn --without-each`: each of the driver's groups of SMs left out in
//! turn.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::json;
use upset_burn::BoardError;
use upset_realgpu::cuda::{Excluded, without_each};

/// What came of it.
pub struct Tour {
    /// For people.
    pub text: String,
    /// For programs.
    pub json: serde_json::Value,
    /// No group was used while it was left out, and all results were the same.
    pub is_good: bool,
}

/// Tries every group.
pub fn run(device: u32) -> Result<Tour, BoardError> {
    let mut all: Vec<Excluded> = Vec::new();
    let sms = without_each(device, &mut |one| all.push(one.clone()))?;
    let mut text = String::from("group  SMs        reached  results  slower  share\n");
    for one in &all {
        let share = one.sms.len() as f64 / f64::from(sms);
        let _ = writeln!(
            text,
            "{:>5}  {:<9}  {:>7}  {:<7}  {:>5.2} %  {:.2} %",
            one.group,
            list(&one.sms),
            one.reached.len(),
            if one.same { "same" } else { "OTHERS" },
            100.0 * one.slowdown(),
            100.0 * share
        );
    }
    let wrong: Vec<&Excluded> = all.iter().filter(|one| !one.is_good(sms)).collect();
    for one in &wrong {
        let met: BTreeSet<u32> = one.reached.intersection(&one.sms).copied().collect();
        let _ = writeln!(text, "group {}: work came to SMs {}", one.group, list(&met));
    }
    let _ = writeln!(
        text,
        "\n{} groups of {sms} SMs, each left out once: {} with work there or other results",
        all.len(),
        wrong.len()
    );
    let rows: Vec<_> = all
        .iter()
        .map(|one| {
            json!({
                "group": one.group, "sms": one.sms, "reached": one.reached.len(),
                "outside": one.reached.intersection(&one.sms).collect::<Vec<_>>(),
                "same_results": one.same, "seconds": one.seconds.0,
                "seconds_on_all": one.seconds.1, "slowdown": one.slowdown(),
                "share": one.sms.len() as f64 / f64::from(sms),
            })
        })
        .collect();
    let is_good = wrong.is_empty() && !all.is_empty();
    Ok(Tour { text, json: json!({ "schema": 1, "sms": sms, "groups": rows }), is_good })
}

fn list(sms: &BTreeSet<u32>) -> String {
    sms.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}
