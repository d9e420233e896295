//! The host sides of the built-in applications: make the input, drive the
//! device as the published programs do, collect the outputs.
//!
//! Each type holds an application's parameters at one scale, read from its
//! manifest.

mod backpropagation;
mod breadth_first;
mod gaussian;
mod hotspot;
mod k_means;
mod lu_decomposition;
mod needleman_wunsch;
mod pathfinder;
mod scalar_product;
mod srad_v1;
mod srad_v2;
mod substitution_scores;
mod vector_add;

pub(crate) use backpropagation::Backpropagation;
pub(crate) use breadth_first::BreadthFirst;
pub(crate) use gaussian::Gaussian;
pub(crate) use hotspot::Hotspot;
pub(crate) use k_means::KMeans;
pub(crate) use lu_decomposition::LuDecomposition;
pub(crate) use needleman_wunsch::NeedlemanWunsch;
pub(crate) use pathfinder::Pathfinder;
pub(crate) use scalar_product::ScalarProduct;
pub(crate) use srad_v1::SradV1;
pub(crate) use srad_v2::SradV2;
pub(crate) use vector_add::VectorAdd;

use crate::app::Output;
use crate::error::AppError;
use crate::session::Session;
use crate::verdict::Expected;

/// An application at one scale.
pub(crate) trait Host: Send + Sync {
    /// Runs it on a device.
    fn run(&self, session: &mut Session<'_>, seed: u64) -> Result<Vec<Output>, AppError>;

    /// Its right answer for the same input.
    fn expected(&self, seed: u64) -> Vec<Expected>;
}

/// A sum in double precision, so that the order of the terms hardly matters.
fn sum(values: impl Iterator<Item = f32>) -> f64 {
    values.map(f64::from).sum()
}
