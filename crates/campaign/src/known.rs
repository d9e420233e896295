//! What the fault-free run tells of experiments before they are run.

use upset_device::Machine;
use upset_fault::Experiment;
use upset_state::{Hidden, Part, Site};
use upset_trial::Fate;

/// Whether something must be known of an experiment's bits beforehand: they
/// are followed in the walk itself where they can be.
pub(crate) fn needs_fate(experiment: &Experiment) -> bool {
    experiment.is_transient() && !experiment.sites().all(Machine::can_haunt)
}

/// What is known of an experiment without running it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// Masked: how that is known.
    Dead(&'static str),
    /// It must be run.
    Simulate {
        /// Whether a wrong bit gets out of its array, where that is known.
        reached: Option<bool>,
        /// When its flips are made.
        flips: Flips,
    },
}

/// When the flips of an experiment are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flips {
    /// When they are said to be.
    OfThemselves,
    /// As late as this, and only these matter.
    Late(u64, Vec<Site>),
    /// When they are said to be; it is a ghost that follows the run, as long as
    /// these bits are not looked at.
    Hidden(Vec<Hidden>),
}

/// Draws conclusions from the fates of an experiment's bits
/// (docs/exactness.md).
pub(crate) fn known(sites: &[Site], fates: &[Fate]) -> Known {
    if fates.iter().all(|f| f.is_dead()) {
        let untouched = fates.iter().all(|f| *f == Fate::Untouched);
        return Known::Dead(if untouched { "untouched" } else { "overwritten" });
    }
    let uses = fates.iter().map(|f| match f {
        Fate::Used { cycle } => Some(Some(*cycle)),
        Fate::Overwritten { .. } | Fate::Untouched => Some(None),
        Fate::Unknown => None,
    });
    // With a bit whose uses are not told, the run leaves the fault-free one at once.
    let Some(uses) = uses.collect::<Option<Vec<_>>>() else {
        return Known::Simulate { reached: None, flips: Flips::OfThemselves };
    };
    let first = uses.into_iter().flatten().min().unwrap_or(u64::MAX);
    if let Some(hidden) = hidden(sites, fates, first) {
        return Known::Simulate { reached: None, flips: Flips::Hidden(hidden) };
    }
    let matters = |f: &Fate| !matches!(f, Fate::Overwritten { cycle } if *cycle < first);
    let late = sites.iter().zip(fates).filter(|(_, f)| matters(f)).map(|(s, _)| *s);
    // To look at a tag or a state is not to use the bit: whether the flip would
    // have been noticed shows in the outcome alone.
    let carried = sites.iter().all(|s| s.array.part == Part::Data);
    let flips = Flips::Late(first, late.collect());
    Known::Simulate { reached: carried.then_some(true), flips }
}

/// Bits that are no values, beside values the first of which is used at `first`:
/// what is known of them.
fn hidden(sites: &[Site], fates: &[Fate], first: u64) -> Option<Vec<Hidden>> {
    let (values, others): (Vec<_>, Vec<_>) =
        sites.iter().zip(fates).partition(|(site, _)| Machine::can_haunt(**site));
    let are_of_lines = others.iter().all(|(site, _)| site.array.part != Part::Data);
    let comes_first = values.iter().any(|(_, fate)| **fate == Fate::Used { cycle: first });
    if others.is_empty() || !are_of_lines || !comes_first {
        return None;
    }
    let of = |(&site, fate): (&Site, &Fate)| match *fate {
        Fate::Used { cycle } => Some(Hidden { site, until: cycle, used: true }),
        Fate::Overwritten { cycle } => Some(Hidden { site, until: cycle, used: false }),
        Fate::Untouched => Some(Hidden { site, until: u64::MAX, used: false }),
        Fate::Unknown => None,
    };
    others.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::{ArrayId, Kind};

    #[test]
    fn tags_beside_values_that_are_used_first_are_hidden() {
        let data = Site { array: ArrayId::data(Kind::Cache(0), 0), bit: 3 };
        let tag = Site { array: data.array.with(Part::Tag), ..data };
        let (used, later) = (Fate::Used { cycle: 7 }, Fate::Used { cycle: 9 });
        let of = |fates: [Fate; 2]| match known(&[data, tag], &fates) {
            Known::Simulate { flips: Flips::Hidden(bits), .. } => {
                Some(bits.into_iter().map(|h| (h.until, h.used)).collect::<Vec<_>>())
            }
            Known::Simulate { flips: Flips::Late(7, _), .. } => None,
            other => panic!("{other:?}"),
        };
        assert_eq!(of([used, Fate::Untouched]), Some(vec![(u64::MAX, false)]));
        assert_eq!(of([used, Fate::Overwritten { cycle: 8 }]), Some(vec![(8, false)]));
        assert_eq!(of([used, later]), Some(vec![(9, true)]));
        assert_eq!(of([later, used]), None);
    }

    #[test]
    fn only_bits_that_carry_values_are_reached_when_they_are_looked_at() {
        let data = Site { array: ArrayId::data(Kind::Cache(0), 0), bit: 3 };
        let used = [Fate::Used { cycle: 7 }];
        let reached = |site: Site| match known(&[site], &used) {
            Known::Simulate { reached, flips: Flips::Late(7, _) } => reached,
            other => panic!("{other:?}"),
        };
        assert_eq!(reached(data), Some(true));
        for part in [Part::Tag, Part::State] {
            let site = Site { array: data.array.with(part), ..data };
            assert_eq!(reached(site), None, "{part}");
            assert_eq!(known(&[site], &[Fate::Untouched]), Known::Dead("untouched"));
        }
    }
}
