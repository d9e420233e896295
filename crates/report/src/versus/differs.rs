//! What is not the same on both sides, apart from chance.

use std::collections::{BTreeMap, BTreeSet};

use toml::Table;
use upset_store::{Results, Subject};

use super::model::Differing;
use crate::chips::{changes, flat};

/// All that differs between stores, and between subjects that are partners; first
/// the one thing that partners differ in, if it is one.
pub fn differs(
    a: &[Results],
    b: &[Results],
    partners: &[(&Subject, &Subject)],
    across: Option<Differing>,
) -> Vec<Differing> {
    let told = across.as_ref().map_or("", |d| d.what.as_str()).to_string();
    let mut list: Vec<Differing> = across.into_iter().collect();
    let tools = |side: &[Results]| set(side.iter().map(|s| s.header.tool.clone()));
    list.extend(differing("upset", tools(a), tools(b)));
    let (x, y) = (specification(a), specification(b));
    for key in x.keys().chain(y.keys()).collect::<BTreeSet<_>>() {
        if !is_told(key, &told) {
            list.extend(differing(key, x.get(key).cloned(), y.get(key).cloned()));
        }
    }
    for (x, y) in partners {
        subjects(&mut list, x, y, &told);
    }
    list
}

fn differing(what: &str, a: Option<String>, b: Option<String>) -> Option<Differing> {
    (a != b).then(|| Differing { what: what.to_string(), a, b })
}

/// Each once, in order.
fn set(values: impl Iterator<Item = String>) -> Option<String> {
    let all: BTreeSet<String> = values.collect();
    (!all.is_empty()).then(|| all.into_iter().collect::<Vec<_>>().join(", "))
}

/// What was asked for, by key; of several specifications all values.
fn specification(side: &[Results]) -> BTreeMap<String, String> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for store in side {
        let spec: Table = store.header.spec.parse().unwrap_or_default();
        for (key, value) in flat(&spec) {
            all.entry(key).or_default().push(value);
        }
    }
    let joined = |(key, values): (String, Vec<String>)| Some((key, set(values.into_iter())?));
    all.into_iter().filter_map(joined).collect()
}

/// Whether a key of the specification is chance, or says what was told already.
fn is_told(key: &str, told: &str) -> bool {
    match key {
        "seed" => true,
        "apps" | "program" => told == "application",
        "chips" | "set" => told == "chip",
        key => key == told,
    }
}

/// What differs between two subjects of the same name.
fn subjects(list: &mut Vec<Differing>, a: &Subject, b: &Subject, told: &str) {
    let name = format!("{} on {}", a.app, a.chip);
    if a.chip == b.chip {
        let table = |s: &Subject| s.chip_toml.parse::<Table>().unwrap_or_default();
        for change in changes(&table(a), &table(b)) {
            let what = format!("chip {}: {}", a.chip, change.key);
            let told = Differing { what, a: change.preset, b: change.here };
            // Once for all applications.
            if !list.contains(&told) {
                list.push(told);
            }
        }
    }
    // Another application, size or chip has other code and other cycles.
    if ["application", "scale", "chip"].contains(&told) {
        return;
    }
    let binaries = |s: &Subject| s.binaries.iter().cloned().collect::<BTreeMap<_, _>>();
    let (x, y) = (binaries(a), binaries(b));
    for binary in x.keys().chain(y.keys()).collect::<BTreeSet<_>>() {
        let what = format!("{name}: {binary}");
        list.extend(differing(&what, x.get(binary).cloned(), y.get(binary).cloned()));
    }
    let cycles = |s: &Subject| Some(s.profile.cycles.to_string());
    let what = format!("{name}: cycles of the fault-free run");
    list.extend(differing(&what, cycles(a), cycles(b)));
}
