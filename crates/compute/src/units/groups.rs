//! Units of which an SM has several side by side, for all its schedulers: groups
//! of lanes (Kepler: six of 32 FP32 lanes).
//!
//! An instruction takes the free group with the highest number. Integer products
//! and shifts have the first alone, which is so the last that others take.

use super::pick::Pick;
use crate::code::Op;
use crate::config::{Config, UNITS};

/// Groups of one kind that an SM can have.
pub const MOST: usize = upset_chip::UNIT_GROUPS as usize;

/// When each group is free.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// By unit; empty where the SM has one of each at most.
    free: Vec<[u64; MOST]>,
}

impl Groups {
    /// Those of an SM.
    pub fn new(config: &Config) -> Groups {
        let some = config.units.iter().any(|unit| unit.groups() > 1);
        Groups { free: vec![[0; MOST]; if some { UNITS } else { 0 }] }
    }

    /// The group for an instruction at a cycle: one that is free, else the one
    /// that will be first.
    pub fn pick(&self, op: &Op, now: u64) -> Pick {
        let all = &self.free[usize::from(op.unit)];
        let mut best = Pick { free: u64::MAX, pipe: 0 };
        for group in (0..op.groups).rev() {
            let free = all[usize::from(group) % MOST];
            if free <= now {
                return Pick { free, pipe: group };
            }
            if free < best.free {
                best = Pick { free, pipe: group };
            }
        }
        best
    }

    /// When one of the first `several` groups of a unit is free: as
    /// [`pick`](Groups::pick) has it, or earlier where that is over.
    pub fn first_free(&self, unit: u16, several: u16) -> u64 {
        let all = &self.free[usize::from(unit)];
        all.iter().take(several.into()).fold(u64::MAX, |first, free| first.min(*free))
    }

    /// An instruction keeps the group that was picked for it until `busy`.
    pub fn take(&mut self, op: &Op, pick: Pick, busy: u64) {
        self.free[usize::from(op.unit)][usize::from(pick.pipe) % MOST] = busy;
    }

    /// When each of them is free.
    pub fn each_free(&self, mut f: impl FnMut(u64)) {
        self.free.iter().flatten().for_each(|free| f(*free));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::testing::op;
    use upset_isa::Unit;

    /// An instruction that may take `groups` groups of a unit.
    fn of(unit: Unit, groups: u8) -> Op {
        Op { groups, ..op(unit) }
    }

    fn six() -> Groups {
        Groups { free: vec![[0; MOST]; UNITS] }
    }

    /// Takes a group at cycle `now` for two cycles, if one is free.
    fn take(groups: &mut Groups, op: &Op, now: u64) -> Option<u8> {
        let pick = groups.pick(op, now);
        (pick.free <= now).then(|| {
            groups.take(op, pick, now + 2);
            pick.pipe
        })
    }

    #[test]
    fn groups_are_taken_from_the_last_on_and_come_back() {
        let (mut groups, fma) = (six(), of(Unit::Fma, 3));
        let taken: Vec<Option<u8>> = (0..4).map(|_| take(&mut groups, &fma, 10)).collect();
        assert_eq!(taken, [Some(2), Some(1), Some(0), None]);
        assert_eq!(groups.pick(&fma, 10).free, 12);
        // Others are not kept waiting.
        assert_eq!(take(&mut groups, &of(Unit::Mufu, 2), 10), Some(1));
        assert_eq!((take(&mut groups, &fma, 11), take(&mut groups, &fma, 12)), (None, Some(2)));
    }

    #[test]
    fn the_first_free_of_some_groups_is_when_a_taken_one_is_picked() {
        let mut groups = six();
        let fma = of(Unit::Fma, 3);
        for busy in [14, 12, 13] {
            let pick = groups.pick(&fma, 10);
            groups.take(&fma, pick, busy);
        }
        for several in 1..=3 {
            let op = of(Unit::Fma, several);
            assert_eq!(
                groups.first_free(op.unit.into(), several.into()),
                groups.pick(&op, 10).free
            );
        }
        assert_eq!(groups.first_free(fma.unit.into(), 3), 12);
        assert!(groups.first_free(fma.unit.into(), 4) <= 10, "the fourth was never taken");
    }

    #[test]
    fn integer_products_have_the_first_group_alone() {
        let (mut groups, fma, product) = (six(), of(Unit::Fma, 3), of(Unit::Fma, 1));
        assert_eq!(take(&mut groups, &product, 0), Some(0));
        assert_eq!(take(&mut groups, &product, 1), None);
        let rest: Vec<Option<u8>> = (0..3).map(|_| take(&mut groups, &fma, 1)).collect();
        assert_eq!(rest, [Some(2), Some(1), None]);
    }
}
