//! What a run gives back.

use crate::values::Values;

/// One result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// What it is.
    pub name: String,
    /// Its elements.
    pub values: Values,
}

impl Output {
    /// Names a result.
    pub fn new(name: impl Into<String>, values: impl Into<Values>) -> Self {
        Self { name: name.into(), values: values.into() }
    }
}
