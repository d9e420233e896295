//! For machines.

use serde_json::{Value, json};
use upset_trial::story::Told;

use super::Explained;

impl Explained {
    /// One object.
    pub fn json(&self) -> Value {
        json!({
            "fault": self.fault,
            "app": self.subject,
            "scale": self.scale,
            "seed": self.seed,
            "chip": self.chip,
            "class": self.outcome.class.name(),
            "cause": self.outcome.cause,
            "cycles": self.outcome.cycles,
            "golden_cycles": self.golden_cycles,
            "limit": self.limit,
            "output_digest": self.outcome.output_digest,
            "sdc": self.outcome.sdc,
            "first_wrong": self.first_wrong,
            "hit": self.story.hits,
            "hit_total": self.story.hits_total,
            "hit_allocated": self.story.hits_allocated,
            "hit_effective": self.story.hits_effective,
            "events": self.story.steps.iter().map(step).collect::<Vec<_>>(),
            "events_total": self.story.steps_total,
            "still_wrong": self.story.still_wrong,
            "still_wrong_total": self.story.still_wrong_total,
        })
    }
}

fn step(told: &Told) -> Value {
    json!({
        "cycle": told.cycle,
        "site": told.site,
        "bits": told.bits,
        "what": told.what.name(),
        "by": told.by,
        "instruction": told.instruction,
    })
}
