//! How the threads of a warp part and meet again: one member for each way that
//! hardware has. Code from sm_70 on names [`barriers`]; older code keeps a
//! [`stack`]. A warp has what its code was made for.

pub mod barriers;
mod by_stack;
pub mod collective;
pub mod events;
pub mod stack;
pub mod warp_sync;
