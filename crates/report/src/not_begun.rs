//! What campaigns set out to do and have not begun: rows without a run.

use upset_metrics::Rate;
use upset_store::{Intent, Results};

use crate::panel::{Panel, Variant};
use crate::row::Row;

/// Panels of subjects that no store has begun.
pub fn panels(stores: &[Results], confidence: f64) -> Vec<Panel> {
    let mut panels: Vec<Panel> = Vec::new();
    // A shard that came to its end is still a part only.
    let is_part = |s: &Results| !s.complete || s.shard.is_some();
    // Shards of one campaign set out to do the same.
    let is_told = |source: usize, store: &Results| {
        stores[..source].iter().any(|s| is_part(s) && s.header == store.header)
    };
    for (source, store) in stores.iter().enumerate() {
        if !is_part(store) || is_told(source, store) {
            continue;
        }
        for intent in store.intents.iter().filter(|i| !is_begun(stores, store, i)) {
            let alike = |p: &Panel| {
                (&p.app, &p.scale, &p.chip) == (&intent.app, &intent.scale, &intent.chip)
                    && (p.variant.bits, &p.variant.model) == (intent.bits, &intent.model)
                    && p.sources == [source]
            };
            let row = row(intent, source, confidence);
            match panels.iter_mut().find(|p| alike(p)) {
                Some(panel) => panel.rows.push(row),
                None => panels.push(panel(intent, source, row)),
            }
        }
    }
    panels
}

/// Whether this store or one of the same campaign has strata of the subject. The
/// strata of a subject are written all at once: then they tell what is missing.
fn is_begun(stores: &[Results], store: &Results, intent: &Intent) -> bool {
    let same = stores.iter().filter(|s| s.header.spec == store.header.spec);
    same.flat_map(|s| &s.strata).any(|s| s.subject == intent.subject)
}

fn panel(intent: &Intent, source: usize, row: Row) -> Panel {
    Panel {
        app: intent.app.clone(),
        scale: intent.scale.clone(),
        chip: intent.chip.clone(),
        variant: Variant {
            bits: intent.bits,
            model: intent.model.clone(),
            spread: String::new(),
            sampling: intent.sampling.clone(),
            from: String::new(),
        },
        rows: vec![row],
        sources: vec![source],
        ..Panel::default()
    }
}

fn row(intent: &Intent, source: usize, confidence: f64) -> Row {
    Row {
        app: intent.app.clone(),
        scale: intent.scale.clone(),
        chip: intent.chip.clone(),
        kernel_name: match intent.kernel.as_str() {
            "each" => "each kernel".into(),
            "app" => "whole run".into(),
            name => name.into(),
        },
        window: intent.window.clone(),
        structure: intent.structure.clone(),
        bits: intent.bits,
        model: intent.model.clone(),
        sampling: intent.sampling.clone(),
        planned: intent.planned,
        missing: intent.planned,
        rate: Some(Rate::unknown()),
        // How much of the structure can be hit is not known either.
        derating: 1.0,
        avf_low: Some(0.0),
        avf_high: Some(1.0),
        confidence,
        interval: "unfinished",
        sources: vec![source],
        ..Row::default()
    }
}
