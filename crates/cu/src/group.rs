//! Compute units that share a scalar and an instruction cache.

use upset_mem::FirstLevel;
use upset_state::ArrayId;
use upset_state::kind::Per;

use crate::config::client;
use crate::cu::Cu;
use crate::shared::Shared;

/// What a step of a compute unit works with.
pub(crate) type Cx<'k, P> = upset_machine::Cx<'k, Group, P>;

/// A group of compute units.
#[derive(Clone)]
pub struct Group {
    pub(crate) id: u32,
    pub(crate) cus: Vec<Cu>,
    pub(crate) shared: Shared,
    /// Where the search for room begins.
    pub(crate) next_cu: usize,
    pub(crate) waiters: Vec<u32>,
    pub(crate) wake: u64,
    /// When the dispatcher last asked.
    pub(crate) asked: u64,
}

impl Group {
    pub(crate) fn next_wake(&mut self) {
        self.wake = self.cus.iter().map(|cu| cu.wake).fold(u64::MAX, u64::min);
    }

    /// The cache of a client.
    pub(crate) fn level(&self, which: u8) -> Option<&FirstLevel> {
        match which {
            client::SCALAR => Some(&self.shared.l1s),
            client::INSTRUCTION => Some(&self.shared.l1i),
            cu => self.cus.get(usize::from(cu)).map(|cu| &cu.l1v),
        }
    }

    /// All caches.
    pub(crate) fn levels_mut(&mut self) -> impl Iterator<Item = &mut FirstLevel> {
        let Shared { l1s, l1i } = &mut self.shared;
        self.cus.iter_mut().map(|cu| &mut cu.l1v).chain([l1s, l1i])
    }

    /// All caches, to be looked at.
    pub(crate) fn levels(&self) -> impl Iterator<Item = &FirstLevel> {
        self.cus.iter().map(|cu| &cu.l1v).chain([&self.shared.l1s, &self.shared.l1i])
    }

    /// The compute unit that an array of compute units or SIMD units is in.
    pub(crate) fn cu_of(&self, array: ArrayId) -> Option<&Cu> {
        let simds = self.cus.first().map_or(1, |cu| cu.simds.len() as u32);
        let cu = match array.kind.about().per {
            Per::SubCore => array.instance / simds,
            _ => array.instance,
        };
        self.cus.iter().find(|c| c.id == cu)
    }
}
