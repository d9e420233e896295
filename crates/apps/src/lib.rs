//! Applications: what runs on the device, from what input, and how its answer
//! is checked.
//!
//! Nineteen for NVIDIA's and fourteen for AMD's chips are built in (`builtin`): a host
//! side drives the device, a reference
//! computes the same answer on the CPU from the mathematical definition. Others
//! are a folder with a manifest (`folder`).

mod app;
mod builtin;
mod error;
mod exponential;
mod folder;
mod host;
mod launcher;
pub mod manifest;
mod output;
mod random;
mod reference;
mod scale;
mod session;
mod target;
mod values;
mod verdict;

pub use app::{App, AppRun, LaunchRecord};
pub use builtin::{built_in, built_in_for, find};
pub use error::AppError;
pub use folder::{Files, FolderApp};
pub use launcher::{Direct, Launcher, Way};
pub use manifest::{Manifest, ManifestError};
pub use output::Output;
pub use random::Generator;
pub use scale::Scale;
pub use target::{Target, best_code, vendor_name};
pub use values::{ElementType, Values};
pub use verdict::{Mismatch, Tolerance, Verdict};
