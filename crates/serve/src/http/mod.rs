//! As much of HTTP as a page that is only read needs: one request per
//! connection, a bounded number of them, each with a limit of time and size.

mod event;
mod pool;
mod request;
mod response;
mod site;
mod streams;

pub use event::Event;
pub use pool::{Pool, start};
pub use request::Request;
pub use response::Response;
pub use site::{Answer, Site};
pub use streams::Streams;
