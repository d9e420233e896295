//! Ghosts in the machine: where they begin, and how a run becomes one.

use upset_mem::MemorySystem;
use upset_state::ghosts::{Space, WORDS, Words};
use upset_state::kind::Per;
use upset_state::{Kind, Part, Place, Probe, Site};

use crate::core::Core;
use crate::machine::Machine;

impl<C: Core> Machine<C> {
    /// Whether differences of a bit can be followed from the start.
    pub fn can_haunt(site: Site) -> bool {
        site.array.is_followable()
    }

    /// The row and the bit of it that ghosts know a bit by.
    fn place_of(&self, site: Site) -> Option<(Place, Words)> {
        if site.array.part != Part::Data {
            return None;
        }
        let (kind, instance, bit) = (site.array.kind, site.array.instance, site.bit);
        let in_word = |word: u64, bit: u64| {
            let mut words = [0; WORDS];
            words[word as usize % WORDS] = 1 << (bit % 32);
            words
        };
        match (kind.about().per, kind) {
            (Per::Chip, _) => {
                let addr = self.mem.address_of(site.array, bit / 8)?;
                Some((Place::memory(addr), in_word(addr / 4 % 32, addr % 4 * 8 + bit % 8)))
            }
            (_, Kind::Cache(number)) if self.mem.l2_number() == Some(number) => {
                let row = (bit / 1024) as u32;
                Some((Place::line(number, instance, row), in_word(bit % 1024 / 32, bit)))
            }
            _ => self.cores.get(C::core_of(&self.config, site.array))?.place_of(site),
        }
    }

    /// Flips the bits of ghosts whose cycle has come.
    pub(crate) fn plant_due<P: Probe>(&self, probe: &mut P) {
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
    }

    /// Lets ghosts leave that must, between two steps.
    pub fn let_ghosts_go<P: Probe>(
        &mut self,
        probe: &mut P,
        part: &mut dyn FnMut(u32, u64) -> bool,
    ) {
        let_go(&mut self.cores, &mut self.mem, self.now, probe, part);
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
        self.mem.note_ghosts_of(addr, len, probe);
        let Some(g) = probe.ghosts() else { return };
        for (ghost, ..) in std::mem::take(&mut g.noted) {
            g.mark_used(ghost);
            g.leave(ghost);
        }
        self.let_ghosts_go(probe, part);
    }
}

/// Lets ghosts leave that must.
pub(crate) fn let_go<C: Core, P: Probe>(
    cores: &mut [C],
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
                change(cores, mem, place, words);
            }
        }
        mem.become_ghost_in_flight(g, ghost);
        cores.iter_mut().for_each(|core| core.become_ghost_in_flight(g, ghost));
        g.clear_all();
    }
}

/// Changes bits of a row.
fn change<C: Core>(cores: &mut [C], mem: &mut MemorySystem, place: Place, words: &Words) {
    match place.space() {
        Space::Line { cache, instance, row } if mem.l2_number() == Some(cache) => {
            mem.become_ghost(Some((instance, row)), 0, words);
        }
        Space::Memory { line } => mem.become_ghost(None, line, words),
        // Changed where they are.
        Space::Flight { .. } => {}
        _ => C::change(cores, place, words),
    }
}
