//! The trace of what ran where, written when the device is left.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use upset_device::trace_file;

use super::state::Runtime;

impl Runtime {
    /// Writes the trace, if one is wanted. A device that did nothing after
    /// another was left does not replace the other's.
    pub fn write_trace(&mut self) {
        static WRITTEN: AtomicBool = AtomicBool::new(false);
        let (Some(path), Some(trace)) = (&self.config.trace, self.device.trace()) else { return };
        if WRITTEN.swap(true, Ordering::Relaxed) && trace.spans.is_empty() {
            return;
        }
        let program = std::env::current_exe().ok();
        let program = program.as_deref().and_then(Path::file_name);
        let chip = self.device.chip();
        let about = json!({
            "program": program.map(|p| p.to_string_lossy()), "chip": chip.chip.name,
            "core_mhz": chip.clock.core_mhz, "unit": "1 microsecond is 1 cycle",
        });
        let written = File::create(path).and_then(|file| {
            let mut out = BufWriter::with_capacity(1 << 16, file);
            let readings = self.device.readings();
            trace_file::write(&mut out, trace, readings, chip.words(), &about)?;
            out.flush()
        });
        if let Err(e) = written {
            let message = told(path, &e);
            self.tell(message, false);
        }
    }
}

fn told(path: &Path, e: &io::Error) -> String {
    format!("cannot write the trace {}: {e}", path.display())
}
