//! What is known of a work-group on a compute unit.

/// A resident work-group.
#[derive(Clone, Debug)]
pub(crate) struct WorkGroup {
    pub index: u64,
    pub id: [u32; 3],
    /// First byte of its LDS.
    pub lds: u32,
    /// Bytes of LDS taken.
    pub taken: u32,
    /// Wave slots in order of their number.
    pub slots: Vec<u32>,
    /// Waves that have not ended.
    pub left: u32,
    pub items: u32,
    pub since: u64,
}

impl WorkGroup {
    /// A lone wave takes no barrier.
    pub fn has_barrier(&self) -> bool {
        self.slots.len() > 1
    }
}
