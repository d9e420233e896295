//! How `upset` starts a program so that its CUDA calls come to our library, and
//! how it learns what they did: the side outside of the program's process.
//!
//! [`install`] writes the facades, [`inspect`] tells beforehand what cannot
//! work, [`Launch`] runs the program and collects the records it sends.

#![allow(unsafe_code)]

mod carried;
mod confined;
mod convert;
mod error;
pub mod facade;
mod inspect;
mod install;
mod launch;
mod library;
mod loader;
mod paths;
mod process;
mod records;
mod settings;
mod signals;
mod socket;
mod streams;
mod walker;

pub use carried::carry;
pub use confined::{Confined, Limits, Ran};
pub use convert::{converter, machine_code};
pub use error::{Class, LaunchError};
pub use inspect::{Inspection, inspect};
pub use install::{Installed, install};
pub use launch::{Launch, Outcome};
pub use library::{find, library};
pub use loader::{Libraries, libraries};
pub use process::{End, die_of, signal_name};
pub use records::{Process, Records, Trapped, Unasked};
pub use settings::{Clock, Settings};
pub use upset_ptx::opens_converters;
pub use walker::{Arrived, Start, Walker};
