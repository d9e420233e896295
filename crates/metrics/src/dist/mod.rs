//! The distributions that intervals come from: normal, beta, gamma.
//!
//! Quantiles are found by bisection of the distribution function down to
//! neighbouring numbers: slower than a fitted formula, with nothing to trust
//! but the function itself.

mod beta;
mod gamma;
mod normal;
mod numeric;

pub use beta::{beta_cdf, beta_quantile};
pub use gamma::{gamma_cdf, gamma_quantile};
pub use normal::{normal_cdf, normal_quantile, two_sided_z};
