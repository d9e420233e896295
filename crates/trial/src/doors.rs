//! By which doors wrong bits leave their arrays.
//!
//! A flipped bit changes nothing until it is used. So its first door, found in
//! the fault-free run, is the first door of the faulty run as well, with its
//! cycle. Doors after that one are those of the fault-free run: a faulty run
//! that went another way may come to others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use upset_state::{Access, ArrayId, By, Event, Part, Registry, Watch};

use crate::lifetimes::Sample;

/// A way out of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Door {
    /// An instruction used it where it was: an operand, a byte of shared
    /// memory, a line that a load hit in its first-level cache.
    Instruction,
    /// A first-level data or texture cache took it: a load that missed there
    /// and hit here.
    Load,
    /// A first-level constant or instruction cache took it.
    Fetch,
    /// It went to the level below.
    WriteBack,
    /// The host copied it out.
    Host,
    /// The machine used it on nobody's behalf.
    Machine,
}

impl Door {
    /// Every door.
    pub const ALL: [Door; 6] =
        [Door::Instruction, Door::Load, Door::Fetch, Door::WriteBack, Door::Host, Door::Machine];

    /// What an access lets out, if anything.
    pub fn of(access: Access, by: By) -> Option<Door> {
        match (access, by) {
            (Access::WriteBack, _) => Some(Door::WriteBack),
            (Access::CopyOut, _) | (Access::Read, By::Host) => Some(Door::Host),
            (Access::Read, By::Warp { .. }) => Some(Door::Instruction),
            // First-level caches are numbered data, texture, constant, instruction.
            (Access::Read, By::Level { client: 0 | 1, .. }) => Some(Door::Load),
            (Access::Read, By::Level { .. }) => Some(Door::Fetch),
            (Access::Read, By::Machine) => Some(Door::Machine),
            (
                Access::Write | Access::Fill | Access::Evict | Access::Allocate | Access::Release,
                _,
            ) => None,
        }
    }

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Door::Instruction => "instruction",
            Door::Load => "load",
            Door::Fetch => "fetch",
            Door::WriteBack => "write-back",
            Door::Host => "host",
            Door::Machine => "machine",
        }
    }

    /// Whether a kernel's load takes a bit out of a cache by it.
    pub fn is_load(self) -> bool {
        matches!(self, Door::Instruction | Door::Load)
    }
}

/// The first time that a bit went by a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Passage {
    /// The door.
    pub door: Door,
    /// When.
    pub cycle: u64,
    /// On whose behalf.
    pub by: By,
}

/// Finds the doors of samples while the fault-free run is watched.
#[derive(Debug, Default)]
pub struct Doors {
    samples: Vec<Sample>,
    /// By sample: the bit's number in its row.
    in_row: Vec<u64>,
    /// By sample; `None` where uses are not told.
    passages: Vec<Option<Vec<Passage>>>,
    /// Samples that may still leave, by row of their array.
    waiting: HashMap<(ArrayId, u32), Vec<u32>>,
}

impl Doors {
    /// Waits for events on these bits.
    pub fn new(registry: &Registry, samples: Vec<Sample>) -> Doors {
        let row_bits: HashMap<ArrayId, u64> =
            registry.arrays.iter().map(|l| (l.id, l.row_bits().max(1))).collect();
        let mut this = Doors { passages: vec![None; samples.len()], ..Doors::default() };
        this.in_row = vec![0; samples.len()];
        for (i, sample) in samples.iter().enumerate() {
            let array = sample.site.array;
            // Of tags and states no single use is told; in cycle 0 the host's
            // copies come before the flip (as in `Lifetimes`).
            let told = array.part == Part::Data && array.is_observed() && sample.cycle > 0;
            let Some(&bits) = row_bits.get(&array).filter(|_| told) else { continue };
            this.in_row[i] = sample.site.bit % bits;
            this.passages[i] = Some(Vec::new());
            let row = (sample.site.bit / bits) as u32;
            this.waiting.entry((array, row)).or_default().push(i as u32);
        }
        this.samples = samples;
        this
    }

