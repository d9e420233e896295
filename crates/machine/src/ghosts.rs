//! Ghosts in the machine: where they begin, and how a run becomes one.

use upset_mem::{LINE, MemorySystem};
use upset_state::kind::Per;
use upset_state::place::{Space, bits_of};
use upset_state::registry::find_array;
use upset_state::words::{WORDS, Words};
use upset_state::{ArrayId, Bits, Layout, Part, Place, Probe, Site, Visit, Visitor};

use crate::core::Core;
use crate::machine::Machine;

impl<C: Core> Machine<C> {
    /// Whether differences of a bit can be followed from the start.
    pub fn can_haunt(site: Site) -> bool {
        site.array.is_followable()
    }

    /// The row and the bit of it that ghosts know a bit by.
    fn place_of(&mut self, site: Site) -> Option<(Place, Words)> {
        let Site { array, bit } = site;
        if array.part != Part::Data {
            return None;
        }
        if array.kind.about().per == Per::Chip {
            let addr = self.mem.address_of(array, bit / 8)?;
            // Memory is known by address, so that copies between ranges agree.
            let (_, words) = Place::of_bit(array, 1024, addr % LINE * 8 + bit % 8);
            return Some((Place::memory(addr), words));
        }
        let core = self.cores.get_mut(C::core_of(&self.config, array));
        let row_bits = row_bits(core, &mut self.mem, array)?;
        Some(Place::of_bit(array, row_bits, bit))
    }

    /// Flips the bits of ghosts whose cycle has come.
    pub(crate) fn plant_due<P: Probe>(&mut self, probe: &mut P) {
        let Some(g) = probe.ghosts() else { return };
        while let Some((ghost, flips)) = g.next_due(self.cycle()) {
            for site in flips {
                // Of memory that does not exist now a flip is lost, in any run.
                if let Some((place, xor)) = self.place_of(site) {
                    let mut words = g.of_ghost(place, ghost).copied().unwrap_or([0; WORDS]);
                    words.iter_mut().zip(&xor).for_each(|(w, x)| *w ^= x);
                    g.put(place, ghost, &words);
                }
            }
        }
        g.uncover(self.cycle());
    }

    /// Lets ghosts leave that must, between two steps.
    pub fn let_ghosts_go<P: Probe>(
        &mut self,
        probe: &mut P,
        part: &mut dyn FnMut(u32, u64) -> bool,
    ) {
        let_go(&mut self.cores, &self.config, &mut self.mem, self.now, probe, part);
    }

    /// Ghosts that differ in bytes which the host carries and is about to look at
    /// must leave; without a range, in any that it has got.
    pub fn host_looks_at_carried<P: Probe>(
        &mut self,
        range: Option<(u64, u64)>,
        probe: &mut P,
        part: &mut dyn FnMut(u32, u64) -> bool,
    ) {
        let Some(g) = probe.ghosts() else { return };
        let who = match range {
            Some((at, len)) => g.in_host(at, len),
            None => g.told_otherwise(),
        };
        who.into_iter().for_each(|ghost| g.leave(ghost));
        self.let_ghosts_go(probe, part);
    }

    /// Ghosts that differ in bytes which the host is about to read must leave.
    pub fn host_looks<P: Probe>(
        &mut self,
        addr: u64,
        len: u64,
        probe: &mut P,
        part: &mut dyn FnMut(u32, u64) -> bool,
    ) {
        if !P::GHOSTS || probe.ghosts().is_none_or(|g| g.is_calm()) {
            return;
        }
        let who = self.mem.ghosts_in(addr, len, probe);
        let Some(g) = probe.ghosts() else { return };
        for ghost in who {
            g.mark_used(ghost);
            g.leave(ghost);
        }
        self.let_ghosts_go(probe, part);
    }
}

/// Lets ghosts leave that must.
pub(crate) fn let_go<C: Core, P: Probe>(
    cores: &mut [C],
    config: &C::Config,
    mem: &mut MemorySystem,
    now: u64,
    probe: &mut P,
    part: &mut dyn FnMut(u32, u64) -> bool,
) {
    let Some(g) = probe.ghosts() else { return };
    while let Some(ghost) = g.next_leaving() {
        if !part(ghost, now) {
            g.forget(ghost);
            continue;
        }
        for place in g.places(ghost) {
            if let Some(words) = g.of_ghost(place, ghost) {
                change(cores, config, mem, place, words);
            }
        }
        for Site { array, bit } in g.hidden(ghost) {
            let core = cores.get_mut(C::core_of(config, array));
            find(core, mem, array, |_, bits| bits.flip(bit));
        }
        mem.become_ghost_in_flight(g, ghost);
        cores.iter_mut().for_each(|core| core.become_ghost_in_flight(g, ghost));
        g.become_one(ghost);
    }
}

/// Changes the bits of a place.
fn change<C: Core>(
    cores: &mut [C],
    config: &C::Config,
    mem: &mut MemorySystem,
    place: Place,
    words: &Words,
) {
    match place.space() {
        Space::Memory { line } => mem.become_ghost(line, words),
        // Changed where they are; by whoever has them.
        Space::Flight { .. } | Space::Host { .. } => {}
        Space::Array { array, group } => {
            let core = cores.get_mut(C::core_of(config, array));
            find(core, mem, array, |layout, bits| {
                bits_of(array, group, layout.row_bits(), words).for_each(|bit| bits.flip(bit));
            });
        }
    }
}

/// Does something with an array that is in a core or below.
fn find<C: Core, R>(
    core: Option<&mut C>,
    mem: &mut MemorySystem,
    array: ArrayId,
    f: impl FnOnce(&Layout, &mut dyn Bits) -> R,
) -> Option<R> {
    let all = |v: &mut dyn Visitor| {
        if let Some(core) = core {
            core.visit(v);
            core.visit_hidden(v);
        }
        mem.visit(v);
    };
    find_array(all, array, f)
}

/// Bits of a row of an array.
fn row_bits<C: Core>(core: Option<&mut C>, mem: &mut MemorySystem, array: ArrayId) -> Option<u64> {
    find(core, mem, array, |layout, _| layout.row_bits())
}
