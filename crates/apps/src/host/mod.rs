//! The host sides of the built-in applications: make the input, drive the
//! device as the published programs do, collect the outputs.
//!
//! Each type holds an application's parameters at one scale, read from its
//! manifest.

pub(crate) mod amd;
mod backpropagation;
mod breadth_first;
pub(crate) mod counters;
mod gaussian;
mod host_side;
mod hotspot;
mod k_means;
mod lu_decomposition;
mod needleman_wunsch;
mod pathfinder;
mod scalar_product;
mod srad_v1;
mod srad_v2;
mod substitution_scores;
mod sum;
mod vector_add;

pub(crate) use backpropagation::Backpropagation;
pub(crate) use breadth_first::BreadthFirst;
pub(crate) use gaussian::Gaussian;
pub(crate) use host_side::Host;
pub(crate) use hotspot::Hotspot;
pub(crate) use k_means::KMeans;
pub(crate) use lu_decomposition::LuDecomposition;
pub(crate) use needleman_wunsch::NeedlemanWunsch;
pub(crate) use pathfinder::Pathfinder;
pub(crate) use scalar_product::ScalarProduct;
pub(crate) use srad_v1::SradV1;
pub(crate) use srad_v2::SradV2;
pub(crate) use vector_add::VectorAdd;
