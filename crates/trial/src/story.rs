//! What a run has to tell of the bits that were changed in it.

use serde::{Deserialize, Serialize};
use upset_device::{Device, Hit, Instruction};
use upset_state::{By, Registry, Site};

use crate::Follow;
use crate::follow::What;

/// What was hit, and what happened to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// Every change of a bit, with what it belonged to.
    pub hits: Vec<Hit>,
    /// What happened to the wrong bits, the first steps.
    pub steps: Vec<Told>,
    /// How many steps there were.
    pub steps_total: u64,
    /// Bits that were wrong at the end.
    pub still_wrong: Vec<String>,
}

/// A step in the life of a wrong bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// When.
    pub cycle: u64,
    /// The bit, or a copy of it.
    pub site: String,
    /// What happened to it.
    pub what: What,
    /// On whose behalf.
    pub by: By,
    /// The instruction, where one did it.
    pub instruction: Option<Instruction>,
}

impl Story {
    /// Puts numbers into words. The device must have been told to record hits;
    /// `registry` has the names.
    pub fn of(device: &mut Device, follow: &Follow, registry: &Registry) -> Story {
        let name = |site: Site| site.name(registry).unwrap_or_else(|| format!("{site:?}"));
        let steps = follow.steps().iter().map(|s| Told {
            cycle: s.cycle,
            site: name(s.site),
            what: s.what,
            by: s.by,
            instruction: match s.by {
                By::Warp { pc, .. } => device.instruction_at(s.cycle, pc),
                _ => None,
            },
        });
        let steps: Vec<Told> = steps.collect();
        let hits = device.hits();
        let wrong = follow.still_wrong().map(|site| (follow.has_resisted(site), name(site)));
        let wrong = wrong.filter(|(resisted, site)| *resisted || !was_right(&hits, site));
        let still_wrong = wrong.map(|(_, site)| site).collect();
        Story { steps, steps_total: follow.total(), still_wrong, hits }
    }
}

/// Whether all that was done to a bit was to hold it at the value that it had.
fn was_right(hits: &[Hit], site: &str) -> bool {
    let mut own = hits.iter().filter(|h| h.site == site).peekable();
    own.peek().is_some()
        && own.all(|h| match h.change.as_str() {
            "hold 0" => h.value == Some(false),
            "hold 1" => h.value == Some(true),
            change => change == "let go",
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holding_a_bit_where_it_is_makes_nothing_wrong() {
        let hit = |change: &str, value: bool| -> Hit {
            let (site, cycle, allocated) = ("rf:bit1", 0, true);
            let hit = serde_json::json!({
                "site": site, "cycle": cycle, "change": change, "value": value, "allocated": allocated
            });
            serde_json::from_value(hit).unwrap()
        };
        let right = |hits: &[Hit]| was_right(hits, "rf:bit1");
        assert!(right(&[hit("hold 1", true), hit("let go", true)]));
        assert!(!right(&[hit("hold 1", true), hit("hold 1", false)]));
        assert!(!right(&[hit("flip", true)]));
        assert!(!right(&[]));
    }
}
