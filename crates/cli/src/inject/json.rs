//! For machines.

use serde_json::{Value, json};

use super::{Explained, Told};

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
            "hit": self.hits,
            "events": self.steps.iter().map(Told::json).collect::<Vec<_>>(),
            "events_total": self.steps_total,
            "still_wrong": self.still_wrong,
        })
    }
}

impl Told {
    fn json(&self) -> Value {
        json!({
            "cycle": self.cycle,
            "site": self.site,
            "what": self.what.name(),
            "by": self.by,
            "instruction": self.instruction,
        })
    }
}
