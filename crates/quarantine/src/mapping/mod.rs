//! Which unit does which item of work when some units are bad.
//!
//! A *group* is what repeats: the lanes that share a unit's position, or the
//! SMs of a chip. All of it is pure, and proved for every size up to 2,048.

pub mod listing3;
pub mod rank;
pub mod ticket;

/// Which units of a group of at most 32 are bad, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    size: u32,
    bad: u32,
}

impl Group {
    /// A group of 1 to 32 units; none if all of them are bad, a bad one is not
    /// in the group, or the size is another.
    pub fn new(size: u32, bad: u32) -> Option<Group> {
        let all = u32::MAX.checked_shr(32u32.checked_sub(size)?)?;
        let fits = size > 0 && bad & !all == 0 && bad != all;
        fits.then_some(Group { size, bad })
    }

    /// Units in the group.
    pub fn size(self) -> u32 {
        self.size
    }

    /// Units that are left.
    pub fn good(self) -> u32 {
        self.size - self.bad.count_ones()
    }

    /// Whether a unit is bad; units are numbered on over all groups.
    pub fn is_bad(self, unit: u32) -> bool {
        self.bad >> (unit % self.size) & 1 == 1
    }

    /// How many good units of its group come before a unit.
    pub fn rank(self, unit: u32) -> u32 {
        let before = (1u32 << (unit % self.size)) - 1;
        (!self.bad & before).count_ones()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Every group of 4, 8, 16 and 32 with one or two bad units: 710 of them.
    pub(crate) fn groups() -> Vec<Group> {
        let mut all = Vec::new();
        for size in [4, 8, 16, 32] {
            for a in 0..size {
                all.extend((a..size).filter_map(|b| Group::new(size, 1 << a | 1 << b)));
            }
        }
        assert_eq!(all.len(), 10 + 36 + 136 + 528);
        all
    }

    #[test]
    fn groups_that_cannot_work_are_refused() {
        for (size, bad) in [(0, 0), (33, 0), (4, 0b1111), (4, 0b10000), (32, u32::MAX)] {
            assert_eq!(Group::new(size, bad), None, "{size} {bad:#b}");
        }
        let group = Group::new(32, 1 << 31).unwrap();
        assert_eq!((group.size(), group.good()), (32, 31));
        assert!(group.is_bad(31) && group.is_bad(63) && !group.is_bad(32));
    }
}
