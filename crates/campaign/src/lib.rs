//! Plans, runs and resumes campaigns.
//!
//! A campaign has a specification ([`Spec`]). For every application on every
//! chip it makes the fault-free run, plans strata, draws experiments, finds
//! those that the fault-free run proves to be masked, and has the others run by
//! worker processes. Only the coordinator writes the store.

mod chips;
pub mod choices;
pub mod costs;
mod desk;
mod difference;
pub mod doors;
mod error;
pub mod exhaustive;
mod flags;
pub mod folder;
mod forecast;
mod found;
pub mod golden;
mod hit;
mod intents;
pub mod judge;
mod known;
mod line;
mod occupancy;
mod open;
mod options;
mod plan;
mod pool;
mod processors;
pub mod programs;
mod progress;
mod rounds;
mod run;
mod setup;
pub mod shards;
mod size;
mod spec;
mod stuck;
mod subject;
pub mod tables;
mod verify;
mod walk;
mod walker;
pub mod watched;
mod wire;
pub mod worker;
mod workload;

pub use error::CampaignError;
pub use flags::{ComparisonFlags, Flags};
pub use forecast::{Forecast, forecast};
pub use intents::intents;
pub use options::{Begin, Options};
pub use progress::{Counted, Observer, Progress};
pub use run::{Done, run};
pub use shards::ShardOf;
pub use size::Plan;
pub use spec::{DEFAULT_RUNS, Sms, Spec, confidence, share};
pub use verify::{Choice, Difference, Verified, verify};
