//! The C side: one function per entry of the runtime API, exported as
//! `upset_<name>`. A function is one entry in an `api!` list of the file of
//! its area; the [`names`] of all of them are what the facades offer.

mod call;
mod error;
mod launch;
mod memory;
mod registration;
mod symbol;

pub use call::missing;
pub use error::error_name;

/// Every function of the API that exists here.
pub fn names() -> impl Iterator<Item = &'static str> {
    [error::NAMES, launch::NAMES, memory::NAMES, registration::NAMES, symbol::NAMES]
        .into_iter()
        .flatten()
        .copied()
}
