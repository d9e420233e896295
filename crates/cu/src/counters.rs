//! Counters of outstanding memory operations: what `s_waitcnt` waits for.

use upset_gcn::row::Raises;
use upset_gcn::wave::Waits;

/// Names of the counters, as sites have them.
pub const NAMES: &[&str] = &["vmcnt", "expcnt", "lgkmcnt"];
/// Bits of each in an array; those that the narrower ones lack read as zero.
pub const BITS: u32 = 4;
/// Bits that each really has, as a mask: `s_waitcnt` has no more.
const THERE: [u8; 3] = [15, 7, 15];

/// Counters of a wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counters {
    values: [u8; 3],
}

/// Which counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Counter {
    /// Vector memory.
    Vm,
    /// Data of stores that has yet to be read.
    Exp,
    /// LDS and scalar memory.
    Lgkm,
}

impl Counters {
    /// Whether all are as low as a wait wants them.
    #[inline]
    pub fn allow(&self, waits: Waits) -> bool {
        let [vm, exp, lgkm] = self.values;
        vm <= waits.vm && exp <= waits.exp && lgkm <= waits.lgkm
    }

    /// Whether they can be raised without running over the chip's limits.
    #[inline]
    pub fn have_room(&self, by: Raises, most: &[u8; 3]) -> bool {
        let sums = self.values.iter().zip([by.vm, by.exp, by.lgkm]);
        sums.zip(most).all(|((v, by), most)| by == 0 || v + by <= *most)
    }

    /// An operation begins.
    #[inline]
    pub fn raise(&mut self, by: Raises) {
        for (v, by) in self.values.iter_mut().zip([by.vm, by.exp, by.lgkm]) {
            *v = v.wrapping_add(by) & 15;
        }
    }

    /// A part of one is over. A counter that a fault has emptied stays empty.
    #[inline]
    pub fn lower(&mut self, which: Counter, by: u8) {
        let v = &mut self.values[which as usize];
        *v = v.saturating_sub(by);
    }

    /// A bit of a counter.
    pub fn get(&self, counter: usize, bit: u32) -> bool {
        self.values[counter % 3] >> bit & 1 == 1
    }

    /// Changes a bit, if the counter has it.
    pub fn set(&mut self, counter: usize, bit: u32, value: bool) {
        let which = counter % 3;
        if THERE[which] >> bit & 1 == 1 {
            let v = &mut self.values[which];
            *v = *v & !(1 << bit) | u8::from(value) << bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_over_when_every_counter_is_low_enough() {
        let mut c = Counters::default();
        c.raise(Raises { vm: 1, lgkm: 2, exp: 1 });
        c.raise(Raises { vm: 1, lgkm: 0, exp: 0 });
        let waits = |vm, exp, lgkm| Waits { vm, exp, lgkm };
        assert!(c.allow(waits(2, 1, 2)) && !c.allow(waits(1, 7, 15)) && !c.allow(waits(15, 0, 15)));
        c.lower(Counter::Vm, 1);
        c.lower(Counter::Lgkm, 2);
        c.lower(Counter::Exp, 1);
        assert!(c.allow(waits(1, 0, 0)) && !c.allow(waits(0, 0, 0)));
        c.lower(Counter::Exp, 1);
        assert!(c.allow(waits(1, 0, 0)));
    }

    #[test]
    fn nothing_issues_that_would_run_over() {
        let mut c = Counters::default();
        let store = Raises { vm: 1, lgkm: 0, exp: 1 };
        (0..7).for_each(|_| c.raise(store));
        let most = [15, 7, 15];
        assert!(!c.have_room(store, &most) && c.have_room(Raises { exp: 0, ..store }, &most));
    }

    #[test]
    fn bits_that_are_not_there_cannot_be_set() {
        let mut c = Counters::default();
        c.set(1, 3, true);
        assert_eq!(c, Counters::default());
        c.set(1, 2, true);
        c.set(0, 3, true);
        assert!(c.get(1, 2) && c.get(0, 3) && !c.get(2, 0));
    }
}
