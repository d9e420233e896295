//! Tensor cores: products of small matrices.
//!
//! Where all sums are exact, whatever their order, the CPU knows the result to
//! the bit. How tensor cores round other sums NVIDIA does not say: there all
//! SMs compute the same, and most of them are right.

mod runner;
pub mod tile;

use crate::{Group, Level, Oracle, TestAbout};

/// Tests of tensor cores.
pub struct TensorTest {
    about: TestAbout,
}

const EVERYWHERE: &str = "every lane of every sub-core of every SM; findings name the lane that \
                          holds the accumulator";

/// Against the CPU.
pub static TENSOR: TensorTest = TensorTest {
    about: TestAbout {
        name: "tensor",
        group: Group::Compute,
        unit: "tensor cores, half precision and bytes",
        oracle: Oracle::Cpu,
        patterns: "random tiles of integers times powers of two whose sums are exact in any \
                   order, accumulated in single precision; bytes (from sm_75 on)",
        footprint: EVERYWHERE,
        blind: "rounding, infinities and NaNs (the vote sees them); bfloat16, TF32, FP8, FP64, \
                sparse matrices, wgmma; as PTX on later chips m8n8k4 alone",
        from: Level::One,
        injectable: true,
        not_on_model: "",
    },
};

/// Against each other.
pub static VOTE: TensorTest = TensorTest {
    about: TestAbout {
        name: "tensor-vote",
        group: Group::Compute,
        unit: "tensor cores, half precision, all values",
        oracle: Oracle::Vote,
        patterns: "random bits: NaNs, infinities, denormals, sums that round",
        footprint: EVERYWHERE,
        blind: "what all SMs, or as many as half of them, do wrong alike",
        from: Level::One,
        injectable: true,
        not_on_model: "",
    },
};
