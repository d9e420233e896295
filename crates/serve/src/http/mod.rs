//! As much of HTTP as a page that is only read needs: one request per
//! connection, a bounded number of them, each with a limit of time and size.

mod pool;
mod request;
mod response;
mod streams;

pub use pool::{Pool, start};
pub use request::Request;
pub use response::Response;
pub use streams::{Event, Streams};

/// What a request gets.
pub enum Answer {
    /// All of it, now.
    Whole(Response),
    /// What is shown on a page, now and whenever it changes.
    Stream {
        /// The page.
        page: String,
    },
}

/// What is served.
pub trait Site: Send + Sync {
    /// The answer to a request.
    fn answer(&self, request: &Request) -> Answer;

    /// What a page shows now; `None` where there is no such page.
    fn event(&self, page: &str) -> Option<Event>;
}
