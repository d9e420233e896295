//! Right answers, computed on the CPU from the mathematical definitions with
//! plain loops. Nothing here follows the kernels' tiling: what the two have in
//! common is the definition alone. Reals are double precision, so that the
//! difference to a result is that result's own rounding error.

mod clustering;
mod convolution;
mod counting;
mod diffusion;
mod graph;
mod heat;
mod images;
mod linear;
mod matrices;
mod network;
mod noise;
mod ordering;
mod recursive_filter;
mod sequences;
mod shortest_paths;
mod sobol;
mod spectra;
mod transforms;
mod vectors;

pub(crate) use clustering::k_means;
pub(crate) use convolution::Mask;
pub(crate) use counting::{histogram, total};
pub(crate) use diffusion::diffuse;
pub(crate) use graph::{Graph, cheapest_paths, distances};
pub(crate) use heat::{HeatModel, heat};
pub(crate) use images::{edges, luma};
pub(crate) use linear::{eliminate, lower_upper};
pub(crate) use matrices::{product, transpose};
#[cfg(test)]
pub(crate) use network::partial_sums;
pub(crate) use network::{Network, train};
pub(crate) use noise::with_noise;
pub(crate) use ordering::{places, sorted, sorting_order};
pub(crate) use recursive_filter::RecursiveFilter;
pub(crate) use sequences::alignment_scores;
pub(crate) use shortest_paths::shortest_paths;
pub(crate) use sobol::sobol;
pub(crate) use spectra::fourier;
pub(crate) use transforms::{cosine_blocks, haar, walsh};
pub(crate) use vectors::{scalar_products, sum, vector_sum};
