//! The report as JSON.

use serde_json::{Value, json};

use crate::panel::Panel;
use crate::report::Report;

impl Report {
    /// One object: `rows`, `totals` and all the rest.
    pub fn json(&self) -> Value {
        let rows: Vec<Value> = self.panels.iter().flat_map(|p| &p.rows).map(|r| json!(r)).collect();
        let totals: Vec<Value> = self.panels.iter().map(total).collect();
        let mut whole = json!({
            "rows": rows,
            "totals": totals,
            "comparisons": self.comparisons,
            "chips": self.chips,
            "tool_errors": self.tool_errors,
            "results_digest": self.results_digest,
            "sources": self.sources,
            "notes": self.notes,
            "raw_fit": self.raw_fit,
            "ecc": self.ecc,
            "confidence": self.confidence,
            "interval": self.interval,
        });
        if let Some(watched) = &self.watched {
            whole["watched"] = json!(watched);
        }
        whole
    }
}

fn total(p: &Panel) -> Value {
    let mut value = json!({
        "app": p.app, "scale": p.scale, "chip": p.chip,
        "bits": p.variant.bits, "model": p.variant.model,
        "spread": p.variant.spread, "sampling": p.variant.sampling,
        "runs": p.rows.iter().map(|r| r.runs).sum::<u64>(),
        "complete": p.complete, "sources": p.sources,
        "sdc_shape": p.shape, "causes": p.causes, "ecc": p.ecc, "ecc_total": p.ecc_total,
        "breakdowns": p.breakdowns, "worst_sdcs": p.worst,
    });
    if let (Value::Object(all), Value::Object(sums)) = (&mut value, json!(p.total)) {
        all.extend(sums);
    }
    value
}
