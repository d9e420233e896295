//! How good the tests of a GPU are: on the model, with faults whose place is
//! known.
//!
//! A [`Grader`] runs one test of `upset burn` on the simulated chip, once in
//! order and then with one fault at a time, and says of each what came of it
//! ([`Grade`]). Faults are listed ([`list`]) with their true place
//! ([`truth`]); what graders say is counted ([`Counts`]), and of many tests a
//! small set is picked ([`smallest`]). gpu-burn's method is graded beside them
//! ([`rival`]). `docs/grading.md` has what came of it.

#![forbid(unsafe_code)]

mod counts;
mod error;
mod grade;
mod grader;
pub mod list;
pub mod record;
pub mod rival;
mod smallest;
mod text;
pub mod truth;

pub use counts::Counts;
pub use error::GradeError;
pub use grade::{Grade, Nearness};
pub use grader::{Clean, Grader};
pub use list::{Ask, Listed, Pick};
pub use record::{Graded, Method, Record};
pub use smallest::{Step, smallest};
pub use text::render;
pub use truth::Truth;
