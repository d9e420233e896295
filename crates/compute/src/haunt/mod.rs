//! Ghosts in the SM: what instructions make of their differences, and when
//! they must leave.
//!
//! Before an instruction issues, every ghost that differs in one of its
//! operands is looked at: where control flow, an address or the lanes of a
//! memory access would be others, it must leave. For the rest the instruction
//! is evaluated again with the ghost's operands, and the result travels beside
//! the right one until it is written.

mod access;
mod constants;
mod leave;
mod operands;
pub(crate) mod places;
mod result;
pub(crate) mod shared;
mod target;

pub(crate) use constants::{
    fetched, forget_constants, keep_constant, note_word, of_constant, of_noted,
};
pub(crate) use leave::wrong_code;
pub(crate) use result::unreachable_env;

use upset_isa::{Mask, PT, Results};
use upset_state::{Ghosts, Place, Probe};

use crate::access::Access;
use crate::cells::pred_row;
use crate::sm::{Cx, Sm};
use crate::view::{Constants, View};

/// A ghost's result on its way to the registers.
#[derive(Clone)]
pub(crate) struct GhostWrite {
    ghost: u32,
    mask: Mask,
    results: Results,
    preds: Option<([Mask; PT as usize], [Mask; PT as usize])>,
}

/// Ghosts' parts in what is in flight in an SM.
#[derive(Clone, Default)]
pub(crate) struct Shadows {
    writes: std::collections::BTreeMap<u32, Vec<GhostWrite>>,
    /// Whole accesses, of which only the data differ.
    accesses: std::collections::BTreeMap<u32, Vec<(u32, Box<Access>)>>,
}

impl Shadows {
    pub(crate) fn clear(&mut self) {
        self.writes.clear();
        self.accesses.clear();
    }

    /// Takes the ghosts' versions of an access.
    pub(crate) fn take_access(&mut self, index: u32) -> Vec<(u32, Box<Access>)> {
        self.accesses.remove(&index).unwrap_or_default()
    }

    /// Puts them back, if there are any.
    pub(crate) fn put_access(&mut self, index: u32, list: Vec<(u32, Box<Access>)>) {
        if !list.is_empty() {
            self.accesses.insert(index, list);
        }
    }
}

/// Which warp, for ghosts.
#[derive(Clone, Copy)]
pub(crate) struct Whose {
    sm: u32,
    slot: u32,
    file: u32,
    first_row: u32,
}

impl Whose {
    fn place(&self, r: u8) -> Place {
        Place::rf(self.file, self.first_row + u32::from(r))
    }
    fn pred(&self, p: u8) -> Place {
        Place::pred(self.sm, pred_row(self.slot, u32::from(p)))
    }
    fn upred(&self, p: u8) -> Place {
        Place::upred(self.sm, pred_row(self.slot, u32::from(p)))
    }
    fn ureg(&self, r: u8) -> Place {
        Place::ureg(self.sm, self.slot, u32::from(r))
    }
}

impl Sm {
    fn whose(&self, slot: u32) -> Whose {
        let (s, _) = self.place(slot);
        Whose {
            sm: self.id,
            slot,
            file: self.id * self.subs.len() as u32 + s as u32,
            first_row: self.warps[slot as usize].first_row,
        }
    }

    fn view(&self, slot: u32, constants: Constants) -> View<'_> {
        View::of(&self.subs, &self.warps[slot as usize], slot, constants)
    }

    /// A warp has started: predicates and uniform registers are zero for all.
    pub(crate) fn start_alike<P: Probe>(&self, slot: u32, cx: &mut Cx<'_, P>) {
        let Some(g) = cx.probe.ghosts().filter(|g| !g.is_calm()) else { return };
        let whose = self.whose(slot);
        for p in 0..PT {
            g.drop_row(whose.pred(p));
            g.drop_row(whose.upred(p));
        }
        g.drop_row(whose.ureg(0));
        g.drop_row(whose.ureg(32));
    }

    /// This run is no longer followed.
    pub(crate) fn forget_ghosts(&mut self) {
        for index in std::mem::take(&mut self.shadows.writes).into_keys() {
            self.writes[index].haunted = false;
        }
        for index in std::mem::take(&mut self.shadows.accesses).into_keys() {
            self.accesses[index].haunted = false;
        }
    }

    /// Gives a ghost's differences to what is in flight here.
    pub(crate) fn become_ghost_in_flight(&mut self, ghosts: &Ghosts, ghost: u32) {
        for (index, list) in std::mem::take(&mut self.shadows.writes) {
            let wb = &mut self.writes[index];
            wb.haunted = false;
            if let Some(w) = list.into_iter().find(|w| w.ghost == ghost) {
                wb.mask = w.mask;
                wb.results = w.results;
                wb.preds = w.preds;
            }
        }
        for (index, list) in std::mem::take(&mut self.shadows.accesses) {
            let a = &mut self.accesses[index];
            a.haunted = false;
            if let Some((_, shadow)) = list.into_iter().find(|(g, _)| *g == ghost) {
                a.data = shadow.data;
                a.old = shadow.old;
                if let (Some((_, to)), Some((_, from))) = (&mut a.tex, shadow.tex) {
                    to.lines = from.lines;
                }
            }
        }
        for level in self.levels_mut() {
            level.become_ghost_in_flight(ghosts, ghost);
        }
    }
}
