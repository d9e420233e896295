//! The OpenCL applications for AMD's chips, after the samples of the AMD APP
//! SDK. A grid counts work-groups, a block work-items of a group; arguments are
//! the kernel's own, in order.

mod binary_search;
mod bitonic_sort;
mod convolution;
mod cosine_transform;
mod floyd_warshall;
mod haar_wavelet;
mod histogram;
mod matrix_multiplication;
mod matrix_transpose;
mod quasi_random;
mod recursive_gaussian;
mod reduction;
mod uniform_noise;
mod walsh_transform;

pub(crate) use binary_search::BinarySearch;
pub(crate) use bitonic_sort::BitonicSort;
pub(crate) use convolution::Convolution;
pub(crate) use cosine_transform::CosineTransform;
pub(crate) use floyd_warshall::FloydWarshall;
pub(crate) use haar_wavelet::HaarWavelet;
pub(crate) use histogram::Histogram;
pub(crate) use matrix_multiplication::MatrixMultiplication;
pub(crate) use matrix_transpose::MatrixTranspose;
pub(crate) use quasi_random::QuasiRandom;
pub(crate) use recursive_gaussian::RecursiveGaussian;
pub(crate) use reduction::Reduction;
pub(crate) use uniform_noise::UniformNoise;
pub(crate) use walsh_transform::WalshTransform;
