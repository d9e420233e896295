//! A chip as the text of a chip file.

use std::fmt::Write as _;

use crate::schema::{SOURCE, TABLES, fields};
use crate::spec::ChipSpec;

impl ChipSpec {
    /// The chip as a file that loads to an equal chip.
    pub fn to_toml(&self) -> String {
        let Ok(toml::Value::Table(root)) = toml::Value::try_from(self) else {
            // Every Spec is plain numbers, words and lists.
            return String::new();
        };
        let mut out = String::new();
        for table in TABLES {
            match root.get(table.name) {
                Some(toml::Value::Table(keys)) => {
                    write_table(&mut out, table.name, table.name, keys)
                }
                Some(toml::Value::Array(members)) => {
                    for member in members.iter().filter_map(toml::Value::as_table) {
                        let name = member.get("name").and_then(toml::Value::as_str).unwrap_or("");
                        write_table(
                            &mut out,
                            table.name,
                            &format!("{}.{name}", table.name),
                            member,
                        );
                    }
                }
                _ => {}
            }
        }
        out
    }
}

fn write_table(out: &mut String, table: &str, header: &str, keys: &toml::Table) {
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "[{header}]");
    for key in fields(table).map(|f| f.key).chain([SOURCE]) {
        if let Some(value) = keys.get(key) {
            let _ = writeln!(out, "{key} = {value}");
        }
    }
}
