//! Ghosts in a compute unit: what instructions make of their differences, and
//! when they must leave.
//!
//! Before an instruction issues, every ghost that differs in one of its
//! operands is looked at: where the wave would go elsewhere, or other lanes or
//! addresses would be accessed, or EXEC or MODE would be others, it must leave.
//! For the rest the instruction is evaluated again with the ghost's operands.

mod access;
mod leave;
pub(crate) mod shadows;
mod share;
mod view;
mod written;

use upset_state::Ghosts;

use crate::cu::Cu;
use shadows::Shadow;

impl Cu {
    /// This run is no longer followed.
    pub(crate) fn forget_ghosts(&mut self) {
        for index in std::mem::take(&mut self.shadows.accesses).into_keys() {
            self.accesses[index].haunted = false;
        }
    }

    /// Gives a ghost's differences to what is in flight here.
    pub(crate) fn become_ghost_in_flight(&mut self, _: &Ghosts, ghost: u32) {
        for (index, list) in std::mem::take(&mut self.shadows.accesses) {
            let a = &mut self.accesses[index];
            a.haunted = false;
            if let Some(own) = list.into_iter().find(|s| s.ghost == ghost) {
                a.raw = own.raw;
                a.returned = own.returned;
                a.operands = own.operands;
            }
        }
        self.shadows.issuing.clear();
    }

    /// A new access: ghosts have no part in it yet.
    pub(crate) fn haunt_access(&mut self, index: u32) {
        self.shadows.accesses.remove(&index);
    }

    /// An access is over.
    pub(crate) fn end_haunted(&mut self, index: u32) {
        self.shadows.accesses.remove(&index);
        self.accesses[index].haunted = false;
    }

    /// The ghosts' parts in an access are put back.
    fn keep_shadows(&mut self, index: u32, list: Vec<Shadow>) {
        self.accesses[index].haunted = !list.is_empty();
        if !list.is_empty() {
            self.shadows.accesses.insert(index, list);
        }
    }

    fn take_shadows(&mut self, index: u32) -> Vec<Shadow> {
        self.shadows.accesses.remove(&index).unwrap_or_default()
    }

    /// The right part in an access, as a ghost's that differs nowhere.
    fn right_shadow(&self, index: u32, ghost: u32) -> Shadow {
        let a = &self.accesses[index];
        Shadow { ghost, raw: a.raw, returned: a.returned.clone(), operands: a.operands }
    }
}
