//! What ran where and when, for people to look at.

/// One bar of the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Span {
    /// A kernel.
    Kernel {
        /// Its name.
        name: String,
        /// First and last cycle.
        cycles: (u64, u64),
        /// Local bytes per thread.
        local_bytes: u32,
    },
    /// A CTA on an SM.
    Cta {
        /// The SM.
        sm: u32,
        /// CTA slot of the SM.
        place: u32,
        /// Number in the grid.
        index: u64,
        /// First and last cycle.
        cycles: (u64, u64),
        /// First byte and length of its shared memory.
        shared: (u32, u32),
    },
    /// A warp in a slot of an SM.
    Warp {
        /// The SM.
        sm: u32,
        /// Warp slot.
        slot: u32,
        /// Its CTA's number in the grid.
        cta: u64,
        /// Number within the CTA.
        id: u32,
        /// First and last cycle.
        cycles: (u64, u64),
        /// First row and number of its registers.
        rows: (u32, u32),
        /// Threads it began with, one bit for each.
        lanes: u64,
    },
}

/// A recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// In the order in which they ended.
    pub spans: Vec<Span>,
}

impl Trace {
    /// One bar more.
    pub fn add(&mut self, span: Span) {
        self.spans.push(span);
    }
}
