//! One run of a walk.

use serde::{Deserialize, Serialize};
use upset_device::{Look, Machine};
use upset_state::{Change, Hidden, Site};

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Number in the campaign.
    pub id: u64,
    /// Cycle at which the run leaves the fault-free one.
    pub start: u64,
    /// Changes of bits.
    #[serde(with = "upset_state::changes")]
    pub changes: Vec<(u64, Change)>,
    /// Those of the changed bits that cannot be followed, where it is known what
    /// happens to them next.
    #[serde(default)]
    pub hidden: Vec<Hidden>,
    /// What the first of them hits is to be told.
    #[serde(default)]
    pub look: bool,
}

impl Job {
    /// The bits that are followed, if its run can be: all flipped at one cycle.
    pub(super) fn as_ghost(&self) -> Option<(u64, Vec<Site>)> {
        // Where nothing changes (a rate that is never met) there is nobody to follow.
        let mut sites = Vec::with_capacity(self.changes.len());
        for (cycle, change) in &self.changes {
            match change {
                Change::Flip(site) if *cycle == self.start && Machine::can_haunt(*site) => {
                    sites.push(*site);
                }
                Change::Flip(site) if self.hidden.iter().any(|h| h.site == *site) => {}
                _ => return None,
            }
        }
        (!sites.is_empty()).then_some((self.start, sites))
    }

    /// Whether its run can be followed by its differences.
    pub fn can_be_followed(&self) -> bool {
        self.as_ghost().is_some()
    }

    /// Where it is changed first.
    pub(super) fn site(&self) -> Option<Site> {
        self.changes.first().map(|(_, change)| change.site())
    }

    /// The bit that its first change hits, where that is to be told.
    pub(super) fn look(&self) -> Option<Look> {
        let (cycle, change) = self.changes.first().filter(|_| self.look)?;
        Some(Look { id: self.id, cycle: *cycle, site: change.site() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::{ArrayId, Force, Kind, Quirk};

    fn job(start: u64, changes: Vec<(u64, Change)>) -> Job {
        Job { id: 1, start, changes, hidden: Vec::new(), look: true }
    }

    #[test]
    fn runs_are_followed_whose_bits_carry_values_and_flip_at_once() {
        let rf = Site { array: ArrayId::data(Kind::Rf, 3), bit: 77 };
        let pc = Site { array: ArrayId::data(Kind::Pc, 3), bit: 7 };
        let hold = Change::Hold(Force { array: rf.array, bit: 1, value: true });
        let flip = |cycle, site| (cycle, Change::Flip(site));
        assert!(job(5, vec![flip(5, rf), flip(5, rf)]).can_be_followed());
        let quirk = Quirk { array: rf.array, bit: 1, how: "invert".parse().unwrap() };
        for changes in [
            vec![],
            vec![(5, Change::Begin(quirk)), (6, Change::End(quirk))],
            vec![flip(6, rf)],
            vec![flip(5, rf), flip(6, rf)],
            vec![flip(5, rf), flip(5, pc)],
            vec![(5, hold)],
        ] {
            assert!(!job(5, changes.clone()).can_be_followed(), "{changes:?}");
        }
    }

    #[test]
    fn a_job_arrives_as_it_was_sent() {
        let site = Site { array: ArrayId::data(Kind::Smem, 1), bit: 1 << 40 };
        let job = job(9, vec![(9, Change::Flip(site)), (11, Change::Flip(site))]);
        let text = serde_json::to_string(&job).unwrap();
        assert_eq!(serde_json::from_str::<Job>(&text).unwrap(), job);
        assert_eq!(job.look().map(|l| (l.id, l.cycle, l.site)), Some((1, 9, site)));
    }
}