    /// Something happened.
    pub fn event(&mut self, event: &Event) {
        let Doors { samples, in_row, passages, waiting } = self;
        let Some(here) = waiting.get_mut(&(event.array, event.row)) else { return };
        let door = Door::of(event.access, event.by);
        let ends = matches!(event.access, Access::Write | Access::Fill | Access::Evict);
        here.retain(|&i| {
            let i = i as usize;
            if event.cycle < samples[i].cycle || !event.covers(in_row[i]) {
                return true;
            }
            if let (Some(door), Some(through)) = (door, &mut passages[i])
                && !through.iter().any(|p| p.door == door)
            {
                through.push(Passage { door, cycle: event.cycle, by: event.by });
            }
            !ends
        });
    }

    /// By sample, in the order they were given: the doors in order of time.
    /// `None` where uses are not told.
    pub fn passages(&self) -> &[Option<Vec<Passage>>] {
        &self.passages
    }
}

/// A watch that finds doors, and where to read them afterwards.
pub fn watch(doors: Doors) -> (Watch, Arc<Mutex<Doors>>) {
    let shared = Arc::new(Mutex::new(doors));
    let seen = Arc::clone(&shared);
    let watch = Watch::observe(move |event| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).event(event);
    });
    (watch, shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::{Axis, Extent, Kind, Layout, Site};

    const L2: ArrayId = ArrayId::data(Kind::Cache(4), 0);
    const DATA: By = By::Level { sm: 1, client: 0 };

    fn registry() -> Registry {
        let layout = |part, bits| Layout {
            id: L2.with(part),
            kind: "l2".into(),
            path: "slice0".into(),
            axes: vec![Axis::new("way", 8), Axis::new("bit", bits)],
            parted: true,
        };
        Registry { arrays: vec![layout(Part::Data, 1024), layout(Part::Tag, 40)] }
    }

    fn sample(row: u64, bit: u64, cycle: u64) -> Sample {
        Sample { site: Site { array: L2, bit: row * 1024 + bit }, cycle }
    }

    fn event(cycle: u64, row: u32, access: Access, by: By) -> Event {
        let bytes = Extent::Bytes(0xf);
        Event { by, ..Event::new(cycle, L2, row, access, bytes) }
    }

    fn doors(of: &Option<Vec<Passage>>) -> Vec<(Door, u64)> {
        of.iter().flatten().map(|p| (p.door, p.cycle)).collect()
    }

    #[test]
    fn every_door_is_told_once_until_the_bit_is_overwritten_or_dropped() {
        let mut d = Doors::new(&registry(), vec![sample(2, 7, 10), sample(2, 7, 35)]);
        d.event(&event(9, 2, Access::Read, DATA));
        d.event(&event(20, 2, Access::CopyOut, By::Host));
        d.event(&event(30, 2, Access::Read, DATA));
        d.event(&event(31, 2, Access::Read, DATA));
        d.event(&event(40, 2, Access::WriteBack, By::Machine));
        d.event(&event(40, 2, Access::Evict, By::Machine));
        d.event(&event(50, 2, Access::Read, By::Level { sm: 0, client: 3 }));
        let all = [(Door::Host, 20), (Door::Load, 30), (Door::WriteBack, 40)];
        assert_eq!(doors(&d.passages()[0]), all);
        assert_eq!(doors(&d.passages()[1]), [(Door::WriteBack, 40)]);
    }

    #[test]
    fn other_bytes_and_rows_are_no_door() {
        let mut d = Doors::new(&registry(), vec![sample(2, 64, 10), sample(3, 7, 10)]);
        d.event(&event(20, 2, Access::Read, DATA));
        d.event(&event(21, 3, Access::Fill, DATA));
        d.event(&event(22, 3, Access::Read, DATA));
        assert_eq!(d.passages(), [Some(vec![]), Some(vec![])]);
    }

    #[test]
    fn of_tags_and_of_cycle_0_nothing_is_told() {
        let tag = Sample { site: Site { array: L2.with(Part::Tag), bit: 3 }, cycle: 5 };
        let mut d = Doors::new(&registry(), vec![tag, sample(2, 7, 0)]);
        d.event(&event(20, 2, Access::Read, DATA));
        assert_eq!(d.passages(), [None, None]);
    }

    #[test]
    fn names_are_those_of_the_json() {
        for door in Door::ALL {
            assert_eq!(serde_json::json!(door), door.name());
        }
    }
}
