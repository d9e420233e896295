//! What a device did, when it is gone.

use crate::{Device, Outputs, Stats};

/// What a device did, without the device.
#[derive(Clone)]
pub struct History {
    stats: Stats,
    outputs: Outputs,
}

impl History {
    /// Digest of the bytes copied to the host.
    pub fn output_digest(&self) -> String {
        self.outputs.digest()
    }
}

impl Device {
    /// Ends a device; what it did stays.
    pub fn into_history(self) -> History {
        History { stats: self.stats, outputs: self.outputs }
    }

    /// Counts on from what another device did before.
    pub fn continue_from(&mut self, history: History) {
        self.stats = history.stats;
        self.outputs = history.outputs;
    }
}
