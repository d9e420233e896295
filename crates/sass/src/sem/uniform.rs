//! Instructions of the uniform datapath, by name. Each is the uniform twin of
//! a vector operation and shares its meaning.

pub use super::bits::{ubrev, uflo, upopc, uprmt};
pub use super::int::{uiadd3, uiadd3_64, uisetp, ulea};
pub use super::int_mul::{uimad, uimad_hi, uimad_wide};
pub use super::logic::ulop3;
pub use super::memory::{uldc, uldc_indexed};
pub use super::moves::{umov, up2ur, ur2up, usel};
pub use super::predicate::uplop3;
pub use super::shift::{ubmsk, usgxt, ushf};
pub use super::warp::voteu;
