//! What is done to the machine in one run.

use upset_state::how::{Does, Rate};
use upset_state::{ArrayId, Change, Force, How, Quirk, Site};

use crate::model::is_control;
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
            fault.model.suits(fault.array, fault.when).map_err(FaultError::Unsuited)?;
            fault.bits.sort_unstable();
            if let Some(pair) = fault.bits.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(twice(fault.array, pair[0], "named twice"));
            }
            changes += fault.bits.len() as u128 * changes_per_bit(fault);
            check_draws(fault)?;
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
                Change::LetGo(_) | Change::End(_) => 0,
                Change::Flip(_) => 1,
                Change::Hold(_) | Change::Begin(_) => 2,
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

    /// True when stored bits flip and nothing else happens.
    pub fn is_transient(&self) -> bool {
        self.faults.iter().all(|f| f.model == Model::Flip && !is_wire(f.array))
    }

    /// A bit can be held once at a time: letting it go would end both holds.
    fn check_holds(&self) -> Result<(), FaultError> {
        let mut holds: Vec<(ArrayId, u64, When)> = Vec::new();
        let lasts = |f: &&Fault| f.model != Model::Flip || is_wire(f.array);
        for fault in self.faults.iter().filter(lasts) {
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

/// Whether an array holds nothing: its bits are what drives them.
fn is_wire(array: ArrayId) -> bool {
    array.kind.about().wire
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
        (Model::Quirk(_), When::At(at)) => {
            format!("a bit misbehaves for a span: write @{at}..END, or @{at}.. for good")
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
        (Model::Flip, _) if is_wire(fault.array) => 2,
        (Model::Quirk(how), Some(end)) if is_control(fault.array) => {
            let cycles = (end - fault.when.first()) as f64;
            // As many as there will be, or nearly: the limit is no hard one.
            2 * (cycles * how.rate.map_or(1.0, Rate::share)).ceil() as u128
        }
        (Model::Flip, _) | (Model::Stuck(_) | Model::Quirk(_), None) => 1,
        (Model::Stuck(_) | Model::Quirk(_), Some(_)) => 2,
        (Model::Burst { on, off, .. }, end) => {
            let cycles = end.unwrap_or(u64::MAX) - fault.when.first();
            let period = u128::from(on) + u128::from(off);
            2 * u128::from(cycles).div_ceil(period.max(1))
        }
    }
}

/// Bits x cycles that are drawn for when an experiment is planned, at most.
const MAX_DRAWS: u128 = 1 << 26;

/// Control state sticks cycle by cycle, and each cycle is drawn.
fn check_draws(fault: &Fault) -> Result<(), FaultError> {
    let (Model::Quirk(_), true, Some(end)) =
        (fault.model, is_control(fault.array), fault.when.end())
    else {
        return Ok(());
    };
    let cycles = end - fault.when.first();
    let draws = u128::from(cycles) * fault.bits.len() as u128;
    match draws > MAX_DRAWS {
        true => Err(FaultError::When(format!(
            "a rate of control state is drawn cycle by cycle: {cycles} cycles of {} bits are too \
             many, at most {MAX_DRAWS} together are possible",
            fault.bits.len()
        ))),
        false => Ok(()),
    }
}

fn push_changes(fault: &Fault, bit: u64, changes: &mut Vec<(u64, Change)>) {
    let (array, first) = (fault.array, fault.when.first());
    let mut misbehave = |how: How| {
        let quirk = Quirk { array, bit, how };
        if let (true, Does::Stick(value), Some(end)) =
            (is_control(array), how.does, fault.when.end())
        {
            let force = Force { array, bit, value };
            for cycle in quirk.cycles(first..end) {
                changes.push((cycle, Change::Hold(force)));
                changes.push((cycle + 1, Change::LetGo(force)));
            }
            return;
        }
        changes.push((first, Change::Begin(quirk)));
        if let Some(end) = fault.when.end() {
            changes.push((end, Change::End(quirk)));
        }
    };
    match fault.model {
        // A wire has nothing that would stay inverted: it is for that cycle.
        Model::Flip if is_wire(array) => misbehave(How::always(Does::Invert)),
        Model::Quirk(how) => misbehave(how),
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
        let how: How = "invert(rate=0.5,seed=2)".parse().unwrap();
        let invert = Model::Quirk(how);
        let quirk = |bit| Quirk { array: RF, bit, how };
        let e = Experiment::new(vec![
            fault(Model::Stuck(true), &[7], When::Span { from: 5, to: 20 }),
            fault(Model::Stuck(false), &[7], When::From(20)),
            fault(Model::Flip, &[3, 1], When::At(20)),
            fault(Model::Burst { value: true, on: 2, off: 3 }, &[9], When::Span { from: 0, to: 6 }),
            fault(invert, &[8], When::Span { from: 6, to: 20 }),
            fault(invert, &[6], When::From(20)),
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
                (6, Change::Begin(quirk(8))),
                (20, Change::LetGo(held(7, true))),
                (20, Change::End(quirk(8))),
                (20, Change::Flip(Site { array: RF, bit: 1 })),
                (20, Change::Flip(Site { array: RF, bit: 3 })),
                (20, Change::Hold(held(7, false))),
                (20, Change::Begin(quirk(6))),
            ]
        );
        assert_eq!(e.first_cycle(), 0);
        assert!(!e.is_transient());
        assert_eq!(e.sites().map(|s| s.bit).collect::<Vec<_>>(), [9, 7, 8, 1, 3, 7, 6]);
    }

    #[test]
    fn a_flip_of_a_wire_lasts_for_its_cycle() {
        let array = ArrayId::data(Kind::Fma, 0);
        let flip = |bit, at| Fault { array, ..fault(Model::Flip, &[bit], When::At(at)) };
        let e = Experiment::new(vec![flip(3, 7), flip(3, 8)]).unwrap();
        let quirk = Quirk { array, bit: 3, how: How::always(Does::Invert) };
        let (begin, end) = (Change::Begin(quirk), Change::End(quirk));
        assert_eq!(e.changes(), [(7, begin), (8, end), (8, begin), (9, end)]);
        // It is not a stored bit that flips, and nothing is known without its run.
        assert!(!e.is_transient());
        let stuck = Fault { array, ..fault(Model::Stuck(true), &[3], When::From(2)) };
        assert!(Experiment::new(vec![stuck, flip(3, 7)]).is_err());
        let only = Model::Quirk("invert(if a=1)".parse().unwrap());
        assert!(Experiment::new(vec![Fault { array, ..fault(only, &[3], When::From(2)) }]).is_ok());
    }

    #[test]
    fn control_state_sticks_in_the_cycles_that_are_drawn() {
        let array = ArrayId::data(Kind::Mask, 0);
        let how: How = "stuck0(rate=0.25,seed=5)".parse().unwrap();
        let of = |when| Fault { array, ..fault(Model::Quirk(how), &[3, 4], when) };
        let e = Experiment::new(vec![of(When::Span { from: 100, to: 300 })]).unwrap();
        let changes = e.changes();
        assert!(changes.is_sorted_by_key(|c| c.0));
        for bit in [3, 4] {
            let quirk = Quirk { array, bit, how };
            let force = Force { array, bit, value: false };
            let hit: Vec<u64> = (100..300).filter(|c| quirk.may_act(*c)).collect();
            assert!(hit.len().abs_diff(50) < 30, "{}", hit.len());
            let of_bit = |wanted: Change, later: u64| -> Vec<u64> {
                let found = changes.iter().filter(|c| c.1 == wanted);
                found.map(|c| c.0 - later).collect()
            };
            assert_eq!(of_bit(Change::Hold(force), 0), hit);
            assert_eq!(of_bit(Change::LetGo(force), 1), hit);
        }
        assert_eq!((e.first_cycle(), e.is_transient()), (100, false));
        let say = |when| Experiment::new(vec![of(when)]).unwrap_err().to_string();
        assert!(say(When::From(9)).contains("a rate needs an end there, write @9..END"));
        assert!(say(When::Span { from: 0, to: 1 << 40 }).contains("too many"));
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
        let invert = Model::Quirk("invert".parse().unwrap());
        assert!(say(vec![fault(invert, &[4], When::At(9))]).contains("@9..END"));
        let mask = ArrayId::data(Kind::Mask, 0);
        let control = Fault { array: mask, ..fault(invert, &[4], When::From(9)) };
        assert!(say(vec![control]).contains("thread masks are control state"));
        let only = Model::Quirk("invert(if a=1)".parse().unwrap());
        assert!(say(vec![fault(only, &[4], When::From(9))]).starts_with("rf has no operands"));
        let holds = vec![
            fault(invert, &[4], When::From(5)),
            fault(Model::Stuck(false), &[4], When::Span { from: 8, to: 9 }),
        ];
        assert!(say(holds).contains("stuck in two ways"));
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
