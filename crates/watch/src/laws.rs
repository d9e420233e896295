//! Laws of counters as alarms: see `upset_machine::laws`.

use upset_machine::laws::{self, Law};
use upset_machine::pmu::{Counter, Counts, Reading};

use crate::alarm::{Alarm, Layer};

/// Laws that a run breaks.
pub fn judge(run: &[Reading]) -> Vec<Alarm> {
    let mut alarms = Vec::new();
    for reading in run {
        for broken in laws::check(reading).broken {
            let to = reading.periods.get(broken.period).map_or(reading.cycles, |p| p.to);
            let last = broken.period + 1 == reading.periods.len();
            alarms.push(Alarm {
                layer: Layer::Laws,
                what: broken.law.name.into(),
                counters: counters(broken.law, reading),
                launch: reading.launch,
                kernel: reading.kernel.clone(),
                period: (!last).then_some(broken.period as u64),
                sm: broken.sm.map(|sm| sm as u32),
                value: broken.left as f64,
                allowed: (broken.right as f64, broken.right as f64),
                cycle: reading.start + to,
                before_output: true,
            });
        }
    }
    alarms
}

/// Counters that a law compares: those that move one of its sides.
fn counters(law: &Law, reading: &Reading) -> Vec<String> {
    let sides = |counts: &Counts| law.sides(counts, reading, 1);
    let still = sides(&Counts::default());
    let moves = |counter: &&Counter| {
        let mut counts = Counts::default();
        counts.set(**counter, 1);
        sides(&counts) != still
    };
    Counter::ALL.iter().filter(moves).map(|c| c.name().to_string()).collect()
}
