//! nvdisasm as a decode oracle: what it said about real code and about every
//! single-bit flip of a sample of it, and the comparison with our decoder.
//!
//! `cargo xtask oracle nvdisasm` makes the recordings, `oracles/nvdisasm/README.md`
//! describes them.

mod accepted;
mod compare;
pub mod kepler;
pub(crate) mod record;

pub use accepted::{Accepted, AcceptedError};
pub use compare::{Difference, Summary, compare, ours};
pub use record::{Answer, BATCH, FLIPS, Record, RecordError, digest, normal};
