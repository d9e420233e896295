//! Fault models, spatial patterns, sampling, and the name of an experiment.
//!
//! An [`Experiment`] is what is done to the machine in one run: some bits flip
//! at a cycle, or stick for a while. It has one canonical name that prints and
//! parses ([`Experiment::name`], [`Experiment::parse`]). Experiments come from
//! people, or are drawn: [`draw_physical`] from all bits of a structure,
//! [`draw_active`] from the bits that live threads and CTAs own. Draw number n
//! of a [`Key`] is always the same experiment.
//!
//! `docs/faults.md` describes models, names, patterns and samplings.

mod active;
mod decompose;
mod digits;
mod error;
mod experiment;
mod geometry;
mod model;
mod names;
mod parse;
mod physical;
mod random;
mod recipe;
mod residency;
mod space;
mod spec;
mod structure;
#[cfg(test)]
mod toy;
mod window;

pub use active::{ActiveIndex, ActiveRecipe, Scope, active_area, draw_active};
pub use error::FaultError;
pub use experiment::{Experiment, MAX_CHANGES};
pub use model::{Fault, Model, When};
pub use names::Names;
pub use physical::draw_physical;
pub use random::{Draws, Key};
pub use recipe::{Recipe, Spread};
pub use residency::{CtaStay, LocalStay, Residency, WarpStay};
pub use space::Space;
pub use spec::{ModelSpec, QuirkSpec};
pub use structure::Structure;
pub use window::Window;
