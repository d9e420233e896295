//! Results re-read under parity or SEC-DED codes.
//!
//! Exact where it follows from the fault alone; what would need another
//! simulation is counted as such. `docs/report.md` has the rules.

mod scheme;
mod site;
mod summary;
mod total;
mod verdict;

pub use scheme::{Ecc, EccError, Scheme};
pub use summary::Protected;
pub use total::ProtectedTotal;
pub use verdict::{Known, Verdict, verdict};

pub(crate) use summary::protect;
pub(crate) use total::total;
