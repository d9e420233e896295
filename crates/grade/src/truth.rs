//! Where a fault really is, and how near a verdict comes.

use std::collections::BTreeSet;

use serde::Serialize;
use upset_burn::bench::Outcome;
use upset_burn::classify::classify;
use upset_fault::{Experiment, Names};
use upset_state::Layout;

use crate::Nearness;

/// Threads of a warp.
const WARP: u32 = 32;
/// Bytes that findings of memories tell apart.
const WORD: u64 = 4;

/// The place of a fault. What there is not is `None` or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Truth {
    /// The SM; none for what SMs share.
    pub sm: Option<u32>,
    /// The sub-core; none for what sub-cores share.
    pub sub_core: Option<u32>,
    /// Threads of a warp that pass it; empty where all do, or none in particular.
    pub lanes: Vec<u32>,
    /// First byte of the word of shared memory that holds it.
    pub address: Option<u64>,
}

impl Truth {
    /// The place of an experiment's first bit: those of a list are of one entry.
    pub fn of(experiment: &Experiment, names: &Names<'_>) -> Truth {
        let Some(site) = experiment.sites().next() else { return Truth::default() };
        names.layout(site.array).map(|layout| Truth::of_bit(layout, site.bit)).unwrap_or_default()
    }

    fn of_bit(layout: &Layout, bit: u64) -> Truth {
        let word = |name: &str| {
            let found = layout.path.split('.').find_map(|w| w.strip_prefix(name)?.parse().ok());
            found as Option<u32>
        };
        let lane = digit(layout, bit, "lane").map(|(lane, of)| {
            // Threads that share a physical lane.
            (0..WARP).filter(|t| u64::from(*t) % of.max(1) == lane).collect()
        });
        let byte = digit(layout, bit, "byte").filter(|_| word("sm").is_some());
        Truth {
            sm: word("sm"),
            sub_core: word("sub"),
            lanes: lane.unwrap_or_default(),
            address: byte.map(|(byte, _)| byte / WORD * WORD),
        }
    }

    /// How near the findings are; `None` for a fault that is in no SM.
    pub fn nearness(&self, outcome: &Outcome) -> Option<Nearness> {
        self.sm.map(|sm| self.near(sm, &Found::of(outcome)))
    }

    fn near(&self, sm: u32, found: &Found) -> Nearness {
        if found.sms != [sm] {
            return Nearness::Wrong;
        }
        if let Some(address) = self.address {
            let here = |a: &u64| a / WORD * WORD == address;
            let all = !found.addresses.is_empty() && found.addresses.iter().all(here);
            return if all { Nearness::Exact } else { Nearness::Sm };
        }
        if self.sub_core.is_some_and(|sub| found.sub_cores != [sub]) {
            return Nearness::Sm;
        }
        let named = !found.lanes.is_empty() && found.lanes.iter().all(|l| self.lanes.contains(l));
        match self.lanes.is_empty() || named {
            true => Nearness::Exact,
            false => Nearness::SubCore,
        }
    }
}

/// Digit and size of an axis of a bit's number.
fn digit(layout: &Layout, bit: u64, axis: &str) -> Option<(u64, u64)> {
    let at = layout.axes.iter().position(|a| a.name == axis)?;
    let within: u64 = layout.axes[at + 1..].iter().map(|a| a.size).product();
    let size = layout.axes[at].size;
    Some((bit / within.max(1) % size.max(1), size))
}

/// Where a test says that something is broken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Found {
    sms: Vec<u32>,
    sub_cores: Vec<u32>,
    lanes: Vec<u32>,
    addresses: Vec<u64>,
}

