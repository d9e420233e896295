//! What is done to the machine in one run.

use upset_state::{ArrayId, Change, Force, Site};

use crate::{Fault, FaultError, Model, When};

/// The most changes of bits that one experiment may take.
pub const MAX_CHANGES: u64 = 1 << 20;

/// The faults of one run.
///
/// Experiments that [`Experiment::new`], parsing and drawing make are in normal
/// form: faults in order of time, then array; bits of the same array, model and
/// time in one fault. Two experiments in normal form do the same exactly when
/// they are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Experiment {
    /// The faults.
    pub faults: Vec<Fault>,
}

impl Experiment {
    /// Puts faults into normal form.
    pub fn new(faults: Vec<Fault>) -> Result<Experiment, FaultError> {
        let mut faults = faults;
        faults.retain(|f| !f.bits.is_empty());
        if faults.is_empty() {
            return Err(FaultError::Empty);
        }
        faults.sort_by_key(|f| (f.when.first(), f.array, f.model, f.when));
        let mut merged: Vec<Fault> = Vec::with_capacity(faults.len());
        for fault in faults {
            match merged.last_mut() {
                Some(last)
                    if (last.model, last.array, last.when)
                        == (fault.model, fault.array, fault.when) =>
                {
                    last.bits.extend(fault.bits);
                }
                _ => merged.push(fault),
            }
        }
        let mut changes = 0u128;
        for fault in &mut merged {
            check_when(fault.model, fault.when)?;
            fault.bits.sort_unstable();
            if let Some(pair) = fault.bits.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(twice(fault.array, pair[0], "named twice"));
            }
            changes += fault.bits.len() as u128 * changes_per_bit(fault);
        }
        if changes > u128::from(MAX_CHANGES) {
            return Err(FaultError::TooMany { changes, limit: MAX_CHANGES });
        }
        let experiment = Experiment { faults: merged };
        experiment.check_holds()?;
        Ok(experiment)
    }

    /// What to do at which cycle, in order of cycles. Within a cycle bits are
    /// first let go, then flipped, then held, so that a span may begin where
    /// another one of the same bit ends.
    pub fn changes(&self) -> Vec<(u64, Change)> {
        let mut changes = Vec::new();
        for fault in &self.faults {
            for &bit in &fault.bits {
                push_changes(fault, bit, &mut changes);
            }
        }
        changes.sort_by_key(|(cycle, change)| {
            let rank = match change {
                Change::LetGo(_) => 0,
                Change::Flip(_) => 1,
                Change::Hold(_) => 2,
            };
            (*cycle, rank)
        });
        changes
    }

    /// Every bit that is hit, fault by fault.
    pub fn sites(&self) -> impl Iterator<Item = Site> {
        self.faults.iter().flat_map(|f| f.bits.iter().map(move |&bit| Site { array: f.array, bit }))
    }

    /// The cycle of the first change.
    pub fn first_cycle(&self) -> u64 {
        self.faults.iter().map(|f| f.when.first()).min().unwrap_or(0)
    }

    /// True when bits flip and nothing sticks.
    pub fn is_transient(&self) -> bool {
        self.faults.iter().all(|f| f.model == Model::Flip)
    }

    /// A bit can be held once at a time: letting it go would end both holds.
    fn check_holds(&self) -> Result<(), FaultError> {
        let mut holds: Vec<(ArrayId, u64, When)> = Vec::new();
        for fault in self.faults.iter().filter(|f| f.model != Model::Flip) {
            holds.extend(fault.bits.iter().map(|&bit| (fault.array, bit, fault.when)));
        }
        holds.sort_unstable_by_key(|(array, bit, when)| (*array, *bit, when.first()));
        for pair in holds.windows(2) {
            let ((array, bit, before), (next_array, next_bit, after)) = (pair[0], pair[1]);
            let overlap = before.end().is_none_or(|end| after.first() < end);
            if (array, bit) == (next_array, next_bit) && overlap {
                return Err(twice(array, bit, "stuck in two ways at the same time"));
            }
        }
        Ok(())
    }
}

fn twice(array: ArrayId, bit: u64, what: &'static str) -> FaultError {
    let site = Site { array, bit };
    FaultError::Twice { site, name: format!("{}.bit{bit}", label(array)), what }
}

/// An array's name where no registry is at hand.
pub(crate) fn label(array: ArrayId) -> String {
    match array.kind.name() {
        Some(kind) => format!("{kind}#{}", array.instance),
        None => format!("{:?}#{}.{}", array.kind, array.instance, array.part).to_lowercase(),
    }
}

/// Does the time suit the model?
pub(crate) fn check_when(model: Model, when: When) -> Result<(), FaultError> {
    let problem = match (model, when) {
        (_, When::Span { from, to }) if from >= to => {
            format!("the span {from}..{to} is empty: its end must be after its start")
        }
        (Model::Flip, When::Span { from, .. } | When::From(from)) => {
            format!("a flip happens at one cycle: write @{from}, or stuck0 or stuck1 in front")
        }
        (Model::Stuck(_) | Model::Burst { .. }, When::At(at)) => {
            format!("a stuck bit needs a span: write @{at}..END, or @{at}.. for good")
        }
        (Model::Burst { .. }, When::From(from)) => {
            format!("a burst needs an end: write @{from}..END")
        }
        (Model::Burst { value, on, off }, _) if on == 0 || off == 0 => format!(
            "a burst of {on}/{off} never changes: give both at least 1, or write stuck{}",
            u8::from(value)
        ),
        _ => return Ok(()),
    };
    Err(FaultError::When(problem))
}

