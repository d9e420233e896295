//! Options looked up by the mapping, which remembers what was never asked for.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::leftover;
use super::options::Opt;
use super::{Note, NoteKind};

/// Guessing what an unknown option meant is slow; a file full of them is not
/// a slip of the pen.
const MAX_GUESSES: usize = 20;

/// A value and the comment that says where it comes from.
#[derive(Clone, Debug)]
pub(super) struct Got<T> {
    pub(super) value: T,
    pub(super) why: String,
    pub(super) line: usize,
}

impl<T> Got<T> {
    pub(super) fn map<U>(self, f: impl FnOnce(T) -> U) -> Got<U> {
        Got { value: f(self.value), why: self.why, line: self.line }
    }

    /// A value that no option gives.
    pub(super) fn assumed(value: T, reason: &str) -> Self {
        Got { value, why: format!("assumed: {reason}"), line: 0 }
    }
}

pub(super) struct Reader {
    options: BTreeMap<String, Opt>,
    asked: BTreeMap<&'static str, ()>,
    notes: Vec<Note>,
}

impl Reader {
    pub(super) fn new(list: Vec<Opt>) -> Self {
        let mut reader =
            Reader { options: BTreeMap::new(), asked: BTreeMap::new(), notes: Vec::new() };
        for option in list {
            if let Some(earlier) = reader.options.insert(option.name.clone(), option) {
                reader.note_of(
                    &earlier,
                    NoteKind::Changed,
                    "given again later; the last one counts",
                );
            }
        }
        reader
    }

    /// The option as written; an empty value is noted and counts as absent.
    pub(super) fn text(&mut self, name: &'static str) -> Option<Opt> {
        self.asked.insert(name, ());
        let option = self.options.get(name)?.clone();
        if option.value.is_empty() {
            self.note_of(&option, NoteKind::Unparsable, "has no value");
            return None;
        }
        Some(option)
    }

    /// The option, or the value GPGPU-Sim takes without it.
    pub(super) fn get<T: FromStr>(&mut self, name: &'static str, default: T) -> Got<T> {
        let by_default = |default| Got {
            value: default,
            why: format!("GPGPU-Sim's default, -{name} is not given"),
            line: 0,
        };
        let Some(option) = self.text(name) else { return by_default(default) };
        match option.value.parse() {
            Ok(value) => Got { value, why: why(name, option.line), line: option.line },
            Err(_) => {
                self.note_of(&option, NoteKind::Unparsable, "not a number; the default is taken");
                by_default(default)
            }
        }
    }

    /// An option that is 0 or 1 (any other number counts as 1).
    pub(super) fn flag(&mut self, name: &'static str, default: bool) -> Got<bool> {
        self.get(name, i64::from(default)).map(|v| v != 0)
    }

    /// The numbers of a list such as `4,13,4,5,39` or `8:8:8:8`.
    pub(super) fn list<T: FromStr + Clone>(
        &mut self,
        name: &'static str,
        separator: char,
        at_least: usize,
        default: &[T],
    ) -> Got<Vec<T>> {
        let by_default = || Got {
            value: default.to_vec(),
            why: format!("GPGPU-Sim's default, -{name} is not given"),
            line: 0,
        };
        let Some(option) = self.text(name) else { return by_default() };
        let values: Result<Vec<T>, _> =
            option.value.split(separator).map(|v| v.trim().parse()).collect();
        match values {
            Ok(value) if value.len() >= at_least => {
                Got { value, why: why(name, option.line), line: option.line }
            }
            Ok(value) => {
                let reason = format!(
                    "{} values where at least {at_least} are needed; the default is taken",
                    value.len()
                );
                self.note_of(&option, NoteKind::Unparsable, &reason);
                by_default()
            }
            Err(_) => {
                let reason = "not a list of numbers; the default is taken";
                self.note_of(&option, NoteKind::Unparsable, reason);
                by_default()
            }
        }
    }

    pub(super) fn note(&mut self, name: &str, kind: NoteKind, reason: &str) {
        if let Some(option) = self.options.get(name).cloned() {
            self.note_of(&option, kind, reason);
        }
    }

    pub(super) fn note_of(&mut self, option: &Opt, kind: NoteKind, reason: &str) {
        self.notes.push(Note {
            option: option.name.chars().take(80).collect(),
            line: option.line,
            value: option.value.chars().take(120).collect(),
            kind,
            reason: reason.to_owned(),
        });
    }

    /// All notes, those of options nobody asked for included.
    pub(super) fn finish(mut self) -> Vec<Note> {
        let known: Vec<&str> = self.asked.keys().copied().collect();
        let mut guesses = MAX_GUESSES;
        for (name, option) in &self.options {
            if self.asked.contains_key(name.as_str()) {
                continue;
            }
            let guess_among = if guesses > 0 { known.as_slice() } else { &[] };
            let (kind, reason) = leftover::explain(option, guess_among);
            guesses -= usize::from(guesses > 0 && kind == NoteKind::Unknown);
            self.notes.push(Note {
                option: name.chars().take(80).collect(),
                line: option.line,
                value: option.value.chars().take(120).collect(),
                kind,
                reason,
            });
        }
        self.notes
    }
}

/// The comment of a value that an option gives.
pub(super) fn why(name: &str, line: usize) -> String {
    format!("-{name}, line {line}")
}
