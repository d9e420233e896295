//! What a flip of every bit at every cycle of a launch does, by simulation.
//!
//! A flip changes nothing until the bit is next touched, so all cycles between
//! two accesses to a bit have one outcome: it is simulated once. Bits that
//! nobody touches, or that are overwritten, are simulated like all others.

use std::num::NonZero;

use upset_metrics::{Class, Counts};
use upset_state::Event;

use super::subject::Subject;
use crate::Outcome;

/// Of a bit: the last cycle of each stretch, and the class of flips in it.
type Stretches = Vec<(u64, Class)>;

/// The class of every flip.
pub struct Table {
    /// By number of the bit; empty for those that were left out.
    bits: Vec<Stretches>,
    /// Bits x cycles of each class, over the bits that were simulated.
    pub areas: Vec<(Class, u128)>,
    /// Runs that were made.
    pub runs: Counts,
}

impl Table {
    /// Simulates all stretches of all bits.
    pub fn whole(subject: &Subject) -> Outcome<Table> {
        Table::of(subject, (0..subject.space.bits()).collect())
    }

    /// Simulates all stretches of some bits.
    pub fn of(subject: &Subject, mut bits: Vec<u64>) -> Outcome<Table> {
        bits.sort_unstable();
        bits.dedup();
        let jobs = std::thread::available_parallelism().map_or(1, NonZero::get);
        let share = bits.len().div_ceil(jobs).max(1);
        let parts: Vec<Outcome<Vec<Stretches>>> = std::thread::scope(|scope| {
            let part = |some: &'_ [u64]| some.iter().map(|&b| of_bit(subject, b)).collect();
            let workers: Vec<_> =
                bits.chunks(share).map(|some| scope.spawn(move || part(some))).collect();
            let joined = workers.into_iter().map(|w| w.join());
            joined.map(|r| r.unwrap_or_else(|_| Err("a run failed".into()))).collect()
        });
        let mut table = Table { bits: Vec::new(), areas: Vec::new(), runs: Counts::default() };
        table.bits.resize(subject.space.bits() as usize, Vec::new());
        let found = parts.into_iter().collect::<Outcome<Vec<_>>>()?.into_iter().flatten();
        for (bit, stretches) in bits.into_iter().zip(found) {
            let mut from = subject.window().start;
            for &(last, class) in &stretches {
                table.runs.add(class);
                let cycles = u128::from(last + 1 - from);
                match table.areas.iter_mut().find(|(c, _)| *c == class) {
                    Some((_, area)) => *area += cycles,
                    None => table.areas.push((class, cycles)),
                }
                from = last + 1;
            }
            table.bits[bit as usize] = stretches;
        }
        Ok(table)
    }

    /// The class of a flip; `None` for bits that were left out.
    pub fn class(&self, bit: u64, cycle: u64) -> Option<Class> {
        let stretches = self.bits.get(bit as usize)?;
        let at = stretches.partition_point(|(last, _)| *last < cycle);
        stretches.get(at).map(|(_, class)| *class)
    }

    /// Bits x cycles in which a flip is a failure.
    pub fn failing(&self) -> u128 {
        self.areas.iter().filter(|(c, _)| c.is_failure()).map(|(_, area)| area).sum()
    }

    /// Whether the formula gives every simulated bit the cycles in which a
    /// flip is a failure; else which bit it doesn't.
    pub fn agrees(&self, subject: &Subject) -> Outcome<()> {
        for (bit, stretches) in (0u64..).zip(&self.bits) {
            let mut from = subject.window().start;
            for &(last, class) in stretches {
                let held = subject.held_cycles(bit, from..last + 1);
                let right = if class.is_failure() { last + 1 - from } else { 0 };
                if held != right {
                    let name = subject.program.name;
                    return Err(format!(
                        "{name}: bit {bit} in cycles {from} to {last}: {right} fail, {held} by the formula"
                    ));
                }
                from = last + 1;
            }
        }
        Ok(())
    }
}

/// Last cycle of every stretch of a bit.
fn stretches(subject: &Subject, bit: u64) -> Vec<u64> {
    let window = subject.window();
    let row_bits = subject.row_bits();
    let touches = |e: &&Event| u64::from(e.row) == bit / row_bits && e.covers(bit % row_bits);
    let events = subject.timeline.events.iter().filter(touches);
    // The host's accesses between two launches bear the number of the first
    // cycle; whether a flip in it comes before them only a run can tell.
    let mut ends: Vec<u64> = vec![window.start];
    ends.extend(events.map(|e| e.cycle).filter(|c| window.contains(c)));
    ends.push(window.end - 1);
    ends.sort_unstable();
    ends.dedup();
    ends
}

fn of_bit(subject: &Subject, bit: u64) -> Outcome<Stretches> {
    let mut from = subject.window().start;
    let mut found = Vec::new();
    for last in stretches(subject, bit) {
        found.push((last, subject.class(bit, from)?));
        from = last + 1;
    }
    Ok(found)
}
