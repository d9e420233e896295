//! Estimates in words.

use upset_metrics::Estimate;

use super::chart::Axis;

/// A value with its interval, in a sentence.
pub fn say(axis: Axis, e: Estimate) -> String {
    let range = format!("from {} to {}", axis.say(e.low), axis.say(e.high));
    match e.value {
        Some(value) => format!("{} ({range})", axis.say(value)),
        None => format!("unfinished, {range}"),
    }
}

/// A value beside a bar; its limits where there is none.
pub fn short(axis: Axis, e: Estimate) -> String {
    match e.value {
        Some(value) => axis.say(value),
        None => format!("{} to {}", axis.say(e.low), axis.say(e.high)),
    }
}
