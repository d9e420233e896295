//! A page that shows campaigns while they run.
//!
//! ```text
//! stores ─► view (looks, at most once a second) ─► page, JSON, metrics ─► http ─► browsers
//! ```
//!
//! Stores are read and never written, in a process of its own: a campaign does
//! not know whether anybody looks. docs/live.md says what is shown.

mod address;
mod error;
mod http;
mod page;
mod server;
mod view;

pub use address::Address;
pub use error::ServeError;
pub use page::Print;
pub use server::{Options, Server, Stop};
