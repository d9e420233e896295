//! What is known of campaigns at a moment, from their stores alone.

mod campaign;
mod cost;
mod files;
mod looks;
mod pace;
mod shards;
mod snapshot;
mod writer;

pub use looks::Looks;
pub use pace::Left;
pub use snapshot::{Campaign, Failed, Panel, Row, Snapshot, State, StoreState};
