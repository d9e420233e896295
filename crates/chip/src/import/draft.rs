//! A chip file in the making: values with the comment that explains each.

use std::fmt::Write as _;

use crate::error::{ChipError, SourcePlace};
use crate::schema::{TABLES, fields};

use super::reader::Got;
use super::{Note, NoteKind};

#[derive(Default)]
pub(super) struct Draft {
    /// Component (`sm`, `cache.l1d`), key, value, comment, line.
    entries: Vec<Entry>,
    notes: Vec<Note>,
}

struct Entry {
    component: String,
    key: &'static str,
    value: toml::Value,
    why: String,
    line: usize,
}

impl Draft {
    pub(super) fn put<T: Into<toml::Value>>(
        &mut self,
        component: &str,
        key: &'static str,
        got: Got<T>,
    ) {
        let component = component.to_owned();
        let Got { value, why, line } = got;
        self.entries.push(Entry { component, key, value: value.into(), why, line });
    }

    /// A value that the configuration does not hold but the chip needs.
    pub(super) fn assume<T: Into<toml::Value>>(
        &mut self,
        component: &str,
        key: &'static str,
        value: T,
        reason: &str,
    ) {
        let value = value.into();
        self.notes.push(Note {
            option: format!("{component}.{key}"),
            line: 0,
            value: value.to_string(),
            kind: NoteKind::Assumed,
            reason: reason.to_owned(),
        });
        self.put(component, key, Got::assumed(value, reason));
    }

    /// A whole table that no configuration has anything of: one note for all.
    pub(super) fn assume_table(
        &mut self,
        component: &str,
        values: &[(&'static str, u32)],
        reason: &str,
    ) {
        self.notes.push(Note {
            option: format!("{component}.*"),
            line: 0,
            value: format!("{} numbers", values.len()),
            kind: NoteKind::Assumed,
            reason: reason.to_owned(),
        });
        for (key, value) in values {
            self.put(component, key, Got::assumed(*value, reason));
        }
    }

    pub(super) fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
    }

    /// Whether a table has been begun.
    pub(super) fn has(&self, component: &str) -> bool {
        self.entries.iter().any(|e| e.component == component)
    }

    pub(super) fn to_toml(&self) -> String {
        let mut out = String::from(
            "# Imported from a GPGPU-Sim configuration. Behind each value: the option and line\n\
             # it comes from.\n",
        );
        for table in TABLES {
            let prefix = format!("{}.", table.name);
            let mut components: Vec<&str> = Vec::new();
            for entry in &self.entries {
                let c = entry.component.as_str();
                if (c == table.name || c.starts_with(&prefix)) && !components.contains(&c) {
                    components.push(c);
                }
            }
            for component in components {
                let _ = writeln!(out, "\n[{component}]");
                for field in fields(table.name) {
                    let mut own = self.entries.iter().filter(|e| e.component == component);
                    if let Some(e) = own.find(|e| e.key == field.key) {
                        let _ = writeln!(out, "{} = {}  # {}", e.key, e.value, e.why);
                    }
                }
            }
        }
        out
    }

    /// Says where in the configuration a value that was refused comes from.
    pub(super) fn locate(&self, error: ChipError) -> ChipError {
        match error {
            ChipError::Invalid { place, component, key, problem, mend } => {
                let entry = self.entries.iter().find(|e| e.component == component && e.key == key);
                let line = entry.map_or(0, |e| u32::try_from(e.line).unwrap_or(0));
                let place = SourcePlace { line, column: 0, ..place };
                ChipError::Invalid { place, component, key, problem, mend }
            }
            other => other,
        }
    }
}
