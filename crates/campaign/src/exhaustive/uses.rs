//! Which flips of a structure meet a use first, and how many cycles share it.
//!
//! A flip of a bit comes before everything else in its cycle. So all flips of
//! it after one access and up to the next meet that next access first, and it
//! is the same for all of them (docs/exactness.md, "Same first use").

use std::sync::{Arc, Mutex, PoisonError};

use upset_fault::{Structure, Window};
use upset_state::{Access, ArrayId, Event, Kind, Layout, Part, Registry, Site, Watch};

use crate::CampaignError;

/// Bits of a row that one access used first, in as many cycles each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    array: ArrayId,
    /// First bit of the row.
    first: u64,
    /// Bits of a unit.
    unit_bits: u32,
    /// Ones for the units of the row.
    units: u128,
    /// When they were used.
    pub(crate) cycle: u64,
    /// Cycles of the window whose flips meet this use first.
    pub(crate) weight: u64,
}

impl Group {
    /// How many classes it is: one for each bit.
    fn bits(&self) -> u64 {
        u64::from(self.units.count_ones()) * u64::from(self.unit_bits)
    }

    /// Its bits.
    pub(crate) fn sites(&self) -> impl Iterator<Item = Site> {
        let Group { array, first, unit_bits, units, .. } = *self;
        let unit_bits = u64::from(unit_bits);
        (0..128u64).filter(move |u| units >> u & 1 == 1).flat_map(move |u| {
            let from = first + u * unit_bits;
            (from..from + unit_bits).map(move |bit| Site { array, bit })
        })
    }
}

/// One array of the structure.
#[derive(Debug)]
struct Rows {
    id: ArrayId,
    row_bits: u64,
    /// By row, once it was touched, and unit: how many cycles of the window
    /// are accounted for.
    rows: Vec<Option<Box<[u64]>>>,
}

/// Finds the classes of a structure while a run is watched.
#[derive(Debug)]
pub(crate) struct Uses {
    window: Window,
    kind: Kind,
    arrays: Vec<Rows>,
    /// By instance: place in `arrays`.
    index: Vec<Option<u32>>,
    /// Groups beyond this many classes are counted and not kept.
    most: u64,
    /// Uses in order.
    pub(crate) groups: Vec<Group>,
    /// Classes: a bit and its first use.
    pub(crate) classes: u64,
    /// Bits x cycles whose flips are overwritten or dropped first.
    pub(crate) overwritten: u64,
    /// Bits x cycles whose flips are used first.
    pub(crate) used: u64,
}

/// Whether every use of an array is told, from the time it exists.
fn is_told(layout: &Layout) -> bool {
    layout.id.part == Part::Data && layout.id.kind.about().whole_life
}