impl Found {
    /// What the verdict says; of findings with addresses, whose verdict is an
    /// address alone, what they say themselves.
    fn of(outcome: &Outcome) -> Found {
        let Some(verdict) = classify(&outcome.tally, &None) else { return Found::default() };
        let kept: Vec<_> = outcome.findings.kept().map(|f| &f.place).collect();
        let addresses: BTreeSet<u64> = kept.iter().filter_map(|p| p.address).collect();
        let mut sms = verdict.sms;
        if sms.is_empty() && kept.iter().all(|p| p.sm.is_some()) {
            let all: BTreeSet<u32> = kept.iter().filter_map(|p| p.sm).collect();
            sms = all.into_iter().collect();
        }
        Found {
            sms,
            sub_cores: verdict.sub_cores,
            lanes: verdict.lanes,
            addresses: addresses.into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::{ArrayId, Axis, Kind};

    fn layout(kind: Kind, path: &str, axes: &[Axis]) -> Layout {
        Layout {
            id: ArrayId::data(kind, 0),
            kind: kind.name().unwrap_or_default().into(),
            path: path.into(),
            axes: axes.to_vec(),
            parted: false,
        }
    }

    #[test]
    fn threads_of_a_lane_are_those_equal_modulo_the_lanes() {
        let lanes = [Axis::new("lane", 16), Axis::new("bit", 32)];
        let fma = layout(Kind::Fma, "sm1.sub2", &lanes);
        let truth = Truth::of_bit(&fma, 5 * 32 + 29);
        assert_eq!((truth.sm, truth.sub_core), (Some(1), Some(2)));
        assert_eq!(truth.lanes, [5, 21]);
        let shared = [Axis::new("lane", 2), Axis::new("bit", 64)];
        let fp64 = Truth::of_bit(&layout(Kind::Fp64, "sm3", &shared), 64);
        assert_eq!((fp64.sm, fp64.sub_core, fp64.lanes.len()), (Some(3), None, 16));
        let bytes = [Axis::new("byte", 65536), Axis::new("bit", 8)];
        let smem = Truth::of_bit(&layout(Kind::Smem, "sm0", &bytes), 1003 * 8 + 2);
        assert_eq!((smem.sm, smem.address), (Some(0), Some(1000)));
    }

    #[test]
    fn a_verdict_is_as_near_as_it_is_right() {
        let truth = Truth { sm: Some(1), sub_core: Some(2), lanes: vec![5, 21], address: None };
        let near = |sms: &[u32], subs: &[u32], lanes: &[u32]| {
            let found = Found {
                sms: sms.to_vec(),
                sub_cores: subs.to_vec(),
                lanes: lanes.to_vec(),
                addresses: Vec::new(),
            };
            truth.near(1, &found)
        };
        assert_eq!(near(&[1], &[2], &[5, 21]), Nearness::Exact);
        assert_eq!(near(&[1], &[2], &[5]), Nearness::Exact);
        assert_eq!(near(&[1], &[2], &[5, 6]), Nearness::SubCore);
        assert_eq!(near(&[1], &[2], &[]), Nearness::SubCore);
        assert_eq!(near(&[1], &[2, 3], &[5]), Nearness::Sm);
        assert_eq!(near(&[1], &[], &[]), Nearness::Sm);
        assert_eq!(near(&[0, 1], &[2], &[5]), Nearness::Wrong);
        assert_eq!(near(&[], &[], &[]), Nearness::Wrong);
        // A unit that sub-cores share.
        let shared = Truth { sub_core: None, ..truth };
        let found = Found { sms: vec![1], sub_cores: vec![0, 1, 2, 3], ..Found::default() };
        assert_eq!(shared.near(1, &Found { lanes: vec![5], ..found.clone() }), Nearness::Exact);
        assert_eq!(shared.near(1, &Found { lanes: vec![4], ..found }), Nearness::SubCore);
        assert!(Nearness::Wrong < Nearness::Sm && Nearness::SubCore < Nearness::Exact);
    }

    #[test]
    fn a_word_of_memory_is_right_or_its_sm_is() {
        let truth = Truth { sm: Some(0), address: Some(1000), ..Truth::default() };
        let found = |addresses: &[u64]| Found {
            sms: vec![0],
            addresses: addresses.to_vec(),
            ..Found::default()
        };
        assert_eq!(truth.near(0, &found(&[1000])), Nearness::Exact);
        assert_eq!(truth.near(0, &found(&[1000, 1004])), Nearness::Sm);
        assert_eq!(truth.near(0, &found(&[])), Nearness::Sm);
    }
}
