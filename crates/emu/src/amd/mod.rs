//! AMD's waves, without time: work-groups one after the other, the waves of a
//! work-group in turn, each until it waits for the others.

mod code;
mod grid;
mod memory;
mod wave;

pub use code::WaveCode;
pub use grid::{WaveGrid, run_waves};
