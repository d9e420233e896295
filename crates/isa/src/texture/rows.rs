//! Where a fetch puts what it read.

use super::op::TexOp;
use crate::{Dst, Inst, RZ};

/// The register that each of the fetched channels goes to, in the order of
/// [`fetch`](super::fetch)'s rows; [`RZ`] = none.
pub fn texture_rows(inst: &Inst, t: &TexOp) -> [u8; 4] {
    let first = if let Dst::Reg(d, _) = inst.dst { d } else { RZ };
    let channels = (t.channels & 15).count_ones() as usize;
    std::array::from_fn(|i| {
        let base = if i < 2 { first } else { t.dst2 };
        if i < channels { base.saturating_add(i as u8 & 1) } else { RZ }
    })
}
