//! What coordinator and workers say to each other: one JSON object per line
//! over the worker's standard input and output.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use upset_device::Seen;
use upset_trial::Outcome;
use upset_trial::Reference;
pub use upset_trial::walk::Job;

/// What a worker is told first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// The specification, as TOML.
    pub spec: String,
    /// Which application of it.
    pub app: usize,
    /// Which chip of it.
    pub chip: usize,
    /// Cycles of the fault-free run.
    pub cycles: u64,
    /// Last cycle of a run.
    pub limit: u64,
    /// Digest of the fault-free run's outputs.
    pub output_digest: String,
    /// Processor seconds after which a run is given up as a failure of the tool.
    pub processor_seconds: u64,
    /// Jobs come all at once and are done in one walk of the fault-free run.
    /// Else they are asked for one by one, and each is run from cycle 0.
    pub walk: bool,
    /// Jobs of this worker hold bits: the machine must be watched.
    pub holds: bool,
    /// Bytes that follow this line: the fault-free run's outputs.
    pub golden_bytes: u64,
    /// Bytes that follow those: what the fault-free run noted of its state.
    pub notes_bytes: u64,
    /// For programs.
    pub program: Option<ProgramSetup>,
}

impl Setup {
    /// What runs are judged by.
    pub fn reference(&self) -> Reference {
        Reference { cycles: self.cycles, output_digest: self.output_digest.clone() }
    }
}

/// What a worker must know of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProgramSetup {
    /// Where runs have their folders.
    pub folder: PathBuf,
    /// Files that every run writes for itself.
    pub private: Vec<PathBuf>,
}

/// What a worker asks or tells.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ToCoordinator {
    /// The next job, please.
    Next,
    /// What became of a job.
    Done {
        /// Its number.
        id: u64,
        /// The outcome.
        outcome: Box<Outcome>,
        /// The process was killed by somebody: not the run's doing.
        killed: bool,
        /// Its run left the walk: if it was followed, at a use of its bits.
        left: bool,
    },
    /// Something the user should know.
    Note {
        /// One sentence.
        text: String,
    },
    /// What a job's first change hits, before anything else of the job is told.
    Seen {
        /// Its number.
        id: u64,
        /// What the bit belonged to.
        seen: Box<Seen>,
    },
    /// A run that was followed to the end: masked, at the fault-free run's cycle.
    Faded {
        /// Its number.
        id: u64,
        /// How that is known.
        how: String,
    },
    /// Another processor, please: a run has left the walk.
    Want,
    /// A processor is not needed any more.
    Give,
    /// The worker cannot work.
    Failed {
        /// Why.
        message: String,
    },
}

/// What a worker is answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ToWorker {
    /// Do this.
    Job(Job),
    /// Nothing is left for you.
    Stop,
    /// Here is another processor.
    Have,
}

/// The fault-free run's outputs, as workers need them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GoldenOutputs {
    /// Every copy to the host.
    pub copies: Vec<Vec<u8>>,
    /// The application's results.
    pub results: Vec<crate::golden::Array>,
}

impl GoldenOutputs {
    /// As bytes.
    pub fn pack(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut put = |bytes: &[u8]| {
            out.extend((bytes.len() as u64).to_le_bytes());
            out.extend(bytes);
        };
        put(&(self.copies.len() as u64).to_le_bytes());
        self.copies.iter().for_each(|c| put(c));
        for array in &self.results {
            put(array.element.name().as_bytes());
            put(&array.bytes);
        }
        out
    }

    /// From bytes; `None` when they are no packed outputs.
    pub fn unpack(mut bytes: &[u8]) -> Option<GoldenOutputs> {
        let mut take = || -> Option<Option<Vec<u8>>> {
            if bytes.is_empty() {
                return Some(None);
            }
            let (len, rest) = bytes.split_first_chunk::<8>()?;
            let (block, rest) = rest.split_at_checked(u64::from_le_bytes(*len) as usize)?;
            bytes = rest;
            Some(Some(block.to_vec()))
        };
        let count = u64::from_le_bytes(*take()??.first_chunk::<8>()?);
        let mut outputs = GoldenOutputs::default();
        for _ in 0..count {
            outputs.copies.push(take()??);
        }
        while let Some(name) = take()? {
            let element = std::str::from_utf8(&name).ok()?.parse().ok()?;
            outputs.results.push(crate::golden::Array { element, bytes: take()?? });
        }
        Some(outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::Array;
    use upset_trial::Element;

    #[test]
    fn outputs_arrive_as_they_were_sent() {
        let outputs = GoldenOutputs {
            copies: vec![vec![1, 2, 3], vec![], vec![9]],
            results: vec![Array { element: Element::F64, bytes: vec![7; 16] }],
        };
        let packed = outputs.pack();
        assert_eq!(GoldenOutputs::unpack(&packed), Some(outputs));
        assert_eq!(GoldenOutputs::unpack(&packed[..packed.len() - 1]), None);
        assert_eq!(GoldenOutputs::unpack(&[]), None);
    }
}
