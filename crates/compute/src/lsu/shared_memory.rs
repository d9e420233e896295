//! An SM's shared memory.

use upset_state::ByteArray;

use upset_machine::Room;

/// Shared memory, and who has it.
#[derive(Clone, Debug)]
pub(crate) struct SharedMemory {
    pub bytes: ByteArray,
    pub room: Room,
}
