//! An attempt to issue: what stands in its way, what comes of it, what is learnt.

use upset_machine::Reason;

/// Outcome of an attempt to issue.
pub(super) enum Try {
    Issued,
    /// Not before this cycle.
    At(u64, Reason),
    /// Not before an event.
    Blocked(Reason),
    /// Not before a ghost has left.
    Haunted,
    /// It was ready, and its line did not say so.
    Shut,
    /// It was chosen, and nobody was selected.
    Bubble,
    /// It was chosen, and another warp was selected.
    Instead(usize),
}

/// What a scheduler has learnt from the warps that it has tried.
pub(super) struct Look {
    /// When the first of them may issue.
    pub(super) wake: u64,
    /// What keeps the first that was tried.
    pub(super) why: Option<Reason>,
}

/// What stands between a warp that is ready and its issue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    /// Nothing.
    Open,
    /// Nothing, and nobody need look.
    Again,
    /// Lines, of which some are broken; its ready line is as high as this.
    Lines {
        /// The line when the warp is ready.
        high: bool,
    },
    /// It is taken although it is not ready, for what is there of it.
    Forced,
}
