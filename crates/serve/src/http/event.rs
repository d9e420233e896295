//! What a page shows.

use std::sync::Arc;

/// A state of a page.
#[derive(Clone, Debug)]
pub struct Event {
    /// Names the state: the same for the same content, also after a restart.
    pub id: String,
    /// The whole event, as it is sent.
    pub bytes: Arc<[u8]>,
}
