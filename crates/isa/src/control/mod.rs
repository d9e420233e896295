//! How the threads of a warp part and meet again: one member for each way that
//! hardware has. Code from sm_70 on names [`barriers`]; older code keeps a
//! stack, whose place is here.

pub mod barriers;
pub mod collective;
pub mod events;
pub mod warp_sync;
