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
    },
}

/// A recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// In the order in which they ended.
    pub spans: Vec<Span>,
}

impl Trace {
    pub(crate) fn cta(&mut self, sm: u32, place: u32, index: u64, since: u64, now: u64) {
        self.spans.push(Span::Cta { sm, place, index, cycles: (since, now) });
    }

    pub(crate) fn warp(&mut self, sm: u32, slot: u32, cta: u64, id: u32, since: u64, now: u64) {
        self.spans.push(Span::Warp { sm, slot, cta, id, cycles: (since, now) });
    }

    pub(crate) fn kernel(&mut self, name: &str, since: u64, now: u64) {
        self.spans.push(Span::Kernel { name: name.to_string(), cycles: (since, now) });
    }
}
