//! AMD's chips: work-groups, and what their waves do.

mod addresses;
mod back;
mod compute;
mod effect;
mod held;
mod life;
mod matters;
mod memory;
#[cfg(test)]
mod tests;
mod trace;
mod way;
mod written;

use upset_cu::{Issued, Kernel, Stage, Step};
use upset_state::{Event, Kind};

use crate::clock::Launches;
use crate::refined::Refined;
use crate::tables::{at, entry};
use back::{Subject, back};
use held::{Given, Held};
use life::Arrival;
use trace::Trace;
use written::Written;

/// Words of operands that the traces of all work-groups may hold. When there
/// are more, the longest is dealt with in parts.
const MOST_VALUES: usize = 1 << 27;

/// What is known of the work-groups that run.
#[derive(Default)]
pub(crate) struct Front {
    /// The kernel that runs.
    running: Option<Kernel>,
    /// By compute unit and work-group slot.
    groups: Vec<Vec<Option<Group>>>,
    /// By compute unit and wave slot: work-group slot and number of the wave.
    places: Vec<Vec<(u32, u32)>>,
    /// By compute unit and number of an access: the work-group slot.
    accesses: Vec<Vec<u32>>,
    written: Written,
    held: Held,
    /// Words in all traces.
    values: usize,
}

struct Group {
    index: u64,
    trace: Trace,
    /// First byte of its LDS, and when its bytes were written before it came.
    lds: u32,
    lds_before: Vec<u64>,
    waves: Vec<Arrival>,
    /// Its trace up to this cycle was dealt with.
    continues: Option<u64>,
}

impl Front {
    /// An access to an array.
    pub(crate) fn event(&mut self, event: &Event) {
        self.written.event(event);
    }

    /// A kernel begins.
    pub(crate) fn launch(&mut self, kernel: &Kernel) {
        self.running = Some(kernel.clone());
    }

    /// Deals with a work-group's trace; with `cut` it goes on after that cycle.
    fn settle(
        &mut self,
        (cu, place): (usize, usize),
        cut: Option<u64>,
        launches: &Launches,
        to: &mut Refined,
    ) {
        let Some(kernel) = &self.running else { return };
        let Some(group) = self.groups.get_mut(cu).and_then(|g| g.get_mut(place)) else { return };
        let Some(group) = group else { return };
        let subject = Subject {
            code: &kernel.code,
            kernel: launches.kernel(),
            given: Given { vgprs: kernel.vgprs, sgprs: kernel.sgprs },
            lds_bytes: kernel.lds_taken,
            cu: cu as u32,
            lds: group.lds,
            lds_before: &group.lds_before,
            waves: &group.waves,
            cut,
            continues: group.continues,
        };
        back(&subject, &group.trace, launches, to);
        self.values -= group.trace.values.len();
        group.trace.cut();
        group.continues = cut;
    }

    /// Deals with all that is there.
    pub(crate) fn settle_all(&mut self, launches: &Launches, to: &mut Refined) {
        for cu in 0..self.groups.len() {
            for place in 0..self.groups[cu].len() {
                self.settle((cu, place), None, launches, to);
                self.groups[cu][place] = None;
            }
        }
    }

    /// An instruction reads its operands.
    pub(crate) fn issued(&mut self, i: &Issued<'_>, launches: &Launches, to: &mut Refined) {
        let (cu, place) = (i.cu as usize, i.place as usize);
        let there = entry(&mut self.groups, cu, place);
        if there.as_ref().is_some_and(|g| g.index != i.group) {
            self.settle((cu, place), None, launches, to);
            self.groups[cu][place] = None;
        }
        *at(&mut self.places, cu, i.slot) = (i.place, i.wave);
        let Some(kernel) = &self.running else { return };
        let written = &self.written;
        let group = self.groups[cu][place].get_or_insert_with(|| Group {
            index: i.group,
            trace: Trace::default(),
            lds: i.lds,
            lds_before: written.of(Kind::Lds, i.cu, i.lds, kernel.lds_taken),
            waves: Vec::new(),
            continues: None,
        });
        let wave = i.wave as usize;
        if group.waves.len() <= wave {
            group.waves.resize(wave + 1, Arrival::default());
        }
        if !group.waves[wave].came {
            group.waves[wave] = Arrival::new(i, written);
        }
        let before = group.trace.values.len();
        let given = Given { vgprs: kernel.vgprs, sgprs: kernel.sgprs };
        group.trace.issued(i, given, &mut self.held);
        self.values += group.trace.values.len() - before;
        if self.values > MOST_VALUES {
            let longest = self.longest();
            self.settle(longest, Some(i.cycle), launches, to);
        }
    }

    /// The work-group with the longest trace.
    fn longest(&self) -> (usize, usize) {
        let all = self.groups.iter().enumerate().flat_map(|(cu, groups)| {
            let of = |g: &Option<Group>| g.as_ref().map_or(0, |g| g.trace.values.len());
            groups.iter().enumerate().map(move |(place, g)| (of(g), (cu, place)))
        });
        all.max_by_key(|(len, at)| (*len, std::cmp::Reverse(*at))).map_or((0, 0), |(_, at)| at)
    }

    /// A memory instruction goes on.
    pub(crate) fn stepped(&mut self, step: &Step) {
        let cu = step.cu as usize;
        let place = match step.stage {
            Stage::Begun { slot } => {
                let (place, wave) = *at(&mut self.places, cu, slot);
                *at(&mut self.accesses, cu, step.access) = place;
                if let Some(group) = entry(&mut self.groups, cu, place as usize) {
                    group.trace.begun(wave, step.access);
                }
                return;
            }
            Stage::Taken | Stage::Shared | Stage::Completed => {
                *at(&mut self.accesses, cu, step.access)
            }
        };
        if let Some(group) = entry(&mut self.groups, cu, place as usize) {
            group.trace.stepped(step.cycle, step.access, step.stage);
        }
    }
}
