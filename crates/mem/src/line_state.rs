//! What a cache knows of a line besides its bytes.

pub(crate) const NONE: u32 = u32::MAX;

/// A line: all that an access needs of it lies together. The lines of a chip's
/// caches do not fit into the host's nearest ones.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Line {
    pub(crate) tag: u64,
    /// Its set.
    pub(crate) set: u32,
    /// The line of its set that was used next after it, and the one before.
    pub(crate) newer: u32,
    pub(crate) older: u32,
    /// Next in its chain of the tag index.
    pub(crate) chain: u32,
    /// Fetches under way into this row: it cannot leave. Not a modelled bit.
    pub(crate) reserved: u16,
    pub(crate) valid: u8,
    pub(crate) dirty: u8,
    /// In the tag index.
    pub(crate) indexed: bool,
}

impl Line {
    /// Those of a cache, empty. Way 0 of a set is the oldest: it fills from there.
    pub(crate) fn all(sets: u32, ways: u32) -> Vec<Line> {
        let line = |row: u32| {
            let way = row % ways;
            Line {
                tag: 0,
                set: row / ways,
                newer: if way + 1 == ways { NONE } else { row + 1 },
                older: if way == 0 { NONE } else { row - 1 },
                chain: NONE,
                reserved: 0,
                valid: 0,
                dirty: 0,
                indexed: false,
            }
        };
        (0..sets * ways).map(line).collect()
    }
}
