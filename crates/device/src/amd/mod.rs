//! What only AMD's code needs: modules, dispatches, and what an address or a
//! word of code is called.
//!
//! All of it is in [`Amd`], which the device holds, and in methods that the
//! files here add to the device.

mod app_sdk;
mod explain;
mod fit;
mod hsa;
mod kernel;
mod launch;
mod locals;
mod module;
mod modules;
mod run;
mod state;

pub(crate) use explain::wave_text;
pub(crate) use state::Amd;
