//! What is served, as connections see it.

use super::event::Event;
use super::request::Request;
use super::response::Response;

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
