//! Users' tables of syndromes, in files.
//!
//! What is kept and replayed has the table's rows in place of the file's name:
//! a store does not depend on files beside it.

use std::path::Path;

use serde::Deserialize;
use upset_state::syndrome::{Pattern, Table};

use crate::CampaignError;

/// A file of TOML: where the numbers come from, and how often each was seen.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[allow(dead_code, reason = "asked for so that it is written down")]
    source: String,
    syndromes: toml::Table,
}

/// A fault model with a file's rows in place of its name: `syndrome:FILE.toml:500`.
pub fn in_model(model: &str) -> Result<String, CampaignError> {
    let Some(rest) = model.strip_prefix("syndrome:") else { return Ok(model.into()) };
    let ends = rest.match_indices(':').map(|(at, _)| at).chain([rest.len()]);
    for end in ends {
        if is_file(&rest[..end]) {
            return Ok(format!("syndrome:{}{}", read(&rest[..end])?, &rest[end..]));
        }
    }
    Ok(model.into())
}

/// The name of a fault with files' rows in place of their names:
/// `syndrome(FILE.csv,seed=7) rf:…`.
pub fn in_fault(fault: &str) -> Result<String, CampaignError> {
    const FRONT: &str = "syndrome(";
    let mut text = String::new();
    let mut rest = fault;
    while let Some(at) = rest.find(FRONT) {
        let inside = &rest[at + FRONT.len()..];
        let file = &inside[..inside.find([',', ')']).unwrap_or(inside.len())];
        text += &rest[..at + FRONT.len()];
        match is_file(file.trim()) {
            true => text += &read(file.trim())?,
            false => text += file,
        }
        rest = &inside[file.len()..];
    }
    Ok(text + rest)
}

fn is_file(name: &str) -> bool {
    name.ends_with(".toml") || name.ends_with(".csv")
}

/// The rows of a file, as names of faults have them.
fn read(path: &str) -> Result<String, CampaignError> {
    let bad = |why: String| CampaignError::Spec(format!("{path}: {why}"));
    let text = std::fs::read_to_string(path).map_err(|e| bad(format!("cannot be read: {e}")))?;
    let is_toml = Path::new(path).extension().is_some_and(|e| e == "toml");
    let rows = if is_toml { of_toml(&text) } else { of_csv(&text) }.map_err(bad)?;
    Ok(Table::keep(&rows).map_err(bad)?.to_string())
}

fn weight(number: i64) -> Result<u32, String> {
    u32::try_from(number).map_err(|_| format!("{number} is no number of times: 1 to {}", u32::MAX))
}

fn of_toml(text: &str) -> Result<Vec<(Pattern, u32)>, String> {
    let file: File = toml::from_str(text).map_err(|e| {
        format!("{}\na table has source = \"…\" and [syndromes], e.g. 1 = 43", e.message())
    })?;
    let row = |(key, value): (&String, &toml::Value)| {
        let number = value.as_integer().ok_or_else(|| {
            format!("`{key}` is {value}: say how often it was seen, a whole number")
        })?;
        Ok((key.parse()?, weight(number)?))
    };
    file.syndromes.iter().map(row).collect()
}

/// Lines `pattern,times`; a first line of words and lines with `#` are left out.
fn of_csv(text: &str) -> Result<Vec<(Pattern, u32)>, String> {
    let mut rows = Vec::new();
    let lines = text.lines().map(str::trim).enumerate();
    for (i, line) in lines.filter(|(_, l)| !l.is_empty() && !l.starts_with('#')) {
        if i == 0 && line == "pattern,times" {
            continue;
        }
        let row = line.split_once(',').and_then(|(pattern, times)| {
            Some((pattern.trim().parse::<Pattern>(), times.trim().parse::<i64>().ok()?))
        });
        let Some((pattern, times)) = row else {
            return Err(format!("line {}: `{line}` is no pattern,times, e.g. 1,43", i + 1));
        };
        let place = |why: String| format!("line {}: {why}", i + 1);
        rows.push((pattern.map_err(place)?, weight(times).map_err(place)?));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_take_the_place_of_files() {
        let dir = std::env::temp_dir().join(format!("upset-tables-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let file = |name: &str, text: &str| {
            let path = dir.join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_string()
        };
        let toml = file("a.toml", "source = \"ours\"\n[syndromes]\nzero = 2\n1 = 43\n0x80 = 5\n");
        let csv = file("a.csv", "pattern,times\n# ours\n1,43\n0x80, 5\nzero,2\n");
        for path in [&toml, &csv] {
            let model = in_model(&format!("syndrome:{path}:rate=0.1:500")).unwrap();
            assert_eq!(model, "syndrome:1=43/0x80=5/zero=2:rate=0.1:500");
            assert_eq!(in_model(&format!("syndrome:{path}")).unwrap(), model[..model.len() - 13]);
            let fault =
                in_fault(&format!("syndrome({path},seed=3) rf:x@1.. + syndrome( {path} ) y"));
            let rows = "1=43/0x80=5/zero=2";
            assert_eq!(
                fault.unwrap(),
                format!("syndrome({rows},seed=3) rf:x@1.. + syndrome({rows}) y")
            );
        }
        for same in ["flip", "syndrome:units", "syndrome:1=2:5", "stuck1:rate=0.1"] {
            assert_eq!(in_model(same).unwrap(), same);
        }
        for same in
            ["rf:x@1", "syndrome(units) rf:x@1..", "syndrome(", "a + syndrome(1=2,seed=1) b"]
        {
            assert_eq!(in_fault(same).unwrap(), same);
        }
        let long: String = (1..300).map(|n| format!("{n:#x},1\n")).collect();
        for (name, text, why) in [
            ("b.toml", "[syndromes]\n1 = 1\n", "source = "),
            ("c.toml", "source = \"\"\n[syndromes]\n1 = 0.5\n", "`1` is 0.5: say how often"),
            ("d.toml", "source = \"\"\n[syndromes]\n1 = -1\n", "-1 is no number of times"),
            ("e.toml", "source = \"\"\nmore = 1\n[syndromes]\n1 = 1\n", "more"),
            ("b.csv", "1,2\n1;2\n", "line 2: `1;2` is no pattern,times"),
            ("c.csv", "33,2\n", "1 to 32 wrong bits, not 33"),
            ("d.csv", "one,2\n", "line 1: `one` is no pattern"),
            ("e.csv", "", "1 to 256 rows, this one 0"),
            ("f.csv", &long, "1 to 256 rows, this one 299"),
        ] {
            let path = file(name, text);
            let problem = in_model(&format!("syndrome:{path}")).unwrap_err().to_string();
            assert!(problem.starts_with(&path) && problem.contains(why), "{name}: {problem}");
        }
        let none = in_model("syndrome:/nowhere/x.csv").unwrap_err().to_string();
        assert!(none.starts_with("/nowhere/x.csv: cannot be read"), "{none}");
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
