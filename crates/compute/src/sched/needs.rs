//! Which warps of a scheduler wait for nothing but a unit, by unit: while it is taken
//! none of them need be tried.

use crate::units::Need;

/// Different needs of one scheduler's warps that are kept.
const KINDS: usize = 4;

/// Warps by what they need, as bits.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct Needs {
    /// All of them: often there are none.
    all: u64,
    kinds: [(Option<Need>, u64); KINDS],
}

impl Needs {
    /// A warp was tried and needs this until it issues. (There may be no room to keep
    /// that: then it is tried again.)
    pub fn add(&mut self, warp: usize, need: Need) {
        let here = self.kinds.iter().position(|(kind, _)| *kind == Some(need));
        let place = here.or_else(|| self.kinds.iter().position(|(_, warps)| *warps == 0));
        if let Some((kind, warps)) = place.and_then(|at| self.kinds.get_mut(at)) {
            *kind = Some(need);
            *warps |= 1 << warp;
            self.all |= 1 << warp;
        }
    }

    /// What a warp needs is no longer known.
    #[inline]
    pub fn forget(&mut self, warp: usize) {
        if self.all >> warp & 1 == 1 {
            self.all &= !(1 << warp);
            self.kinds.iter_mut().for_each(|(_, warps)| *warps &= !(1 << warp));
        }
    }

    /// Of some warps those whose unit is taken at a cycle, and when the first of these
    /// units is free.
    #[inline]
    pub fn taken(&self, of: u64, now: u64, free: impl Fn(Need) -> u64) -> (u64, u64) {
        let (mut taken, mut first) = (0, u64::MAX);
        if self.all & of == 0 {
            return (taken, first);
        }
        for (kind, warps) in &self.kinds {
            let warps = warps & of;
            if let (Some(need), true) = (*kind, warps != 0) {
                let free = free(need);
                if free > now {
                    taken |= warps;
                    first = first.min(free);
                }
            }
        }
        (taken, first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::testing::op;
    use upset_isa::Unit;

    #[test]
    fn who_needs_a_unit_that_is_taken_is_told_with_when_it_is_free() {
        let need = |unit| Need::of(&op(unit));
        let mut needs = Needs::default();
        needs.add(3, need(Unit::Alu));
        needs.add(5, need(Unit::Alu));
        needs.add(6, need(Unit::Half));
        let free = |one| if one == need(Unit::Alu) { 12 } else { 9 };
        assert_eq!(needs.taken(!0, 10, free), (0b101000, 12));
        assert_eq!(needs.taken(!0, 8, free), (0b1101000, 9));
        assert_eq!(needs.taken(1 << 6, 10, free), (0, u64::MAX));
        needs.forget(3);
        assert_eq!(needs.taken(!0, 10, free), (0b100000, 12));
    }

    #[test]
    fn what_there_is_no_room_for_is_not_kept() {
        let mut needs = Needs::default();
        let units = [Unit::Alu, Unit::Fma, Unit::Half, Unit::Mufu, Unit::Branch];
        for (warp, unit) in units.into_iter().enumerate() {
            needs.add(warp, Need::of(&op(unit)));
        }
        assert_eq!(needs.taken(!0, 0, |_| 1), (0b1111, 1));
        needs.forget(1);
        needs.add(4, Need::of(&op(Unit::Branch)));
        assert_eq!(needs.taken(!0, 0, |_| 1), (0b11101, 1));
    }
}
