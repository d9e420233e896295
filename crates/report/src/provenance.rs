//! Where the numbers come from.

use std::collections::BTreeMap;

use serde::Serialize;
use upset_metrics::Class;
use upset_store::{Results, ResultsDigest, Subject};

/// One store.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// File.
    pub file: String,
    /// Version of the program that made it.
    pub tool: String,
    /// Seed.
    pub seed: u64,
    /// Confidence that was asked for.
    pub confidence: f64,
    /// Specification, complete.
    pub spec: String,
    /// Experiments in it.
    pub experiments: u64,
    /// Digest of its results alone.
    pub results_digest: String,
    /// Experiments by how their class was found.
    pub how: BTreeMap<String, u64>,
    /// Experiments that took more than one attempt.
    pub retried: u64,
    /// What ran.
    pub subjects: Vec<SubjectSource>,
}

/// One application on a chip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SubjectSource {
    /// Application and size.
    pub app: String,
    /// Size of its input.
    pub scale: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Chip.
    pub chip: String,
    /// Cycles of the fault-free run.
    pub cycles: u64,
    /// Cycle limit of faulty runs.
    pub limit: u64,
    /// Digest of the fault-free outputs.
    pub output_digest: String,
    /// Bytes of the fault-free outputs.
    pub output_bytes: u64,
    /// Digests of binaries.
    pub binaries: Vec<(String, String)>,
}

/// A failure of ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToolError {
    /// Number in `sources`.
    pub source: usize,
    /// Application.
    pub app: String,
    /// Chip.
    pub chip: String,
    /// The fault that it happened with.
    pub fault: String,
    /// What went wrong.
    pub cause: String,
    /// Times it was tried.
    pub attempts: u32,
}

impl Source {
    /// About a store.
    pub fn new(store: &Results) -> Source {
        let mut how = BTreeMap::new();
        for e in &store.experiments {
            *how.entry(e.how.clone()).or_insert(0) += 1;
        }
        let subjects = store
            .subjects
            .iter()
            .map(|s| SubjectSource {
                app: s.app.clone(),
                scale: s.scale.clone(),
                command: s.command.clone(),
                chip: s.chip.clone(),
                cycles: s.profile.cycles,
                limit: s.profile.limit,
                output_digest: s.profile.output_digest.clone(),
                output_bytes: s.profile.output_bytes,
                binaries: s.binaries.clone(),
            })
            .collect();
        Source {
            file: store.file.clone(),
            tool: store.header.tool.clone(),
            seed: store.header.seed,
            confidence: store.header.confidence,
            spec: store.header.spec.clone(),
            experiments: store.experiments.len() as u64,
            results_digest: results_digest(store),
            how,
            retried: store.experiments.iter().filter(|e| e.attempts > 1).count() as u64,
            subjects,
        }
    }
}

fn results_digest(store: &Results) -> String {
    let of_stratum: BTreeMap<u32, u32> = store.strata.iter().map(|s| (s.id, s.subject)).collect();
    let subjects: BTreeMap<u32, &Subject> = store.subjects.iter().map(|s| (s.id, s)).collect();
    let mut digest = ResultsDigest::default();
    for e in &store.experiments {
        if let Some(subject) = of_stratum.get(&e.stratum).and_then(|s| subjects.get(s)) {
            digest.add(subject, e);
        }
    }
    digest.text()
}

/// Every tool error, in order of stores.
pub fn tool_errors(stores: &[Results]) -> Vec<ToolError> {
    let mut list = Vec::new();
    for (source, store) in stores.iter().enumerate() {
        for e in store.experiments.iter().filter(|e| e.class == Class::ToolError) {
            let stratum = store.strata.iter().find(|s| s.id == e.stratum);
            let subject = stratum.and_then(|t| store.subjects.iter().find(|s| s.id == t.subject));
            list.push(ToolError {
                source,
                app: subject.map_or(String::new(), |s| s.app.clone()),
                chip: subject.map_or(String::new(), |s| s.chip.clone()),
                fault: e.fault.clone(),
                cause: e.cause.clone(),
                attempts: e.attempts,
            });
        }
    }
    list
}
