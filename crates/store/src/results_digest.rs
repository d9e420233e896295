//! The digest of results alone.

use upset_metrics::Class;
use xxhash_rust::xxh3::xxh3_128;

use crate::{Experiment, Subject};

/// Digest of what became of faults: application, chip, fault, class, cycles and
/// output. Nothing else is in it: not how a class was found out, not the
/// specification, the seed, the numbers of experiments or the order of anything.
/// So it is the same for an exact and a naive campaign, for one that was resumed,
/// and for parts that are read together.
///
/// It is the sum of the experiments' own digests, modulo 2^128.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResultsDigest(u128);

impl ResultsDigest {
    /// Adds an experiment.
    pub fn add(&mut self, subject: &Subject, e: &Experiment) {
        // What a failure of ours looked like is no result.
        let (cycles, output) = match e.class {
            Class::ToolError => (0, ""),
            _ => (e.cycles, e.output_digest.as_str()),
        };
        let Subject { app, scale, chip, .. } = subject;
        let (fault, class) = (&e.fault, e.class.name());
        let line = format!("{app}\n{scale}\n{chip}\n{fault}\n{class}\n{cycles}\n{output}\n");
        self.0 = self.0.wrapping_add(xxh3_128(line.as_bytes()));
    }

    /// The digest in hexadecimal.
    pub fn text(self) -> String {
        format!("{:032x}", self.0)
    }
}
