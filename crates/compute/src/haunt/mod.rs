//! Ghosts in the SM: what instructions make of their differences, and when
//! they must leave.
//!
//! Before an instruction issues, every ghost that differs in one of its
//! operands is looked at: where control flow or the course of a memory access
//! would be others, it must leave. For the rest the instruction
//! is evaluated again with the ghost's operands, and the result travels beside
//! the right one until it is written.

mod access;
mod elsewhere;
mod leave;
mod operands;
mod result;
pub(crate) mod shadows;
pub(crate) mod shared;
mod target;
mod whose;

pub(crate) use leave::wrong_code;
pub(crate) use result::unreachable_env;

use upset_state::Ghosts;

use crate::sm::Sm;
use crate::view::{Constants, View};

impl Sm {
    fn view<'a>(&'a self, slot: u32, constants: &'a Constants) -> View<'a> {
        View::of(&self.files, &self.warps[slot as usize], constants)
    }

    /// This run is no longer followed.
    pub(crate) fn forget_ghosts(&mut self) {
        self.shadows.boards.clear();
        for index in std::mem::take(&mut self.shadows.writes).into_keys() {
            self.writes[index].haunted = false;
        }
        for index in std::mem::take(&mut self.shadows.accesses).into_keys() {
            self.accesses[index].haunted = false;
        }
    }

    /// Gives a ghost's differences to what is in flight here.
    pub(crate) fn become_ghost_in_flight(&mut self, ghosts: &Ghosts, ghost: u32) {
        // Where somebody is followed no look is left out.
        self.subs.iter_mut().for_each(|sub| sub.sched.forget_refusals(u64::MAX));
        for board in std::mem::take(&mut self.shadows.boards) {
            if board.ghost == ghost {
                let scoreboard = &mut self.warps[board.slot as usize].scoreboard;
                scoreboard.end(&board.right);
                scoreboard.begin(&board.own);
                self.writes[board.index].written = board.own;
            }
        }
        for (index, list) in std::mem::take(&mut self.shadows.writes) {
            let wb = &mut self.writes[index];
            wb.haunted = false;
            if let Some(w) = list.into_iter().find(|w| w.ghost == ghost) {
                wb.inst = w.inst;
                wb.mask = w.mask;
                wb.results = w.results;
                wb.flags = w.flags;
            }
        }
        for (index, list) in std::mem::take(&mut self.shadows.accesses) {
            let a = &mut self.accesses[index];
            a.haunted = false;
            if let Some((_, shadow)) = list.into_iter().find(|(g, _)| *g == ghost) {
                a.data = shadow.data;
                a.old = shadow.old;
                // Where it goes elsewhere, it does so by as many lines.
                (a.mask, a.done, a.shared) = (shadow.mask, shadow.done, shadow.shared);
                (a.addrs, a.lines) = (shadow.addrs, shadow.lines);
                if let (Some((_, to)), Some(from)) = (a.tex.as_deref_mut(), shadow.tex) {
                    let (_, from) = *from;
                    to.lines = from.lines;
                }
            }
        }
        for level in self.levels_mut() {
            level.become_ghost_in_flight(ghosts, ghost);
        }
    }
}
