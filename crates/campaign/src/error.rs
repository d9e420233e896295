//! Why a campaign did not go on.

use upset_apps::AppError;
use upset_chip::ChipError;
use upset_device::DeviceError;
use upset_fault::FaultError;
use upset_launcher::LaunchError;
use upset_store::StoreError;

/// A campaign that could not be planned or carried on.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A specification that makes no sense.
    #[error("{0}")]
    Spec(String),
    /// The chip.
    #[error(transparent)]
    Chip(#[from] ChipError),
    /// The application.
    #[error(transparent)]
    App(#[from] AppError),
    /// The device.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A structure, model or pattern.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The fault-free run is not what it must be.
    #[error("the fault-free run of {subject} {what}")]
    Golden {
        /// Application and chip.
        subject: String,
        /// What is wrong.
        what: String,
    },
    /// The program under test could not be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The program under test needs something that is not there.
    #[error("{0}")]
    Lacking(String),
    /// The program under test.
    #[error("{0}")]
    Program(String),
    /// Workers could not be started or kept dying.
    #[error("{0}")]
    Workers(String),
    /// Stopped by the user; everything so far is in the store.
    #[error("interrupted; go on with --resume")]
    Interrupted,
}
