//! Columns for programs that compute: numbers as arrays, texts as numbers into a
//! list of the different ones.

use std::collections::HashMap;

use super::columns::{COLUMNS, Cell, ColumnKind, each_joined};
use crate::{Reader, StoreError};

/// A column of the CSV form, whole.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameColumn {
    /// Its name.
    pub name: &'static str,
    /// A value for every experiment, 0 where there is none.
    pub values: FrameValues,
    /// Whether each experiment has a value; texts always do.
    pub present: Vec<bool>,
}

/// Values of one kind.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameValues {
    /// The different texts in order of appearance, and the number of each row's.
    Text(Vec<String>, Vec<u32>),
    /// Numbers that count.
    Integer(Vec<i64>),
    /// Numbers that measure.
    Real(Vec<f64>),
    /// Yes and no.
    Bool(Vec<bool>),
}

/// All experiments of a store.
pub fn frame(reader: &Reader) -> Result<Vec<FrameColumn>, StoreError> {
    let empty = |kind| match kind {
        ColumnKind::Text => FrameValues::Text(Vec::new(), Vec::new()),
        ColumnKind::Integer => FrameValues::Integer(Vec::new()),
        ColumnKind::Real => FrameValues::Real(Vec::new()),
        ColumnKind::Bool => FrameValues::Bool(Vec::new()),
    };
    let mut frame: Vec<FrameColumn> = COLUMNS
        .iter()
        .map(|c| FrameColumn { name: c.name, values: empty(c.kind), present: Vec::new() })
        .collect();
    let mut known: Vec<HashMap<String, u32>> = COLUMNS.iter().map(|_| HashMap::new()).collect();
    each_joined(reader, |joined| {
        for ((column, into), known) in COLUMNS.iter().zip(&mut frame).zip(&mut known) {
            let cell = (column.value)(joined);
            into.present.push(cell != Cell::None);
            into.values.push(cell, known);
        }
        Ok(())
    })?;
    Ok(frame)
}

impl FrameValues {
    fn push(&mut self, cell: Cell<'_>, known: &mut HashMap<String, u32>) {
        match (self, cell) {
            (FrameValues::Text(words, codes), Cell::Text(text)) => {
                let code = match known.get(text.as_ref()) {
                    Some(code) => *code,
                    None => {
                        let code = words.len() as u32;
                        words.push(text.to_string());
                        known.insert(text.into_owned(), code);
                        code
                    }
                };
                codes.push(code);
            }
            // The store keeps numbers in 63 bits.
            (FrameValues::Integer(v), Cell::Integer(n)) => v.push(n as i64),
            (FrameValues::Real(v), Cell::Real(x)) => v.push(x),
            (FrameValues::Bool(v), Cell::Bool(b)) => v.push(b),
            (FrameValues::Text(_, codes), _) => codes.push(0),
            (FrameValues::Integer(v), _) => v.push(0),
            (FrameValues::Real(v), _) => v.push(0.0),
            (FrameValues::Bool(v), _) => v.push(false),
        }
    }
}
