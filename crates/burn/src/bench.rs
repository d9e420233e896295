//! What a running test works with.

use std::collections::BTreeMap;

use crate::chip::Coverage;
use crate::classify::Tally;
use crate::{
    Board, BoardError, Finding, Findings, Image, Injection, Level, ModuleId, Place, Sensors,
};

/// How much work a test does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Sizes scale with it.
    pub level: Level,
    /// Times each operand set or pattern is gone through, at least 1.
    pub rounds: u32,
    /// Bytes of device memory that memory tests may take; `None`: what the
    /// level says.
    pub bytes: Option<u64>,
}

/// What a running test works with: the board, how much to do, and where
/// findings go.
pub struct Bench<'b> {
    /// The GPU.
    pub board: &'b mut dyn Board,
    /// How much to do.
    pub effort: Effort,
    /// Random operands hang on it alone.
    pub seed: u64,
    /// An error to make, in kernels that can.
    pub inject: Option<Injection>,
    test: &'static str,
    findings: Findings,
    uncovered: Vec<String>,
    notes: Vec<String>,
    results: u64,
    references: u64,
    coverage: Coverage,
    tally: Tally,
    noticed: Option<f64>,
    sensors: Sensors,
    modules: BTreeMap<&'static str, ModuleId>,
}

impl<'b> Bench<'b> {
    /// A bench for one test.
    pub fn new(board: &'b mut dyn Board, test: &'static str, effort: Effort, seed: u64) -> Self {
        Bench {
            board,
            effort,
            seed,
            inject: None,
            test,
            findings: Findings::default(),
            uncovered: Vec::new(),
            notes: Vec::new(),
            results: 0,
            references: 0,
            coverage: Coverage::default(),
            tally: Tally::default(),
            noticed: None,
            // The first finding reads them.
            sensors: Sensors::default(),
            modules: BTreeMap::new(),
        }
    }

    /// Loads an image once.
    pub fn module(&mut self, image: &Image) -> Result<ModuleId, BoardError> {
        if let Some(&m) = self.modules.get(image.name) {
            return Ok(m);
        }
        let module = self.board.load(image)?;
        self.modules.insert(image.name, module);
        Ok(module)
    }

    /// Something is wrong; what and where is told by findings, perhaps later.
    pub fn notice(&mut self) {
        if self.noticed.is_none() {
            self.noticed = Some(self.board.seconds());
        }
    }

    /// A result was wrong.
    pub fn find(
        &mut self,
        operation: &str,
        place: Place,
        (expected, found, width): (u64, u64, u32),
        note: String,
    ) {
        self.notice();
        // A reading of the sensors takes long on real boards: the first
        // finding of a burst is worth one, the rest share it.
        if self.findings.count().is_power_of_two() || self.findings.count() == 0 {
            self.sensors = self.board.sensors();
        }
        let at = place.address.and_then(|a| self.board.memory_place(a));
        self.tally.add(&place, expected ^ found, at);
        self.findings.push(Finding {
            test: self.test,
            operation: operation.to_string(),
            place,
            expected,
            found,
            width,
            note,
            at: self.board.seconds(),
            temperature: self.sensors.temperature,
            clock: self.sensors.sm_clock,
            power: self.sensors.power,
        });
    }

    /// Results that were compared, right or wrong.
    pub fn checked(&mut self, results: u64) {
        self.results += results;
    }

    /// Results that the host computed to compare with, where every lane computes
    /// the same.
    pub fn referred(&mut self, references: u64) {
        self.references += references;
    }

    /// What of the chip the test reached.
    pub fn covered(&mut self, what: &Coverage) {
        self.coverage.join(what);
    }

    /// Something that the test is to reach was not reached. Then it is no pass.
    pub fn not_covered(&mut self, what: String) {
        if !self.uncovered.contains(&what) {
            self.uncovered.push(what);
        }
    }

    /// Something worth knowing that is no error.
    pub fn note(&mut self, what: String) {
        if !self.notes.contains(&what) {
            self.notes.push(what);
        }
    }

    /// What was found so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Ends the bench.
    pub fn finish(self) -> Outcome {
        Outcome {
            findings: self.findings,
            uncovered: self.uncovered,
            notes: self.notes,
            results: self.results,
            references: self.references,
            coverage: self.coverage,
            tally: self.tally,
            noticed: self.noticed,
        }
    }
}

/// What one run of a test came to.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// What was wrong.
    pub findings: Findings,
    /// What was not reached.
    pub uncovered: Vec<String>,
    /// What else is worth knowing.
    pub notes: Vec<String>,
    /// Results compared.
    pub results: u64,
    /// Results of the host that they were compared with, where it counts them.
    pub references: u64,
    /// SMs, sub-cores and lanes reached.
    pub coverage: Coverage,
    /// Where results were wrong.
    pub tally: Tally,
    /// When the first wrong result was seen, by the board's seconds.
    pub noticed: Option<f64>,
}

impl Outcome {
    /// Joins what another run of the same test came to.
    pub fn join(&mut self, other: Outcome) {
        self.findings.join(other.findings);
        self.uncovered.extend(other.uncovered);
        self.uncovered.dedup();
        self.notes.extend(other.notes);
        self.notes.dedup();
        self.results += other.results;
        self.references += other.references;
        self.coverage.join(&other.coverage);
        self.tally.join(&other.tally);
        self.noticed = self.noticed.or(other.noticed);
    }
}
