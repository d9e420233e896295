//! What was counted in launches, written as they end: nothing is lost when the
//! program dies.

use std::fs::OpenOptions;
use std::io::{self, Write};

use super::state::Runtime;

impl Runtime {
    /// Adds the readings of launches that have ended since the last time to the
    /// file, if they are wanted: a line each.
    pub(super) fn write_counters(&mut self) {
        let Some((path, _)) = &self.config.counters else { return };
        let new = &self.device.readings()[self.counted.min(self.device.readings().len())..];
        let mut text = Vec::new();
        for reading in new {
            if serde_json::to_writer(&mut text, reading).is_ok() {
                text.push(b'\n');
            }
        }
        self.counted = self.device.readings().len();
        if text.is_empty() {
            return;
        }
        // One piece, so that lines of several processes do not mix.
        let open = OpenOptions::new().append(true).create(true).open(path);
        let written: io::Result<()> = open.and_then(|mut file| file.write_all(&text));
        if let Err(e) = written {
            let message = format!("cannot write the counters {}: {e}", path.display());
            self.tell(message, false);
        }
    }
}
