//! Wires that stick: what the fault-free run tells of them beforehand.

use upset_fault::{Experiment, Model};
use upset_state::Site;
use upset_trial::{Fate, Stuck};

/// The bits of an experiment that only holds wires whose uses are told, each
/// with the cycle at which it is let go.
pub(crate) fn wires(experiment: &Experiment) -> Option<Vec<(Stuck, Option<u64>)>> {
    let mut list = Vec::new();
    for fault in &experiment.faults {
        let Model::Stuck(value) = fault.model else { return None };
        for &bit in &fault.bits {
            let site = Site { array: fault.array, bit };
            list.push((Stuck { site, from: fault.when.first(), value }, fault.when.end()));
        }
    }
    list.iter().all(|(stuck, _)| stuck.is_told()).then_some(list)
}

/// Whether the fault-free run never drives any of them with another value while
/// it sticks: then it is the faulty run as well (docs/exactness.md).
pub(crate) fn is_dead(list: &[(Stuck, Option<u64>)], fates: &[Fate]) -> bool {
    list.iter().zip(fates).all(|((_, end), fate)| match fate {
        Fate::Untouched => true,
        Fate::Used { cycle } => end.is_some_and(|end| *cycle >= end),
        Fate::Overwritten { .. } | Fate::Unknown => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_fault::{Fault, When};
    use upset_state::{ArrayId, Kind};

    fn experiment(kind: Kind, model: Model, when: When) -> Experiment {
        let array = ArrayId::data(kind, 0);
        Experiment::new(vec![Fault { model, array, bits: vec![7, 9], when }]).expect("a fault")
    }

    #[test]
    fn only_wires_that_stick_and_are_told() {
        let stuck = Model::Stuck(true);
        let list = wires(&experiment(Kind::Alu, stuck, When::From(5))).expect("wires");
        assert_eq!((list.len(), list[1].0.from, list[1].0.value, list[1].1), (2, 5, true, None));
        assert!(wires(&experiment(Kind::Sched, stuck, When::From(5))).is_none());
        assert!(wires(&experiment(Kind::Rf, stuck, When::From(5))).is_none());
        assert!(wires(&experiment(Kind::Alu, Model::Flip, When::At(5))).is_none());
    }

    #[test]
    fn what_is_driven_otherwise_only_when_it_no_longer_sticks_is_masked() {
        let stuck = Model::Stuck(true);
        let span = wires(&experiment(Kind::Alu, stuck, When::Span { from: 5, to: 20 })).unwrap();
        let good = wires(&experiment(Kind::Alu, stuck, When::From(5))).unwrap();
        let (late, early) = (Fate::Used { cycle: 20 }, Fate::Used { cycle: 19 });
        assert!(is_dead(&span, &[Fate::Untouched, late]) && is_dead(&good, &[Fate::Untouched; 2]));
        assert!(!is_dead(&span, &[late, early]) && !is_dead(&good, &[Fate::Untouched, late]));
        assert!(!is_dead(&good, &[Fate::Unknown; 2]));
    }
}