fn changes_per_bit(fault: &Fault) -> u128 {
    match (fault.model, fault.when.end()) {
        (Model::Flip, _) | (Model::Stuck(_), None) => 1,
        (Model::Stuck(_), Some(_)) => 2,
        (Model::Burst { on, off, .. }, end) => {
            let cycles = end.unwrap_or(u64::MAX) - fault.when.first();
            let period = u128::from(on) + u128::from(off);
            2 * u128::from(cycles).div_ceil(period.max(1))
        }
    }
}

fn push_changes(fault: &Fault, bit: u64, changes: &mut Vec<(u64, Change)>) {
    let (array, first) = (fault.array, fault.when.first());
    match fault.model {
        Model::Flip => changes.push((first, Change::Flip(Site { array, bit }))),
        Model::Stuck(value) => {
            let force = Force { array, bit, value };
            changes.push((first, Change::Hold(force)));
            if let Some(end) = fault.when.end() {
                changes.push((end, Change::LetGo(force)));
            }
        }
        Model::Burst { value, on, off } => {
            let force = Force { array, bit, value };
            let end = fault.when.end().unwrap_or(u64::MAX);
            let mut start = first;
            while start < end {
                let free = start.saturating_add(on).min(end);
                changes.push((start, Change::Hold(force)));
                changes.push((free, Change::LetGo(force)));
                start = free.saturating_add(off.max(1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use upset_state::Kind;

    const RF: ArrayId = ArrayId::data(Kind::Rf, 0);
    const SMEM: ArrayId = ArrayId::data(Kind::Smem, 2);

    fn fault(model: Model, bits: &[u64], when: When) -> Fault {
        Fault { model, array: RF, bits: bits.to_vec(), when }
    }

    #[test]
    fn changes_come_in_order_of_time() {
        let held = |bit, value| Force { array: RF, bit, value };
        let e = Experiment::new(vec![
            fault(Model::Stuck(true), &[7], When::Span { from: 5, to: 20 }),
            fault(Model::Stuck(false), &[7], When::From(20)),
            fault(Model::Flip, &[3, 1], When::At(20)),
            fault(Model::Burst { value: true, on: 2, off: 3 }, &[9], When::Span { from: 0, to: 6 }),
        ])
        .unwrap();
        assert_eq!(
            e.changes(),
            [
                (0, Change::Hold(held(9, true))),
                (2, Change::LetGo(held(9, true))),
                (5, Change::Hold(held(9, true))),
                (5, Change::Hold(held(7, true))),
                (6, Change::LetGo(held(9, true))),
                (20, Change::LetGo(held(7, true))),
                (20, Change::Flip(Site { array: RF, bit: 1 })),
                (20, Change::Flip(Site { array: RF, bit: 3 })),
                (20, Change::Hold(held(7, false))),
            ]
        );
        assert_eq!(e.first_cycle(), 0);
        assert!(!e.is_transient());
        assert_eq!(e.sites().map(|s| s.bit).collect::<Vec<_>>(), [9, 7, 1, 3, 7]);
    }

    #[test]
    fn the_order_of_faults_does_not_matter() {
        let a = fault(Model::Flip, &[4], When::At(9));
        let b = fault(Model::Flip, &[2], When::At(9));
        let c = Fault { array: SMEM, ..fault(Model::Flip, &[2], When::At(3)) };
        let one = Experiment::new(vec![a.clone(), b.clone(), c.clone()]).unwrap();
        assert_eq!(one, Experiment::new(vec![c, b, a]).unwrap());
        assert_eq!(one.faults.len(), 2);
        assert_eq!(one.faults[1].bits, [2, 4]);
        assert!(one.is_transient());
    }

    #[test]
    fn contradictions_are_refused() {
        let say = |faults| Experiment::new(faults).unwrap_err().to_string();
        let flip = fault(Model::Flip, &[4], When::At(9));
        assert!(say(vec![]).contains("at least one bit"));
        assert!(say(vec![flip.clone(), flip]).contains("named twice"));
        assert!(say(vec![fault(Model::Flip, &[4], When::From(9))]).contains("write @9,"));
        assert!(say(vec![fault(Model::Stuck(true), &[4], When::At(9))]).contains("@9..END"));
        let empty = When::Span { from: 9, to: 9 };
        assert!(say(vec![fault(Model::Stuck(true), &[4], empty)]).contains("empty"));
        let burst = Model::Burst { value: true, on: 1, off: 0 };
        let span = When::Span { from: 0, to: 9 };
        assert!(say(vec![fault(burst, &[4], span)]).contains("stuck1"));
        let long = Model::Burst { value: true, on: 1, off: 1 };
        let all = When::Span { from: 0, to: u64::MAX };
        assert!(say(vec![fault(long, &[4], all)]).contains("too many"));
        assert!(say(vec![fault(long, &[4], When::From(3))]).contains("needs an end"));
        let holds = vec![
            fault(Model::Stuck(true), &[4], When::From(5)),
            fault(Model::Stuck(false), &[4], When::Span { from: 8, to: 9 }),
        ];
        assert_eq!(
            say(holds),
            "rf#0.bit4 is stuck in two ways at the same time; leave one of the two out"
        );
    }
}
