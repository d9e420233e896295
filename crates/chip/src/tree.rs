//! A parsed TOML file in which every value knows where it was written.
//!
//! Values from several files (through `extends`) and from overrides meet in
//! one tree before the chip is built, so the place must travel with each.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{ChipError, SourcePlace};

/// No chip description is larger; keeps hostile input cheap.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// A value and its origin.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) place: SourcePlace,
}

/// What TOML can hold, tables in the order written.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Int(i64),
    Float(f64),
    Flag(bool),
    Text(String),
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
}

impl Value {
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Value::Int(_) => "an integer",
            Value::Float(_) => "a number",
            Value::Flag(_) => "true/false",
            Value::Text(_) => "a string",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

impl Node {
    /// Parses `text`; `file` is how errors call it.
    pub(crate) fn parse(text: &str, file: &str) -> Result<Node, ChipError> {
        if text.len() > MAX_BYTES {
            return Err(ChipError::TooLarge {
                file: file.to_owned(),
                bytes: text.len(),
                limit: MAX_BYTES,
            });
        }
        let lines = Lines::new(text, file);
        let table = DeTable::parse(text).map_err(|e| ChipError::Syntax {
            place: match e.span() {
                Some(span) => lines.place(span.start),
                None => SourcePlace::file(file),
            },
            reason: e.message().to_owned(),
        })?;
        let start = table.span().start;
        Ok(Node { value: lines.table(table.get_ref())?, place: lines.place(start) })
    }

    pub(crate) fn as_table(&self) -> Option<&Vec<(String, Node)>> {
        match &self.value {
            Value::Table(t) => Some(t),
            _ => None,
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.as_table()?.iter().find(|(k, _)| k == key).map(|(_, n)| n)
    }

    /// The node at a dotted path.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Removes and returns an entry of a table.
    pub(crate) fn take(&mut self, key: &str) -> Option<Node> {
        let Value::Table(entries) = &mut self.value else { return None };
        let index = entries.iter().position(|(k, _)| k == key)?;
        Some(entries.remove(index).1)
    }

    /// Puts `node` at a dotted path, making tables on the way.
    pub(crate) fn put(&mut self, path: &[&str], node: Node) {
        let Some((first, rest)) = path.split_first() else {
            *self = node;
            return;
        };
        if self.as_table().is_none() {
            self.value = Value::Table(Vec::new());
        }
        let Value::Table(entries) = &mut self.value else { return };
        if let Some((_, child)) = entries.iter_mut().find(|(k, _)| k == first) {
            child.put(rest, node);
        } else {
            let mut child = Node { value: Value::Table(Vec::new()), place: node.place.clone() };
            child.put(rest, node);
            entries.push(((*first).to_owned(), child));
        }
    }

    /// Lays `over` on top of `self`: tables merge, anything else is replaced.
    pub(crate) fn merge(&mut self, over: Node) {
        match (&mut self.value, over.value) {
            (Value::Table(base), Value::Table(changes)) => {
                for (key, change) in changes {
                    match base.iter_mut().find(|(k, _)| *k == key) {
                        Some((_, node)) => node.merge(change),
                        None => base.push((key, change)),
                    }
                }
            }
            (value, over_value) => {
                *value = over_value;
                self.place = over.place;
            }
        }
    }
}

/// Turns byte offsets into line and column.
struct Lines {
    file: Arc<str>,
    starts: Vec<usize>,
}

impl Lines {
    fn new(text: &str, file: &str) -> Self {
        let starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Lines { file: Arc::from(file), starts }
    }

    fn place(&self, offset: usize) -> SourcePlace {
        let line = self.starts.partition_point(|&s| s <= offset).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let column = offset.saturating_sub(start).saturating_add(1);
        // Files are at most MAX_BYTES long, so both fit.
        SourcePlace { file: self.file.clone(), line: line as u32, column: column as u32 }
    }

    fn table(&self, table: &DeTable<'_>) -> Result<Value, ChipError> {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let mut out = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let place = self.place(key.span().start);
            let value = self.value(value)?;
            out.push((key.get_ref().to_string(), Node { value, place }));
        }
        Ok(Value::Table(out))
    }

    fn value(&self, value: &Spanned<DeValue<'_>>) -> Result<Value, ChipError> {
        let syntax = |reason: &str| ChipError::Syntax {
            place: self.place(value.span().start),
            reason: reason.to_owned(),
        };
        Ok(match value.get_ref() {
            DeValue::String(s) => Value::Text(s.to_string()),
            DeValue::Integer(i) => Value::Int(
                i64::from_str_radix(i.as_str(), i.radix())
                    .map_err(|_| syntax("integer does not fit in 64 bits"))?,
            ),
            DeValue::Float(x) => {
                Value::Float(x.as_str().parse().map_err(|_| syntax("number cannot be read"))?)
            }
            DeValue::Boolean(b) => Value::Flag(*b),
            DeValue::Datetime(_) => return Err(syntax("a chip description holds no dates")),
            DeValue::Array(items) => Value::List(
                items
                    .iter()
                    .map(|item| {
                        let place = self.place(item.span().start);
                        Ok(Node { value: self.value(item)?, place })
                    })
                    .collect::<Result<_, ChipError>>()?,
            ),
            DeValue::Table(t) => self.table(t)?,
        })
    }
}
