//! The seven applications of the paper on performance counters
//! (Guerrero-Balaguera et al., ICECS 2021), for NVIDIA's chips.

mod edges;
mod fourier;
mod luma;
mod product;
mod sort;
mod sum;
mod transpose;

pub(crate) use edges::Edges;
pub(crate) use fourier::Fourier;
pub(crate) use luma::Luma;
pub(crate) use product::Product;
pub(crate) use sort::Sort;
pub(crate) use sum::Sum;
pub(crate) use transpose::Transpose;
