//! Right answers, computed on the CPU from the mathematical definitions with
//! plain loops. Nothing here follows the kernels' tiling: what the two have in
//! common is the definition alone. Reals are double precision, so that the
//! difference to a result is that result's own rounding error.

mod clustering;
mod diffusion;
mod graph;
mod heat;
mod linear;
mod network;
mod sequences;
mod vectors;

pub(crate) use clustering::k_means;
pub(crate) use diffusion::diffuse;
pub(crate) use graph::{cheapest_paths, distances};
pub(crate) use heat::{HeatModel, heat};
pub(crate) use linear::{eliminate, lower_upper};
#[cfg(test)]
pub(crate) use network::partial_sums;
pub(crate) use network::{Network, train};
pub(crate) use sequences::alignment_scores;
pub(crate) use vectors::{scalar_products, vector_sum};
