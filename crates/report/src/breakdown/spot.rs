//! Instructions at which failures start.

use std::collections::BTreeMap;

use serde::Serialize;

use super::slot::{Drawn, Slot};
use crate::name::short_name;

/// Hits while the bit's owner stood at one instruction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spot {
    /// Function, as people read it.
    pub function: String,
    /// Function, as in the binary.
    pub symbol: String,
    /// Byte offset in it.
    pub offset: u64,
    /// What became of the runs.
    #[serde(flatten)]
    pub slot: Slot,
}

/// Instructions that are listed of a structure.
const LISTED: usize = 8;

/// The ones with most of the failures, and how many others have some.
pub fn spots(drawn: &Drawn<'_>) -> (Vec<Spot>, usize) {
    let mut places: BTreeMap<(&str, u64), usize> = BTreeMap::new();
    for hit in drawn.hits() {
        if let Some(offset) = hit.instruction {
            let next = places.len();
            places.entry((&hit.function, offset)).or_insert(next);
        }
    }
    let of = |h: &upset_store::Hit| places.get(&(h.function.as_str(), h.instruction?)).copied();
    let slots = drawn.slots(places.len(), of, |_| String::new());
    let mut list: Vec<Spot> = places
        .iter()
        .filter(|(_, i)| slots[**i].share > 0.0)
        .map(|(&(symbol, offset), &i)| Spot {
            function: short_name(symbol),
            symbol: symbol.to_string(),
            offset,
            slot: Slot {
                label: format!("{} + {offset:#06x}", short_name(symbol)),
                ..slots[i].clone()
            },
        })
        .collect();
    // Equal ones stay in the order of the code.
    list.sort_by(|a, b| b.slot.share.total_cmp(&a.slot.share));
    let left_out = list.len().saturating_sub(LISTED);
    list.truncate(LISTED);
    (list, left_out)
}
