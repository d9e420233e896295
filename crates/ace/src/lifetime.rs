//! From accesses to intervals: which words are alive when.

use upset_state::Access;

/// Until when each granule (lane, byte or whole row) of a row is accounted
/// for: the first cycle at which a flip has not been decided yet.
#[derive(Clone, Debug)]
pub(crate) enum Since {
    /// All granules alike.
    Same(u64),
    /// One by one.
    Each(Box<[u64]>),
}

impl Default for Since {
    fn default() -> Since {
        Since::Same(0)
    }
}

/// Whether a value that meets this access next was needed. `None`: it stays,
/// and what comes later decides.
pub(crate) fn needed(access: Access) -> Option<bool> {
    match access {
        Access::Read | Access::WriteBack | Access::CopyOut => Some(true),
        Access::Write | Access::Fill | Access::Evict => Some(false),
        // Bits stay as they are: the next owner may read before it writes.
        Access::Allocate | Access::Release => None,
    }
}

impl Since {
    /// The first undecided cycle of a granule.
    pub(crate) fn of(&self, granule: u32) -> u64 {
        match self {
            Since::Same(since) => *since,
            Since::Each(each) => each.get(granule as usize).copied().unwrap_or(0),
        }
    }

    /// An access to `granules` in the cycle before `to`. Calls `span` with the
    /// first undecided cycle and the number of granules that share it.
    pub(crate) fn access(
        &mut self,
        granules: u128,
        count: u32,
        to: u64,
        mut span: impl FnMut(u64, u32),
    ) {
        let all = if count >= 128 { u128::MAX } else { (1 << count) - 1 };
        let granules = granules & all;
        if granules == 0 {
            return;
        }
        match self {
            Since::Same(since) => {
                if *since < to {
                    span(*since, granules.count_ones());
                }
                if granules == all {
                    *since = to.max(*since);
                } else if *since < to {
                    let mut each = vec![*since; count as usize].into_boxed_slice();
                    let mut left = granules;
                    while left != 0 {
                        each[left.trailing_zeros() as usize] = to;
                        left &= left - 1;
                    }
                    *self = Since::Each(each);
                }
            }
            Since::Each(each) => {
                // Neighbours mostly share their history.
                let (mut since, mut run) = (0, 0);
                let mut left = granules;
                while left != 0 {
                    let one = &mut each[left.trailing_zeros() as usize];
                    left &= left - 1;
                    if *one >= to {
                        continue;
                    }
                    if *one != since && run > 0 {
                        span(since, run);
                        run = 0;
                    }
                    since = *one;
                    run += 1;
                    *one = to;
                }
                if run > 0 {
                    span(since, run);
                }
                if granules == all && each.iter().all(|e| *e == each[0]) {
                    *self = Since::Same(each[0]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(since: &mut Since, granules: u128, to: u64) -> Vec<(u64, u32)> {
        let mut seen = Vec::new();
        since.access(granules, 4, to, |from, n| seen.push((from, n)));
        seen
    }

    #[test]
    fn granules_go_their_own_ways_and_meet_again() {
        let mut s = Since::default();
        assert_eq!(spans(&mut s, 0b1111, 5), [(0, 4)]);
        assert!(matches!(s, Since::Same(5)));
        assert_eq!(spans(&mut s, 0b0101, 9), [(5, 2)]);
        assert_eq!(spans(&mut s, 0b0101, 9), []);
        assert_eq!(spans(&mut s, 0b1111, 12), [(9, 1), (5, 1), (9, 1), (5, 1)]);
        assert!(matches!(s, Since::Same(12)));
    }
}
