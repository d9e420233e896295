//! Where ghosts know a warp's registers.

use upset_state::{ArrayId, Kind, Place};

use crate::sm::Sm;
use crate::warp::{PRED_ROWS, UNIFORM_ROWS, code_place};

/// A warp: the arrays and rows that it has.
#[derive(Clone, Copy)]
pub(crate) struct Whose {
    sm: u32,
    slot: u32,
    file: u32,
    first_row: u32,
}

impl Whose {
    pub(super) fn place(&self, r: u8) -> Place {
        Place::of_row(ArrayId::data(Kind::Rf, self.file), self.first_row + u32::from(r))
    }

    pub(super) fn pred(&self, p: u8) -> Place {
        self.predicate(Kind::Pred, p)
    }

    pub(super) fn upred(&self, p: u8) -> Place {
        self.predicate(Kind::Upred, p)
    }

    pub(super) fn code(&self, flag: usize) -> Place {
        code_place(self.sm, self.slot, flag)
    }

    fn predicate(&self, kind: Kind, p: u8) -> Place {
        Place::of_row(ArrayId::data(kind, self.sm), self.slot * PRED_ROWS + u32::from(p))
    }

    /// Place and word of a uniform register.
    pub(super) fn ureg(&self, r: u8) -> (Place, usize) {
        let row = self.slot * UNIFORM_ROWS + u32::from(r);
        (Place::of_row(ArrayId::data(Kind::Ureg, self.sm), row), row as usize % 32)
    }
}

impl Sm {
    pub(super) fn whose(&self, slot: u32) -> Whose {
        Whose {
            sm: self.id,
            slot,
            file: self.id * self.files.len() as u32 + self.file_of(slot) as u32,
            first_row: self.warps[slot as usize].first_row,
        }
    }
}
