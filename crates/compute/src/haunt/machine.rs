//! Ghosts in the machine: where a bit is to them, and how a run becomes one.

use upset_mem::MemorySystem;
use upset_state::ghosts::{Space, WORDS, Words};
use upset_state::{Kind, Part, Place, Probe, Site};

use crate::machine::Machine;
use crate::sm::Sm;
use crate::view::UNIFORM_ROWS;

impl Machine {
    /// Whether differences of a bit can be followed from the start.
    pub fn can_haunt(site: Site) -> bool {
        site.array.is_followable()
    }

    /// The row and the bit of it that ghosts know a bit by.
    fn place_of(&self, site: Site) -> Option<(Place, Words)> {
        let (instance, bit) = (site.array.instance, site.bit);
        let word = |place: Place, word: u64, bit: u64| {
            let mut words = [0; WORDS];
            words[word as usize % WORDS] = 1 << (bit % 32);
            Some((place, words))
        };
        match site.array.kind {
            _ if site.array.part != Part::Data => None,
            Kind::Rf => word(Place::rf(instance, (bit / 1024) as u32), bit / 32 % 32, bit),
            Kind::Pred => word(Place::pred(instance, (bit / 32) as u32), 0, bit),
            Kind::Upred => {
                let mut words = [0; WORDS];
                words[0] = !0;
                Some((Place::upred(instance, bit as u32), words))
            }
            Kind::Ureg => {
                let row = (bit / 32) as u32;
                let (slot, r) = (row / UNIFORM_ROWS, row % UNIFORM_ROWS);
                word(Place::ureg(instance, slot, r), u64::from(r % 32), bit)
            }
            Kind::Smem => word(Place::smem(instance, (bit / 8) as u32), bit / 32 % 32, bit),
            Kind::Ibuf => word(Place::ibuf(instance, (bit / 128) as u32), bit / 32 % 4, bit),
            Kind::Cache(number) => {
                let bits = match self.mem.l2_number() == Some(number) {
                    true => 1024,
                    false => {
                        let sm = self.sms().get(instance as usize)?;
                        let levels = [&sm.l1d, &sm.l1t, &sm.l1c, &sm.l1i];
                        let level = levels.into_iter().find(|l| l.number() == Some(number))?;
                        u64::from(level.line_bytes()) * 8
                    }
                };
                let row = (bit / bits) as u32;
                word(Place::line(number, instance, row), bit % bits / 32, bit)
            }
            Kind::Gmem | Kind::Lmem => {
                let addr = self.mem.address_of(site.array, bit / 8)?;
                word(Place::memory(addr), addr / 4 % 32, addr % 4 * 8 + bit % 8)
            }
            Kind::Pc | Kind::Mask | Kind::Conv | Kind::Sb => None,
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
        let now = self.cycle();
        let (sms, mem) = self.haunted_parts();
        let_go(sms, mem, now, probe, part);
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
pub(crate) fn let_go<P: Probe>(
    sms: &mut [Sm],
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
                change(sms, mem, place, words);
            }
        }
        mem.become_ghost_in_flight(g, ghost);
        sms.iter_mut().for_each(|sm| sm.become_ghost_in_flight(g, ghost));
        g.clear_all();
    }
}

/// Changes bits of a row.
fn change(sms: &mut [Sm], mem: &mut MemorySystem, place: Place, words: &Words) {
    match place.space() {
        Space::Rf { file, row } => {
            let subs = sms.first().map_or(1, |sm| sm.subs.len() as u32);
            let sm = sms.get_mut((file / subs) as usize);
            let row = sm.and_then(|sm| sm.subs[(file % subs) as usize].rf.get_mut(row as usize));
            row.into_iter().for_each(|row| {
                row.iter_mut().zip(words).for_each(|(r, w)| *r ^= w);
            });
        }
        Space::Pred { sm, row } | Space::Upred { sm, row } => {
            let Some(sm) = sms.get_mut(sm as usize) else { return };
            let Some(warp) = sm.warps.get_mut(row as usize / 7) else { return };
            let set = match place.space() {
                Space::Pred { .. } => &mut warp.preds,
                _ => &mut warp.upreds,
            };
            set[row as usize % 7] ^= words[0];
        }
        Space::Ureg { sm, half } => {
            let Some(sm) = sms.get_mut(sm as usize) else { return };
            let Some(warp) = sm.warps.get_mut(half as usize / 2) else { return };
            let first = half as usize % 2 * WORDS;
            warp.uregs[first..first + WORDS].iter_mut().zip(words).for_each(|(r, w)| *r ^= w);
        }
        Space::Smem { sm, chunk } => {
            let at = chunk as usize * 128;
            let Some(sm) = sms.get_mut(sm as usize) else { return };
            let end = sm.smem.len().min(at + 128);
            if let Some(bytes) = sm.smem.get_mut(at..end) {
                upset_state::ghosts::apply_words(words, bytes);
            }
        }
        Space::Ibuf { sm, row } => {
            let Some(sm) = sms.get_mut(sm as usize) else { return };
            let capacity = sm.warps.first().map_or(1, |w| u32::from(w.ibuf.capacity()));
            let Some(warp) = sm.warps.get_mut((row / capacity) as usize) else { return };
            let xor = (0..4).fold(0u128, |x, i| x | u128::from(words[i]) << (32 * i));
            warp.ibuf.entries[(row % capacity) as usize].bits ^= xor;
        }
        Space::Line { cache, instance, row } if mem.l2_number() == Some(cache) => {
            mem.become_ghost(Some((instance, row)), 0, words);
        }
        Space::Line { cache, instance, row } => {
            let Some(sm) = sms.get_mut(instance as usize) else { return };
            let levels = [&mut sm.l1d, &mut sm.l1t, &mut sm.l1c, &mut sm.l1i];
            let level = levels.into_iter().find(|l| l.number() == Some(cache));
            level.into_iter().for_each(|l| l.become_ghost(row, words));
        }
        Space::Memory { line } => mem.become_ghost(None, line, words),
        // Changed where they are.
        Space::Flight { .. } => {}
    }
}
