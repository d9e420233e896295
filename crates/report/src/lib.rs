//! Tables, charts and pages from stores.
//!
//! [`Report::new`] turns loaded stores into numbers: [`Report::text`],
//! [`Report::json`] and [`Report::html`] show them. [`Versus::new`] compares two sides. What the numbers are:
//! `docs/metrics.md`; what the pages show: `docs/report.md`.

mod ace;
mod breakdown;
mod cell;
mod chips;
mod compare;
pub mod ecc;
mod html;
mod idle;
mod json;
mod name;
mod not_begun;
mod noticed;
pub mod number;
mod options;
pub mod page;
mod palette;
mod panel;
mod provenance;
mod raw_fit;
mod replay;
mod report;
mod row;
mod sample;
mod scope;
mod shape;
mod text;
mod total;
mod versus;
mod worst;

pub use ace::{AceBound, AceBounds};
pub use breakdown::{Breakdown, HeatMap, Slot, Spot};
pub use chips::{ChipChange, ChipUsed};
pub use compare::{Compared, Comparison};
pub use html::escape::esc;
pub use noticed::{OfClass, Share, Smallest, Watched, WatchedRow};
pub use number::percent_with;
pub use options::Options;
pub use palette::{Colour, colour_of, palette};
pub use panel::{Panel, Variant};
pub use provenance::{Source, ToolError};
pub use raw_fit::{RawFit, RawFitError, RawFits};
pub use replay::replay_command;
pub use report::Report;
pub use row::Row;
pub use shape::{Bin, Cause, Shape};
pub use total::{KernelTotal, StructureTotal, Total};
pub use versus::{Differing, Figure, Level, Line, Match, Name, Side, Versus};
pub use worst::WorstSdc;
