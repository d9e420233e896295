//! What a GPU is to this project: one chip description, validated when built.
//!
//! A chip is a TOML file (the presets are in `chips/` and compiled in). Its
//! tables are the Specs of the components: SM, scheduler, registers, shared
//! memory, units, caches, memory, DRAM, interconnect, launch. A variant says
//! `extends = "rtx2060"` and what differs; single values are set with
//! `table.key=value`. [`import`] turns a GPGPU-Sim configuration into such a
//! file.
//!
//! Every key, its range and its meaning are rows of one table,
//! [`schema::FIELDS`]: checks, overrides and the reference in `docs/chips.md`
//! all come from there.

mod check;
mod describe;
mod describe_core;
mod error;
pub mod import;
mod inventory;
mod load;
mod model;
mod name;
mod nearest;
mod occupancy;
mod overrides;
mod presets;
mod rule;
pub mod schema;
mod spec;
mod text;
mod tree;
mod validate;
mod waves;
mod words;
mod write;

pub use describe::{ChipRow, render_list};
pub use error::{ChipError, SourcePlace};
pub use inventory::{ArrayBits, GPUFI4};
pub use model::sm::UNIT_GROUPS;
pub use occupancy::{KernelResources, Limit, Occupancy};
pub use presets::{PRESETS, Preset};
pub use schema::UNITS;
pub use spec::*;
pub use waves::{WaveLimit, WaveOccupancy, WaveResources};
pub use words::Words;
