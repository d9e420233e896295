//! Scheduler policies: in which order a sub-core looks at its warps.

use upset_chip::SchedulerPolicy;

use super::order::Order;

/// The awake warps of a sub-core in the order in which a policy looks at them.
pub(crate) struct Turns {
    by_age: [u8; 64],
    /// Places of those whose turn is yet to come: first these, then those.
    left: [u64; 2],
    backwards: bool,
    greedy: Option<u8>,
}

impl Turns {
    /// The order of this cycle.
    #[inline]
    pub fn new(policy: SchedulerPolicy, order: &Order, awake: u64, last: u8) -> Turns {
        let greedy = matches!(
            policy,
            SchedulerPolicy::GreedyThenOldest | SchedulerPolicy::GreedyThenYoungest
        );
        let greedy = (greedy && awake >> last & 1 == 1).then_some(last);
        let awake = order.places(awake & !greedy.map_or(0, |w| 1 << w));
        let left = match policy {
            // Turns by age, starting after the one that issued last.
            SchedulerPolicy::LooseRoundRobin => {
                let before = order.position(last).map_or(0, |i| u64::MAX >> (63 - i));
                [awake & !before, awake & before]
            }
            _ => [awake, 0],
        };
        let backwards = policy == SchedulerPolicy::GreedyThenYoungest;
        Turns { by_age: order.by_age(), left, backwards, greedy }
    }

    /// The first of the warps.
    #[inline(always)]
    pub fn first(policy: SchedulerPolicy, order: &Order, awake: u64, last: u8) -> Option<usize> {
        if awake & awake.wrapping_sub(1) == 0 {
            return (awake != 0).then(|| awake.trailing_zeros() as usize);
        }
        Turns::first_of_some(policy, order, awake, last)
    }

    #[inline(never)]
    fn first_of_some(
        policy: SchedulerPolicy,
        order: &Order,
        awake: u64,
        last: u8,
    ) -> Option<usize> {
        match policy {
            SchedulerPolicy::GreedyThenOldest | SchedulerPolicy::GreedyThenYoungest
                if awake >> last & 1 == 1 =>
            {
                Some(usize::from(last))
            }
            SchedulerPolicy::GreedyThenOldest | SchedulerPolicy::OldestFirst => order.oldest(awake),
            _ => Turns::new(policy, order, awake, last).next(),
        }
    }

    /// The next warp to look at.
    #[inline]
    pub fn next(&mut self) -> Option<usize> {
        if let Some(w) = self.greedy.take() {
            return Some(usize::from(w));
        }
        if self.left[0] == 0 {
            self.left = [self.left[1], 0];
        }
        let left = self.left[0];
        if left == 0 {
            return None;
        }
        let place = match self.backwards {
            true => 63 - left.leading_zeros(),
            false => left.trailing_zeros(),
        };
        self.left[0] &= !(1 << place);
        Some(usize::from(self.by_age[place as usize % 64]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(policy: SchedulerPolicy, awake: u64, last: u8) -> Vec<usize> {
        let mut by_age = Order::default();
        for w in [3, 0, 2, 5] {
            by_age.push(w);
        }
        let mut turns = Turns::new(policy, &by_age, awake, last);
        std::iter::from_fn(|| turns.next()).collect()
    }

    #[test]
    fn policies_look_at_warps_in_their_order() {
        let all = 0b101101;
        assert_eq!(order(SchedulerPolicy::GreedyThenOldest, all, 2), [2, 3, 0, 5]);
        assert_eq!(order(SchedulerPolicy::GreedyThenYoungest, all, 0), [0, 5, 2, 3]);
        assert_eq!(order(SchedulerPolicy::OldestFirst, all, 2), [3, 0, 2, 5]);
        assert_eq!(order(SchedulerPolicy::LooseRoundRobin, all, 0), [2, 5, 3, 0]);
        assert_eq!(order(SchedulerPolicy::GreedyThenOldest, 0b1001, 2), [3, 0]);
        for policy in [SchedulerPolicy::GreedyThenOldest, SchedulerPolicy::LooseRoundRobin] {
            let mut by_age = Order::default();
            [3, 0, 2, 5].into_iter().for_each(|w| by_age.push(w));
            for awake in [0, 0b100, 0b1001, all] {
                // Who comes next is the first of those that are left.
                let mut left = awake;
                let told: Vec<usize> = std::iter::from_fn(|| {
                    let first = Turns::first(policy, &by_age, left, 2)?;
                    left &= !(1 << first);
                    Some(first)
                })
                .collect();
                assert_eq!(told, order(policy, awake, 2));
            }
        }
        // The one that issued last has left.
        assert_eq!(order(SchedulerPolicy::LooseRoundRobin, all, 1), [3, 0, 2, 5]);
    }
}
