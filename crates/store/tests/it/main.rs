//! Stores as their users see them, and as the world treats them.

mod damage;
mod follow;
mod kill;
mod life;
mod results;
mod room;
mod samples;
mod writer;
