//! Scheduler policies: in which order a sub-core looks at its warps.

use upset_chip::SchedulerPolicy;

use super::order::Order;

/// The awake warps of a sub-core in the order in which a policy looks at them.
pub(crate) struct Turns {
    order: Order,
    left: usize,
    /// Next place, and where the places begin anew.
    at: usize,
    len: usize,
    backwards: bool,
    greedy: Option<u8>,
    awake: u64,
}

impl Turns {
    /// The order of this cycle.
    pub fn new(policy: SchedulerPolicy, order: Order, awake: u64, last: u8) -> Turns {
        let len = order.len();
        let greedy = matches!(
            policy,
            SchedulerPolicy::GreedyThenOldest | SchedulerPolicy::GreedyThenYoungest
        );
        let backwards = policy == SchedulerPolicy::GreedyThenYoungest;
        let at = match policy {
            SchedulerPolicy::GreedyThenYoungest => len.saturating_sub(1),
            SchedulerPolicy::GreedyThenOldest | SchedulerPolicy::OldestFirst => 0,
            // Turns by age, starting after the one that issued last.
            SchedulerPolicy::LooseRoundRobin => {
                order.position(last).map_or(0, |i| (i + 1) % len.max(1))
            }
        };
        let greedy = (greedy && awake >> last & 1 == 1).then_some(last);
        Turns { order, left: len, at, len, backwards, greedy, awake }
    }

    /// The next warp to look at.
    pub fn next(&mut self) -> Option<usize> {
        if let Some(w) = self.greedy.take() {
            self.awake &= !(1 << w);
            return Some(usize::from(w));
        }
        while self.left > 0 {
            self.left -= 1;
            let w = self.order.at(self.at);
            self.at = match self.backwards {
                true => self.at.checked_sub(1).unwrap_or(self.len - 1),
                false if self.at + 1 == self.len => 0,
                false => self.at + 1,
            };
            if self.awake >> w & 1 == 1 {
                return Some(usize::from(w));
            }
        }
        None
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
        let mut turns = Turns::new(policy, by_age, awake, last);
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
        // The one that issued last has left.
        assert_eq!(order(SchedulerPolicy::LooseRoundRobin, all, 1), [3, 0, 2, 5]);
    }
}
