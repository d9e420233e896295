//! Tickets in machine code on the model of a chip.

mod applications;
mod lanes;
mod sources;
