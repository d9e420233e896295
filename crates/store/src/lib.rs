//! The file that a campaign is kept in.
//!
//! A store is one SQLite file. The coordinator of a campaign alone writes it
//! ([`Store`]), anyone may read it meanwhile ([`Store::read`], [`Reader`],
//! [`Follower`]).
//! Killed at any moment it holds what was committed; damaged at any place it is
//! refused. docs/store.md describes the schema.

mod check;
mod db;
mod error;
pub mod export;
mod follow;
mod fresh;
mod lock;
mod merge;
pub mod model;
mod paths;
mod pieces;
mod reader;
mod record;
mod results_digest;
mod rows;
mod schema;
mod shard;
mod store;
mod table;
mod tally;

pub use error::StoreError;
pub use follow::{Follower, Key};
pub use merge::{Merged, merge};
pub use model::*;
pub use reader::Reader;
pub use results_digest::ResultsDigest;
pub use schema::{APPLICATION_ID, VERSION};
pub use shard::{Shard, ShardPart};
pub use store::{Digests, Store};
