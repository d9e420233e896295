//! The command that replays an experiment, explained.

use toml::{Table, Value};
use upset_store::{Experiment, Results, Stratum};

/// `upset inject …` for an experiment of a store.
pub fn command(results: &Results, stratum: &Stratum, experiment: &Experiment) -> String {
    let spec: Table = results.header.spec.parse().unwrap_or_default();
    let subject = results.subjects.iter().find(|s| s.id == stratum.subject);
    let intent = results.intents.iter().find(|i| i.subject == stratum.subject);
    let program = subject.map(|s| s.command.clone()).unwrap_or_default();
    let mut words: Vec<String> = vec!["upset".into(), "inject".into()];
    let mut flag = |name: &str, value: &str| words.extend([format!("--{name}"), value.to_string()]);
    // As they were named: a folder, a chip file, a variant.
    let chip = intent.map(|i| i.chip.clone()).or(subject.map(|s| s.chip.clone()));
    flag("chip", &chip.unwrap_or_default());
    for set in texts(&spec, "set") {
        flag("set", &set);
    }
    if program.is_empty() {
        flag("scale", subject.map_or("small", |s| s.scale.as_str()));
        if let Some(seed) = spec.get("input_seed") {
            flag("seed", &seed.to_string());
        }
    }
    for (name, usual) in [("limit", 2.0), ("tolerance", 0.0)] {
        let given = spec.get(name).and_then(number).unwrap_or(usual);
        if given != usual {
            flag(name, &given.to_string());
        }
    }
    for (name, usual) in
        [("compare", "outputs"), ("elements", "u32"), ("success", ""), ("failure", "")]
    {
        let given = spec.get(name).and_then(Value::as_str).unwrap_or(usual);
        if given != usual && (name == "compare" || !program.is_empty()) {
            flag(name, given);
        }
    }
    for (name, between) in [("files", ","), ("command", " ")] {
        let given = texts(&spec, name);
        if !given.is_empty() {
            flag(name, &given.join(between));
        }
    }
    flag("fault", &experiment.fault);
    if spec.get("real_clock") == Some(&Value::Boolean(true)) {
        words.push("--real-clock".into());
    }
    match program.is_empty() {
        true => {
            let app = intent.map(|i| i.app.clone()).or(subject.map(|s| s.app.clone()));
            words.insert(2, app.unwrap_or_default());
        }
        false => words.extend(["--".to_string()].into_iter().chain(program)),
    }
    words.iter().map(|w| quoted(w)).collect::<Vec<_>>().join(" ")
}

fn texts(spec: &Table, key: &str) -> Vec<String> {
    let list = spec.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|v| v.as_str().map(String::from)).collect()
}

fn number(value: &Value) -> Option<f64> {
    value.as_float().or(value.as_integer().map(|n| n as f64))
}

/// As a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./,+%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("rtx2060"), "rtx2060");
        assert_eq!(quoted("rf:sm4.bit2@19"), "'rf:sm4.bit2@19'");
        assert_eq!(quoted("it's; rm *"), "'it'\\''s; rm *'");
        assert_eq!(quoted(""), "''");
    }
}
