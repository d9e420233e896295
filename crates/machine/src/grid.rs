//! How far a launch has come.

/// The work-groups of a launch: which are to come, and which have ended.
pub(crate) struct Grid {
    /// First cycle of the launch.
    pub start: u64,
    /// Its work-groups.
    pub total: u64,
    /// The next to be given to a core.
    pub next: u64,
    /// Those that have ended.
    pub done: u64,
    /// When cores are next asked for room.
    pub dispatch: u64,
}
