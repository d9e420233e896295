//! Execution units: when they are free, how long an instruction takes, what it does.

mod execute;
mod groups;
pub mod hazard;
pub mod latency;
mod pick;
pub(crate) mod result;
mod write_back;

pub use groups::Groups;
pub use pick::Pick;

use crate::code::Op;
use crate::config::UNITS;

/// When units take another instruction.
#[derive(Clone, Debug)]
pub struct Units {
    /// First cycle at which each unit is free.
    pub free: [u64; UNITS],
    /// First cycle at which the FP32 pipe is free that cannot multiply integers.
    pub lite_free: u64,
}

impl Default for Units {
    fn default() -> Self {
        Units { free: [0; UNITS], lite_free: 0 }
    }
}

/// What an instruction needs of its unit, as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need(u16);

/// In a need: the SM's unit, not the scheduler's.
const SHARED: u16 = 16;
/// In a need: either of two FP32 pipes.
const EITHER: u16 = 32;
/// Where a need says of how many groups any will do.
const GROUPS: u32 = 8;

impl Need {
    /// That of an instruction.
    #[inline]
    pub fn of(op: &Op) -> Need {
        let shared = if op.shared_unit { SHARED } else { 0 };
        let either = if op.lite { EITHER } else { 0 };
        let groups = if op.shared_unit { u16::from(op.groups) << GROUPS } else { 0 };
        Need(u16::from(op.unit) | shared | either | groups)
    }
}

/// Number of the FP32 pipe that cannot multiply integers, of two.
const LITE: u8 = 1;

impl Units {
    /// The unit for an instruction: of these, which a scheduler has, or one of
    /// those that all schedulers share.
    #[inline]
    pub fn pick(&self, shared: &Units, op: &Op) -> Pick {
        let all = if op.shared_unit { &shared.free } else { &self.free };
        let free = all[usize::from(op.unit)];
        match op.lite && self.lite_free <= free {
            true => Pick { free: self.lite_free, pipe: LITE },
            false => Pick { free, pipe: 0 },
        }
    }

    /// When what [`pick`](Units::pick) finds for an instruction of this need is free.
    #[inline]
    pub fn free_for(&self, shared: &Units, groups: &Groups, need: Need) -> u64 {
        let several = need.0 >> GROUPS;
        if several != 0 {
            return groups.first_free(need.0 % SHARED, several);
        }
        let all = if need.0 & SHARED != 0 { &shared.free } else { &self.free };
        let free = all[usize::from(need.0 % SHARED)];
        if need.0 & EITHER != 0 { free.min(self.lite_free) } else { free }
    }

    /// An instruction keeps the unit that was picked for it until `busy`.
    #[inline]
    pub fn take(&mut self, shared: &mut Units, op: &Op, pick: Pick, busy: u64) {
        let unit = usize::from(op.unit);
        match (pick.pipe, op.shared_unit) {
            (LITE, _) => self.lite_free = busy,
            (_, true) => shared.free[unit] = busy,
            _ => self.free[unit] = busy,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::testing::op;
    use upset_isa::Unit;

    #[test]
    fn each_unit_is_busy_on_its_own() {
        let (mut own, mut shared) = (Units::default(), Units::default());
        let (alu, mufu) = (op(Unit::Alu), op(Unit::Mufu));
        let pick = own.pick(&shared, &alu);
        own.take(&mut shared, &alu, pick, 12);
        assert_eq!(own.pick(&shared, &alu).free, 12);
        assert_eq!(own.pick(&shared, &mufu).free, 0);
    }

    #[test]
    fn shared_units_keep_all_sub_cores_waiting() {
        let (mut one, mut shared) = (Units::default(), Units::default());
        let mut fp64 = op(Unit::Fp64);
        fp64.shared_unit = true;
        let pick = one.pick(&shared, &fp64);
        one.take(&mut shared, &fp64, pick, 16);
        let other = Units::default();
        assert_eq!(other.pick(&shared, &fp64).free, 16);
        fp64.shared_unit = false;
        assert_eq!(other.pick(&shared, &fp64).free, 0);
    }

    #[test]
    fn of_two_fp32_pipes_the_one_that_was_free_first_is_taken() {
        let (mut own, mut shared) = (Units::default(), Units::default());
        let mut fma = op(Unit::Fma);
        fma.lite = true;
        let frees: Vec<u64> = (0..4)
            .map(|n| {
                let pick = own.pick(&shared, &fma);
                let need = Need::of(&fma);
                assert_eq!(own.free_for(&shared, &Groups::default(), need), pick.free);
                own.take(&mut shared, &fma, pick, 2 + n);
                pick.free
            })
            .collect();
        assert_eq!(frees, [0, 0, 2, 3]);
        // Integers have one of them only.
        fma.lite = false;
        assert_eq!(own.pick(&shared, &fma).free, 5);
    }
}
