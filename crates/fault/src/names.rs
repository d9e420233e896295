//! Arrays found by name and by number without walking the registry each time.

use upset_state::{ArrayId, Layout, Registry};

use crate::decompose::decompose;
use crate::experiment::label;
use crate::{Experiment, Fault, FaultError, Model, digits};

/// A registry with an index: make it once to read or write many names.
pub struct Names<'r> {
    registry: &'r Registry,
    /// Numbers of arrays in order of kind and path.
    by_path: Vec<usize>,
    /// Numbers of arrays in order of identity.
    by_id: Vec<usize>,
}

impl<'r> Names<'r> {
    /// Indexes the arrays.
    pub fn new(registry: &'r Registry) -> Names<'r> {
        let arrays = &registry.arrays;
        let mut by_path: Vec<usize> = (0..arrays.len()).collect();
        let mut by_id = by_path.clone();
        by_path.sort_by_key(|&i| path_key(&arrays[i]));
        by_id.sort_by_key(|&i| arrays[i].id);
        Names { registry, by_path, by_id }
    }

    /// The layout of an array.
    pub fn layout(&self, id: ArrayId) -> Option<&'r Layout> {
        let arrays = &self.registry.arrays;
        let at = self.by_id.binary_search_by_key(&id, |&i| arrays[i].id).ok()?;
        Some(&arrays[self.by_id[at]])
    }

    /// The arrays of a kind at a path; several where lines have parts.
    pub(crate) fn at(&self, kind: &str, path: &str) -> impl Iterator<Item = &'r Layout> {
        let arrays = &self.registry.arrays;
        let key = (kind, path);
        let start = self.by_path.partition_point(|&i| path_key(&arrays[i]) < key);
        let end = self.by_path.partition_point(|&i| path_key(&arrays[i]) <= key);
        self.by_path[start..end].iter().map(|&i| &arrays[i])
    }

    /// All arrays of a kind, in the registry's order.
    pub(crate) fn of_kind<'k>(
        &self,
        kind: &'k str,
    ) -> impl Iterator<Item = &'r Layout> + use<'r, 'k> {
        self.registry.arrays.iter().filter(move |l| l.kind == kind)
    }

    /// Names of all kinds, in the registry's order.
    pub(crate) fn kinds(&self) -> Vec<&'r str> {
        kinds(self.registry)
    }

    /// The canonical name of an experiment.
    pub fn name(&self, experiment: &Experiment) -> String {
        let mut terms = Vec::new();
        for fault in &experiment.faults {
            self.terms(fault, &mut terms);
        }
        terms.join(" + ")
    }

    fn terms(&self, fault: &Fault, terms: &mut Vec<String>) {
        let model = match fault.model {
            Model::Flip => String::new(),
            other => format!("{other} "),
        };
        let known = self
            .layout(fault.array)
            .filter(|l| fault.bits.last().is_some_and(|&last| last < l.bits()));
        let Some(layout) = known else {
            // Not of this machine. Still worth reading, though it cannot be parsed.
            let array = label(fault.array);
            let unknown =
                fault.bits.iter().map(|b| format!("{model}{array}.bit{b}@{}", fault.when));
            terms.extend(unknown);
            return;
        };
        for product in decompose(&fault.bits, &layout.axes) {
            let mut words = Vec::new();
            if !layout.path.is_empty() {
                words.push(layout.path.clone());
            }
            for (i, (picked, axis)) in product.iter().zip(&layout.axes).enumerate() {
                if layout.parted && i + 1 == layout.axes.len() {
                    words.push(layout.id.part.to_string());
                }
                words.push(digits::text(picked, axis));
            }
            terms.push(format!("{model}{}:{}@{}", layout.kind, words.join("."), fault.when));
        }
    }
}

impl Experiment {
    /// Reads a name. With many names to read, make [`Names`] once instead.
    pub fn parse(text: &str, registry: &Registry) -> Result<Experiment, FaultError> {
        Names::new(registry).parse(text)
    }

    /// The canonical name. With many to write, make [`Names`] once instead.
    pub fn name(&self, registry: &Registry) -> String {
        Names::new(registry).name(self)
    }
}

fn path_key(layout: &Layout) -> (&str, &str) {
    (&layout.kind, &layout.path)
}

/// Names of all kinds of a machine, each once, in order of first appearance.
pub(crate) fn kinds(registry: &Registry) -> Vec<&str> {
    let mut kinds: Vec<&str> = Vec::new();
    for layout in &registry.arrays {
        if !kinds.contains(&layout.kind.as_str()) {
            kinds.push(&layout.kind);
        }
    }
    kinds
}

/// `, did you mean …?` for what is near enough to be a slip, else nothing.
pub(crate) fn hint<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    if name.len() > 64 {
        return String::new();
    }
    // It is there when it is used: nothing is wrong with the name.
    if name == "lmem" {
        return " (no kernel here uses local memory)".into();
    }
    let budget = name.len() / 3 + 1;
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(name, k), k))
        .filter(|(edits, _)| *edits <= budget)
        .min()
        .map_or(String::new(), |(_, k)| format!(" (did you mean `{k}`?)"))
}

#[cfg(test)]
mod tests;
