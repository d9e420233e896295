//! Why an application did not finish.

use crate::manifest::ManifestError;
use upset_device::DeviceError;

/// A run that ended without outputs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppError {
    /// The device refused or trapped.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Its compiled code cannot be loaded.
    #[error("{app}'s code for {arch}: {error}")]
    Code {
        /// The application.
        app: String,
        /// What the code is for.
        arch: String,
        /// What is wrong with it.
        error: Box<DeviceError>,
    },
    /// The application's own host code met a value it cannot go on with: what
    /// would be an error exit or a segmentation fault of a real program.
    #[error("the application gave up: {0}")]
    Host(String),
    /// Who launches its kernels could not have one done.
    #[error("{0}")]
    Launcher(String),
    /// No compiled form fits the chip.
    #[error("{app} has no code for {arch}: it comes for {available}")]
    NoCode {
        /// The application.
        app: String,
        /// The chip's architecture.
        arch: String,
        /// What there is, for the message.
        available: String,
    },
    /// The chip is another vendor's than the code.
    #[error(
        "{app} is for {wanted} chips, and {chip} is {found}'s: choose another application \
         (`upset apps`) or another chip (`upset chips`)"
    )]
    OtherVendor {
        /// The application.
        app: String,
        /// Whose code it has.
        wanted: &'static str,
        /// The chip.
        chip: String,
        /// Whose it is.
        found: &'static str,
    },
    /// The folder's manifest or a file it names is wrong.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// No such application.
    #[error("no application {name:?}; there are {known}, or name a folder with an app.toml")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The built-in ids.
        known: String,
    },
}
