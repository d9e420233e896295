//! Changes of bits: planned, carried out, and remembered.

use upset_state::registry::with_array;
use upset_state::{ArrayId, Change, Probe};

use crate::core::Core;
use crate::machine::Machine;
use crate::strikes::{Owned, Strikes};

impl<C: Core> Machine<C> {
    /// From now on remembers what the bits that are changed belong to.
    pub fn record_hits(&mut self) {
        self.hits.get_or_insert_default();
    }

    /// The changes so far, if somebody wanted to know.
    pub fn hits(&self) -> Option<&Strikes> {
        self.hits.as_ref()
    }

    /// Plans a change of bits; it happens before anything else in its cycle.
    pub fn plan(&mut self, cycle: u64, change: Change) {
        self.changes.entry(cycle).or_default().push(change);
    }

    /// Carries out the planned changes whose cycle has come: before anything
    /// else in that cycle, be it done by a kernel or by the host.
    pub fn apply_due<P: Probe>(&mut self, probe: &mut P) {
        self.look_due();
        while let Some(soonest) = self.changes.first_entry() {
            if *soonest.key() > self.now {
                break;
            }
            let due = soonest.remove();
            self.apply(&due, probe);
        }
        if P::GHOSTS {
            self.plant_due(probe);
        }
    }

    /// Changes bits now, one after the other.
    pub fn apply<P: Probe>(&mut self, changes: &[Change], probe: &mut P) {
        for of_array in changes.chunk_by(|a, b| a.site().array == b.site().array) {
            self.apply_in(of_array[0].site().array, of_array, probe);
        }
    }

    /// Changes bits of one array: it is looked for once, however many they are.
    fn apply_in<P: Probe>(&mut self, array: ArrayId, changes: &[Change], probe: &mut P) {
        let owned = self.hits.as_ref().map(|hits| {
            let mut owned = Owned::default();
            let room = Strikes::KEPT.saturating_sub(hits.first.len());
            changes.iter().for_each(|c| owned.add(self.owner(c.site()), room));
            owned
        });
        let mut before = Vec::new();
        with_array(self, array, |bits| {
            for change in changes {
                if owned.is_some() {
                    before.push(bits.get(change.site().bit));
                }
                match change {
                    Change::Flip(site) => bits.flip(site.bit),
                    Change::Hold(force) => bits.set(force.bit, force.value),
                    // These act at the next use.
                    Change::Begin(_) => {}
                    Change::LetGo(_) | Change::End(_) => {}
                }
            }
        });
        if let (Some(hits), Some(owned)) = (&mut self.hits, owned) {
            hits.add(self.now, changes, &before, owned);
        }
        let about = array.kind.about();
        let mut changed = false;
        for change in changes {
            match change {
                Change::Flip(_) => changed = true,
                Change::Hold(force) => {
                    probe.hold(*force);
                    changed = true;
                }
                Change::LetGo(force) => {
                    probe.let_go(*force);
                    // A wire is driven again, and a cell written: whoever waits
                    // may have looked while the bit was held.
                    changed = true;
                }
                Change::Begin(quirk) => {
                    probe.begin(*quirk);
                    changed = true;
                }
                Change::End(quirk) => {
                    probe.end(*quirk);
                    changed = true;
                }
            }
        }
        // Of an array that is no core's, some core: it forgets what it would find again.
        let i = C::core_of(&self.config, array);
        if let (true, Some(core)) = (changed, self.cores.get_mut(i)) {
            core.touched(self.now);
            if about.steers || about.wire {
                core.rouse(array.kind, self.now);
            }
            self.wakes[i] = core.wake();
        }
    }
}
