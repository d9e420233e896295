//! Campaigns in shards on a cluster.
//!
//! [`submit`](fn@submit) makes a folder ([`Folder`]) with job files ([`script`]) and gives
//! them to Slurm: an array with a task for each shard, then a job that merges and
//! reports. [`Status`] tells how far they are, from the stores and from what the
//! tasks note; the queue is asked where there is one. docs/slurm.md is about all
//! of it.

mod array;
mod attempts;
mod commands;
mod error;
mod folder;
mod left;
mod limits;
mod plan;
mod queue;
mod quote;
pub mod script;
mod shards;
mod status;
mod submit;
mod text;

pub use error::SlurmError;
pub use folder::Folder;
pub use left::Left;
pub use plan::{Job, Plan, What};
pub use shards::{ShardState, State};
pub use status::Status;
pub use submit::{Request, Submitted, submit};
