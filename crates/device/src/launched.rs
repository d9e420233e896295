//! What is kept of launches that came to their end.

use upset_compute::LaunchCounters;
use upset_emu::Counts;

use crate::journal::Event;
use crate::{Args, DevPtr, Device, Launch, LaunchSpan};

/// What a launch took of a core.
pub(crate) struct Sizes {
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of shared memory per work-group.
    pub shared_bytes: u32,
    /// Bytes of local memory per thread.
    pub local_bytes: u32,
}

impl Device {
    /// Takes a launch that came to its end into the statistics.
    pub(crate) fn count(
        &mut self,
        kernel: &str,
        launch: &Launch,
        counts: &Counts,
        timing: Option<LaunchCounters>,
        sizes: Sizes,
    ) {
        self.launches += 1;
        let s = self.stats.of(kernel);
        s.launches += 1;
        s.ctas += counts.ctas;
        s.warp_insts += counts.warp_insts;
        s.thread_insts += counts.thread_insts;
        s.registers = sizes.registers;
        s.shared_bytes = s.shared_bytes.max(sizes.shared_bytes);
        s.local_bytes = sizes.local_bytes;
        s.last = (launch.grid, launch.block);
        if let Some(t) = timing {
            self.spans.push(LaunchSpan {
                kernel: kernel.to_string(),
                start: t.start,
                end: t.start + t.cycles,
            });
            *s.timing.get_or_insert_default() += &t;
        }
    }

    /// Writes a launch down.
    pub(crate) fn note_launch(&mut self, kernel: &str, launch: Launch, args: &Args) {
        self.note(|d| Event::Launch {
            kernel: kernel.to_string(),
            launch,
            args: args.clone(),
            pointers: args
                .iter()
                .map(|a| {
                    let addr = a.bytes.first_chunk().map(|b| u64::from_le_bytes(*b));
                    addr.filter(|_| a.pointer).map(|p| d.pointer_or_null(DevPtr(p)))
                })
                .collect(),
        });
    }
}
