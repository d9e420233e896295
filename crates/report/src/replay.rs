//! The command that makes an experiment of a store again.

use toml::{Table, Value};
use upset_store::{Results, Subject};

/// `upset inject` with all that the campaign's specification says.
pub fn replay_command(store: &Results, subject: &Subject, fault: &str) -> String {
    let spec: Table = store.header.spec.parse().unwrap_or_default();
    // As the campaign was told, which may be the path of a file.
    let named = store.intents.iter().find(|i| i.subject == subject.id);
    let chip = named.map_or(&subject.chip, |i| &i.chip);
    let mut words = vec!["upset".to_string(), "inject".into()];
    if subject.command.is_empty() {
        words.push(named.map_or(&subject.app, |i| &i.app).clone());
    }
    let mut give = |flag: &str, value: String| words.extend([flag.to_string(), value]);
    give("--chip", chip.clone());
    for change in list(&spec, "set") {
        give("--set", change);
    }
    if subject.command.is_empty() {
        if !subject.scale.is_empty() {
            give("--scale", subject.scale.clone());
        }
        if let Some(seed) = spec.get("input_seed").and_then(Value::as_integer) {
            give("--seed", seed.to_string());
        }
    }
    // What is usual needs no word.
    for (key, usual) in [("limit", 2.0), ("tolerance", 0.0)] {
        let number = |v: &Value| v.as_float().or_else(|| v.as_integer().map(|i| i as f64));
        let value = spec.get(key).and_then(number);
        if let Some(value) = value.filter(|v| *v != usual) {
            give(&format!("--{key}"), value.to_string());
        }
    }
    for (key, usual) in
        [("compare", "outputs"), ("elements", "u32"), ("success", ""), ("failure", "")]
    {
        let value = spec.get(key).and_then(Value::as_str).filter(|v| *v != usual);
        // Applications know their elements themselves.
        if let Some(value) = value.filter(|_| key == "compare" || !subject.command.is_empty()) {
            give(&format!("--{key}"), value.to_string());
        }
    }
    for (key, between) in [("files", ","), ("command", " ")] {
        let values = list(&spec, key);
        if !values.is_empty() {
            give(&format!("--{key}"), values.join(between));
        }
    }
    give("--fault", fault.to_string());
    if spec.get("real_clock").and_then(Value::as_bool) == Some(true) {
        words.push("--real-clock".into());
    }
    if !subject.command.is_empty() {
        words.push("--".into());
        words.extend(subject.command.iter().cloned());
    }
    words.iter().map(|w| quoted(w)).collect::<Vec<_>>().join(" ")
}

fn list(spec: &Table, key: &str) -> Vec<String> {
    let values = spec.get(key).and_then(Value::as_array);
    values.into_iter().flatten().filter_map(|v| Some(v.as_str()?.to_string())).collect()
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("rf:sm3.bit2@700"), "'rf:sm3.bit2@700'");
        assert_eq!(quoted("sm.count=15"), "sm.count=15");
        assert_eq!(quoted("it's; rm"), "'it'\\''s; rm'");
        assert_eq!(quoted(""), "''");
    }
}
