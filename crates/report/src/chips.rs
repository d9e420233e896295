//! The chips that were simulated, and what differs from their presets.

use std::collections::BTreeMap;

use serde::Serialize;
use toml::{Table, Value};
use upset_chip::ChipSpec;
use upset_store::Results;

/// One chip of the stores.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChipUsed {
    /// Name.
    pub name: String,
    /// What it is called in full; empty where the description does not say.
    pub title: String,
    /// The preset it was compared with.
    pub preset: Option<String>,
    /// Keys that differ from the preset.
    pub changes: Vec<ChipChange>,
    /// The whole description.
    #[serde(skip)]
    pub description: String,
}

/// A key of the description with another value than in the preset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChipChange {
    /// `sm.count`.
    pub key: String,
    /// In the preset; `None`: not there.
    pub preset: Option<String>,
    /// Here; `None`: not there.
    pub here: Option<String>,
}

/// All chips of the stores, each description once.
pub fn chips(stores: &[Results]) -> Vec<ChipUsed> {
    let mut list: Vec<ChipUsed> = Vec::new();
    for s in stores.iter().flat_map(|store| &store.subjects) {
        if !list.iter().any(|c| c.name == s.chip && c.description == s.chip_toml) {
            list.push(chip(&s.chip, &s.chip_toml));
        }
    }
    list
}

fn chip(name: &str, description: &str) -> ChipUsed {
    let table: Table = description.parse().unwrap_or_default();
    let title = table.get("chip").and_then(|c| c.get("title")).and_then(Value::as_str);
    // `rtx2060:sm.count=15` is a variant of `rtx2060`.
    let base = name.split(':').next().unwrap_or_default();
    let preset = ChipSpec::preset(base).ok();
    ChipUsed {
        name: name.to_string(),
        title: title.unwrap_or_default().to_string(),
        changes: preset
            .as_ref()
            .map_or(Vec::new(), |p| changes(&p.to_toml().parse().unwrap_or_default(), &table)),
        preset: preset.map(|_| base.to_string()),
        description: description.to_string(),
    }
}

/// Keys that have another value in the second.
pub fn changes(preset: &Table, here: &Table) -> Vec<ChipChange> {
    let (preset, here) = (flat(preset), flat(here));
    let mut keys: Vec<&String> = preset.keys().chain(here.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter()
        .filter(|k| *k != "chip.name" && preset.get(*k) != here.get(*k))
        .map(|k| ChipChange {
            key: k.clone(),
            preset: preset.get(k).cloned(),
            here: here.get(k).cloned(),
        })
        .collect()
}

/// Keys with dots, values as they are written.
pub fn flat(table: &Table) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                out.extend(flat(inner).into_iter().map(|(k, v)| (format!("{key}.{k}"), v)));
            }
            value => {
                out.insert(key.clone(), value.to_string());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_changed_is_told() {
        let preset = ChipSpec::preset("rtx2060").unwrap();
        assert_eq!(chip("rtx2060", &preset.to_toml()).changes, []);
        let changed = preset.with(&["sm.count=4"]).unwrap().to_toml();
        let used = chip("rtx2060:sm.count=4", &changed);
        assert_eq!(used.preset.as_deref(), Some("rtx2060"));
        let (preset, here) = (Some("30".into()), Some("4".into()));
        assert_eq!(used.changes, [ChipChange { key: "sm.count".into(), preset, here }]);
        assert_eq!(chip("ours", &changed).preset, None);
    }
}
