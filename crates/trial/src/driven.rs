//! What drives chosen wires in the fault-free run.
//!
//! A wire that is stuck changes nothing as long as it is only ever driven with
//! the value that it is stuck at: up to the first other one the run is the
//! fault-free run (docs/exactness.md).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use upset_state::{ArrayId, Kind, Site, Use, Watch, WireObserver};

use crate::fate::Fate;

/// A bit of a wire that sticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The bit.
    pub site: Site,
    /// From this cycle on.
    pub from: u64,
    /// At this value.
    pub value: bool,
}

impl Stuck {
    /// Whether the uses of its wire are told. A scheduler's lines act also when
    /// nobody drives them.
    pub fn is_told(&self) -> bool {
        let kind = self.site.array.kind;
        kind.about().wire && kind != Kind::Sched
    }
}

/// Finds when wires are first driven with another value than they stick at.
#[derive(Debug, Default)]
pub struct Driven {
    list: Vec<Stuck>,
    fates: Vec<Fate>,
    /// By array and bit: those that are not decided.
    waiting: BTreeMap<ArrayId, BTreeMap<u64, Vec<u32>>>,
}

impl Driven {
    /// Waits for what drives these.
    pub fn new(list: Vec<Stuck>) -> Driven {
        let mut waiting: BTreeMap<ArrayId, BTreeMap<u64, Vec<u32>>> = BTreeMap::new();
        let mut fates = Vec::with_capacity(list.len());
        for (i, stuck) in list.iter().enumerate() {
            fates.push(if stuck.is_told() { Fate::Untouched } else { Fate::Unknown });
            if stuck.is_told() {
                let of_array = waiting.entry(stuck.site.array).or_default();
                of_array.entry(stuck.site.bit).or_default().push(i as u32);
            }
        }
        Driven { list, fates, waiting }
    }

    /// The fate of each, in order: used when its wire is driven with another
    /// value, untouched when it never is.
    pub fn fates(&self) -> Vec<Fate> {
        self.fates.clone()
    }

    fn driven(&mut self, of: &Use<'_>, words: &[u32]) {
        let Driven { list, fates, waiting } = self;
        let Some(of_array) = waiting.get_mut(&of.array) else { return };
        let end = of.first + 32 * words.len() as u64;
        let mut over = Vec::new();
        for (&bit, numbers) in of_array.range_mut(of.first..end) {
            let at = bit - of.first;
            let value = words[(at / 32) as usize] >> (at % 32) & 1 == 1;
            numbers.retain(|&i| {
                let stuck = &list[i as usize];
                let decided = stuck.from <= of.now && stuck.value != value;
                if decided {
                    fates[i as usize] = Fate::Used { cycle: of.now };
                }
                !decided
            });
            if numbers.is_empty() {
                over.push(bit);
            }
        }
        for bit in over {
            of_array.remove(&bit);
        }
    }
}

/// The same [`Driven`] as hears of wires.
struct OfWires(Arc<Mutex<Driven>>);

impl WireObserver for OfWires {
    fn wants(&self, array: ArrayId) -> bool {
        let driven = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        driven.waiting.get(&array).is_some_and(|bits| !bits.is_empty())
    }

    fn driven(&mut self, of: &Use<'_>, words: &[u32]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).driven(of, words);
    }
}

/// A watch that finds fates, and where they can be read afterwards.
pub fn watch(driven: Driven) -> (Watch, Arc<Mutex<Driven>>) {
    let shared = Arc::new(Mutex::new(driven));
    let mut watch = Watch::default();
    watch.wires = Some(Box::new(OfWires(Arc::clone(&shared))));
    (watch, shared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::Probe;

    #[test]
    fn a_wire_is_used_when_it_is_driven_with_another_value() {
        let array = ArrayId::data(Kind::Fma, 2);
        let stuck = |bit, from, value| Stuck { site: Site { array, bit }, from, value };
        let lines = Stuck {
            site: Site { array: ArrayId::data(Kind::Sched, 2), bit: 0 },
            ..stuck(0, 0, true)
        };
        let list = vec![
            stuck(33, 5, false),
            stuck(33, 5, true),
            stuck(33, 15, true),
            stuck(200, 0, true),
            lines,
        ];
        let (mut watch, seen) = watch(Driven::new(list));
        assert!(watch.drives(array) && !watch.drives(ArrayId::data(Kind::Fma, 3)));
        assert!(!watch.drives(ArrayId::data(Kind::Sched, 2)));
        for (now, word) in [(4, 2), (10, 0), (20, 2)] {
            let mut words = [!0, word];
            watch.drive(&Use::new(array, 0, now), &mut words);
            assert_eq!(words, [!0, word]);
        }
        let used = |cycle| Fate::Used { cycle };
        let fates = seen.lock().unwrap().fates();
        assert_eq!(fates, [used(20), used(10), Fate::Untouched, Fate::Untouched, Fate::Unknown]);
    }
}
