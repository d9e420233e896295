//! How much of the chip is in use over time, counted where that changes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use upset_mem::LinesInUse;
use upset_state::Steps;

use crate::core::Core;
use crate::launch::Kernel;
use crate::machine::Machine;

/// What is in use of a chip's arrays over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InUse {
    /// Rows of register files that CTAs hold.
    pub rows: Steps,
    /// Bytes of shared memory that CTAs hold.
    pub shared_bytes: Steps,
    /// Scalar registers that waves hold; none where every warp has its own.
    #[serde(default)]
    pub scalars: Steps,
    /// Lines of the caches, by the cache's name.
    pub lines: BTreeMap<String, Lines>,
    /// Whether every access of kernels and host was of whole words of 32 bits.
    pub whole_words: bool,
}

/// Lines of all caches of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lines {
    /// Given to an address and not emptied since.
    pub now: Steps,
    /// Given to an address at any time before.
    pub ever: Steps,
}

impl<C: Core> Machine<C> {
    /// Counts what is in use from now on.
    pub(crate) fn count_in_use(&mut self) {
        self.mem.count_lines();
        self.cores.iter_mut().for_each(C::count_in_use);
    }

    /// A kernel begins.
    pub(crate) fn note_kernel(&mut self, kernel: &C::Kernel) {
        if self.trace.is_some() && !self.narrow {
            self.narrow = !kernel.accesses_words();
        }
    }

    /// What was counted since [`Machine::start_trace`].
    pub fn in_use(&self) -> InUse {
        let held = || self.cores.iter().flat_map(C::held);
        let mut by_name: BTreeMap<&str, Vec<&LinesInUse>> = BTreeMap::new();
        let lines = self.cores.iter().flat_map(C::lines_in_use);
        for (name, lines) in lines.chain(self.mem.lines_in_use()) {
            by_name.entry(name).or_default().push(lines);
        }
        let sum = |all: Vec<&LinesInUse>| Lines {
            now: Steps::sum(all.iter().map(|l| &l.now)),
            ever: Steps::sum(all.iter().map(|l| &l.ever)),
        };
        InUse {
            rows: Steps::sum(held().map(|h| &h.rows)),
            shared_bytes: Steps::sum(held().map(|h| &h.shared_bytes)),
            scalars: Steps::sum(held().map(|h| &h.scalars)),
            whole_words: !self.narrow && self.mem.host_copies_words(),
            lines: by_name.into_iter().map(|(name, all)| (name.to_string(), sum(all))).collect(),
        }
    }
}
