//! What can go wrong before anything is served.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Somebody else has the port.
    #[error(
        "{0} is in use by another program: name another port, e.g. {1}, or port 0 for any free one"
    )]
    InUse(SocketAddr, SocketAddr),
    /// The system does not let us listen there.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// An address that is none.
    #[error("{0:?} is no address: give e.g. 127.0.0.1:8717, [::1]:8717 or a port alone")]
    Address(String),
    /// Nothing is there to show.
    #[error("there is no {}: name a store of a campaign, or a folder of stores", .0.display())]
    Missing(PathBuf),
    /// The system has no random bytes.
    #[error("cannot make a token: {0}")]
    Token(io::Error),
    /// The system has no threads left.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
}