/// The structures that can be counted on a chip, by name.
fn countable(registry: &Registry) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for layout in registry.arrays.iter().filter(|l| is_told(l)) {
        let name = match layout.parted {
            true => format!("{}.{}", layout.kind, layout.id.part),
            false => layout.kind.clone(),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

impl Uses {
    /// Waits for events on all bits of a structure; a fault's cycle is in `window`.
    pub(crate) fn new(
        registry: &Registry,
        structure: &Structure,
        window: Window,
        most: u64,
    ) -> Result<Uses, CampaignError> {
        let layouts: Vec<&Layout> = registry.arrays.iter().filter(|l| structure.has(l)).collect();
        let kind = match layouts.first() {
            Some(first) if layouts.iter().all(|l| is_told(l)) => first.id.kind,
            _ => {
                let why = match layouts.is_empty() {
                    true => "is not there",
                    false => "has bits whose uses are not all told",
                };
                return Err(CampaignError::Spec(format!(
                    "`{structure}` {why}: exhaustive mode works for {}",
                    countable(registry).join(", ")
                )));
            }
        };
        let mut this = Uses {
            window,
            kind,
            arrays: Vec::new(),
            index: Vec::new(),
            most,
            groups: Vec::new(),
            classes: 0,
            overwritten: 0,
            used: 0,
        };
        for layout in layouts {
            let instance = layout.id.instance as usize;
            if this.index.len() <= instance {
                this.index.resize(instance + 1, None);
            }
            this.index[instance] = Some(this.arrays.len() as u32);
            let row_bits = layout.row_bits().max(1);
            let rows = vec![None; layout.bits().div_ceil(row_bits) as usize];
            this.arrays.push(Rows { id: layout.id, row_bits, rows });
        }
        Ok(this)
    }

    /// Something happened.
    pub(crate) fn event(&mut self, event: &Event) {
        if event.array.kind != self.kind {
            return;
        }
        let is_use = match event.access {
            Access::Read | Access::WriteBack | Access::CopyOut => true,
            Access::Write | Access::Fill | Access::Evict => false,
            // Bits stay as they are: the next owner may read before it writes.
            Access::Release | Access::Allocate => return,
        };
        let at = self.index.get(event.array.instance as usize).copied().flatten();
        let Some(array) = at.and_then(|at| self.arrays.get_mut(at as usize)) else { return };
        let Some(row) = array.rows.get_mut(event.row as usize) else { return };
        let unit_bits = unit_bits(self.kind, array.row_bits);
        let units = array.row_bits / u64::from(unit_bits);
        let row = row.get_or_insert_with(|| vec![0; units as usize].into());
        let met = self.window.before(event.cycle + 1);
        // Few: a row is mostly touched as a whole.
        let mut found: Vec<(u64, u128)> = Vec::new();
        for (unit, done) in (0u64..).zip(row.iter_mut()) {
            if *done >= met || !event.covers(unit * u64::from(unit_bits)) {
                continue;
            }
            let weight = met - std::mem::replace(done, met);
            match found.iter_mut().find(|(w, _)| *w == weight) {
                Some((_, mask)) => *mask |= 1 << unit,
                None => found.push((weight, 1 << unit)),
            }
        }
        for (weight, units) in found {
            let first = u64::from(event.row) * array.row_bits;
            let group =
                Group { array: array.id, first, unit_bits, units, cycle: event.cycle, weight };
            let area = weight.saturating_mul(group.bits());
            if !is_use {
                self.overwritten = self.overwritten.saturating_add(area);
                continue;
            }
            self.used = self.used.saturating_add(area);
            self.classes += group.bits();
            if self.classes <= self.most {
                self.groups.push(group);
            }
        }
    }
}

/// Bits that an access takes together: [`Event::covers`] is the same for all.
fn unit_bits(kind: Kind, row_bits: u64) -> u32 {
    let told = kind.about().granules.map_or(1, |g| g.bits);
    if row_bits.is_multiple_of(u64::from(told)) { told } else { 1 }
}

/// A watch that finds classes, and where they can be read afterwards.
pub(crate) fn watch(uses: Uses) -> (Watch, Arc<Mutex<Uses>>) {
    let shared = Arc::new(Mutex::new(uses));
    let seen = Arc::clone(&shared);
    let watch = Watch::observe(move |event| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).event(event);
    });
    (watch, shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use upset_state::{Axis, Extent};

    fn registry(kind: Kind, name: &str, axes: Vec<Axis>) -> Registry {
        let layout = |part, axes| Layout {
            id: ArrayId { kind, instance: 1, part },
            kind: name.into(),
            path: "sm1".into(),
            axes,
            parted: matches!(kind, Kind::Cache(_)),
        };
        let mut arrays = vec![layout(Part::Data, axes)];
        if let Kind::Cache(_) = kind {
            arrays.push(layout(Part::Tag, vec![Axis::new("line", 2), Axis::new("bit", 20)]));
        }
        Registry { arrays }
    }

    fn registers() -> Registry {
        let axes = vec![Axis::new("row", 3), Axis::new("lane", 32), Axis::new("bit", 32)];
        registry(Kind::Rf, "rf", axes)
    }

    fn lines() -> Registry {
        let axes = vec![Axis::new("line", 2), Axis::new("bit", 256)];
        registry(Kind::Cache(0), "l1d", axes)
    }

    fn uses(registry: &Registry, name: &str, window: Window) -> Result<Uses, CampaignError> {
        Uses::new(registry, &name.parse().expect("a name"), window, 1 << 20)
    }

    #[test]
    fn what_cannot_be_counted_is_told() {
        let window = || Window::from(0..9);
        assert!(uses(&lines(), "l1d.data", window()).is_ok());
        let told = |r: &Registry, name| uses(r, name, window()).unwrap_err().to_string();
        let works = "exhaustive mode works for l1d.data";
        let parts = "has bits whose uses are not all told";
        assert_eq!(told(&lines(), "l1d"), format!("`l1d` {parts}: {works}"));
        assert_eq!(told(&lines(), "l1d.tag"), format!("`l1d.tag` {parts}: {works}"));
        assert_eq!(told(&lines(), "rf"), format!("`rf` is not there: {works}"));
    }

    #[test]
    fn cycles_between_accesses_are_counted_once() {
        let mut u = uses(&registers(), "rf", Window::new(vec![10..20, 30..40])).unwrap();
        let id = ArrayId::data(Kind::Rf, 1);
        let mut tell = |cycle, access, lanes| {
            u.event(&Event::new(cycle, id, 2, access, Extent::Lanes(lanes)));
        };
        // Before the window: whatever it was, it is over.
        tell(5, Access::Write, !0);
        // Lane 0: flips of 10 to 12. Lane 1 waits.
        tell(12, Access::Read, 1);
        // Again in the same cycle: no flip comes between the two.
        tell(12, Access::Read, 1);
        // Lane 0: 13 to 19 and 30; lane 1: 10 to 19 and 30.
        tell(30, Access::Read, 3);
        tell(32, Access::Write, 3);
        // After the window: all that is left of lanes 0 and 1.
        tell(50, Access::CopyOut, 3);
        let found: Vec<_> = u.groups.iter().map(|g| (g.cycle, g.units, g.weight)).collect();
        assert_eq!(found, [(12, 1, 3), (30, 1, 8), (30, 2, 11), (50, 3, 7)]);
        assert_eq!(u.used, 32 * (3 + 8 + 11 + 2 * 7));
        assert_eq!(u.overwritten, 32 * (2 + 2));
        assert_eq!(u.classes, 32 * 5);
        let sites: Vec<u64> = u.groups[2].sites().map(|s| s.bit).collect();
        assert_eq!(sites, (2 * 1024 + 32..2 * 1024 + 64).collect::<Vec<_>>());
    }

    fn access() -> impl Strategy<Value = Access> {
        prop_oneof![
            Just(Access::Read),
            Just(Access::Write),
            Just(Access::Fill),
            Just(Access::Evict),
            Just(Access::WriteBack),
            Just(Access::Allocate),
            Just(Access::Release),
            Just(Access::CopyOut),
        ]
    }

    proptest! {
        /// Every bit and cycle for itself, against the classes.
        #[test]
        fn classes_are_what_each_flip_meets_first(
            mut list in prop::collection::vec((0u64..40, 0u32..2, access(), any::<u32>()), 0..24),
            start in 0u64..20,
        ) {
            list.sort_by_key(|e| e.0);
            let id = ArrayId::data(Kind::Cache(0), 1);
            let events: Vec<Event> = list
                .iter()
                .map(|&(cycle, row, access, bytes)| {
                    let extent = match bytes % 5 {
                        0 => Extent::Row,
                        _ => Extent::Bytes(bytes.into()),
                    };
                    Event::new(cycle, id, row, access, extent)
                })
                .collect();
            let window = Window::new(vec![start..start + 5, start + 9..start + 20]);
            let mut u = uses(&lines(), "l1d.data", window.clone()).unwrap();
            events.iter().for_each(|e| u.event(e));
            let mut right = std::collections::BTreeMap::new();
            let mut overwritten = 0;
            for n in 0..window.cycles() {
                let cycle = window.nth(n).unwrap();
                for bit in 0..512u64 {
                    let meets = |e: &&Event| {
                        e.cycle >= cycle && u64::from(e.row) == bit / 256 && e.covers(bit % 256)
                            && !matches!(e.access, Access::Allocate | Access::Release)
                    };
                    let Some(first) = events.iter().find(meets) else { continue };
                    match first.access {
                        Access::Write | Access::Fill | Access::Evict => overwritten += 1,
                        _ => *right.entry((bit, first.cycle)).or_insert(0) += 1,
                    }
                }
            }
            let mut found = std::collections::BTreeMap::new();
            for group in &u.groups {
                for site in group.sites() {
                    prop_assert!(found.insert((site.bit, group.cycle), group.weight).is_none());
                }
            }
            prop_assert_eq!(u.classes, found.len() as u64);
            prop_assert_eq!(u.used, found.values().sum::<u64>());
            prop_assert_eq!(found, right);
            prop_assert_eq!(u.overwritten, overwritten);
        }
    }
}
