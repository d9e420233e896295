//! Everything that was graded.

use serde::Serialize;

use crate::{Counts, Grade, Step, Truth, smallest};

/// Version of the JSON form. It changes when a reader of the old one would be
/// misled.
pub const SCHEMA: u32 = 1;

/// A test, or a rival's method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Method {
    /// Its name in tables.
    pub name: String,
    /// One of our tests.
    pub ours: bool,
    /// Seconds that it takes without a fault, by the chip's clock.
    pub seconds: f64,
    /// Results that it compares.
    pub results: u64,
}

/// A list of faults.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct List {
    /// What was asked for, in words: `stuck fma, SM 1: all 4096`.
    pub title: String,
    /// The faults.
    pub faults: Vec<Graded>,
}

/// A fault and what became of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Graded {
    /// As `upset burn --fault` takes it.
    pub fault: String,
    /// Where it is.
    pub place: Truth,
    /// By each method, in their order.
    pub grades: Vec<Grade>,
}

/// Everything.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Who wrote it.
    pub program: String,
    /// The chip's name and changes.
    pub chip: String,
    /// How much of each test.
    pub level: u8,
    /// Operands follow from it.
    pub seed: u64,
    /// Tests and rivals.
    pub methods: Vec<Method>,
    /// Faults.
    pub lists: Vec<List>,
    /// The smallest set of our tests that detects what all of them detect.
    pub smallest: Vec<Step>,
}

impl Record {
    /// Finds the smallest set.
    pub fn with_smallest(mut self) -> Record {
        let ours: Vec<usize> = (0..self.methods.len()).filter(|&m| self.methods[m].ours).collect();
        let of = |&m: &usize| {
            let all = self.lists.iter().flat_map(|list| &list.faults);
            all.map(|fault| fault.grades[m].is_detected()).collect()
        };
        let found: Vec<Vec<bool>> = ours.iter().map(of).collect();
        let seconds: Vec<f64> = ours.iter().map(|&m| self.methods[m].seconds).collect();
        self.smallest = smallest(&found, &seconds)
            .into_iter()
            .map(|step| Step { test: ours[step.test], ..step })
            .collect();
        self
    }

    /// What a method made of a list.
    pub fn counts(&self, list: usize, method: usize) -> Counts {
        Counts::of(self.lists[list].faults.iter().map(|f| &f.grades[method]))
    }

    /// Faults of a list that some test of ours detects.
    pub fn detected_by_any(&self, list: usize) -> u64 {
        let ours = |f: &Graded| {
            let grades = f.grades.iter().zip(&self.methods);
            grades.filter(|(_, m)| m.ours).any(|(g, _)| g.is_detected())
        };
        self.lists[list].faults.iter().filter(|f| ours(f)).count() as u64
    }

    /// Its JSON form.
    pub fn json(&self) -> Result<String, String> {
        serde_json::to_string_pretty(self).map(|t| t + "\n").map_err(|e| e.to_string())
    }
}
