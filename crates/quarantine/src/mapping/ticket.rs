//! Tickets: a CTA asks for the number of a block until there is none left.
//!
//! [`Counter`] is the whole of it; `kernels/quarantine/ticket.cuh` is the same
//! rule as machine code. Nothing is assumed about where CTAs run or in which
//! order they ask.

/// Most blocks of a launch: tickets that are asked for in vain count on, and
/// must not come round to 0.
pub const MOST_BLOCKS: u64 = 1 << 31;

/// The counter of one launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counter {
    next: u32,
    total: u32,
}

impl Counter {
    /// For a launch of `total` blocks.
    pub fn new(total: u32) -> Counter {
        Counter { next: 0, total }
    }

    /// What a CTA gets: a block, or none, and then it leaves.
    pub fn take(&mut self, on_bad_sm: bool) -> Option<u32> {
        if on_bad_sm {
            return None;
        }
        let ticket = self.next;
        self.next += 1;
        (ticket < self.total).then_some(ticket)
    }

    /// What the counter says once all CTAs have left.
    pub fn verdict(&self) -> Verdict {
        verdict(self.next, self.total)
    }
}

/// What a launch did, from its counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Every block was done.
    Complete,
    /// Nothing was done: no CTA was on a good SM. It may be launched again.
    Nothing,
    /// Some blocks were done, which no working chip does: a good CTA leaves
    /// only when no block is left.
    Partial,
}

/// What a launch of `total` blocks did that left its counter at `next`.
pub fn verdict(next: u32, total: u32) -> Verdict {
    match next {
        next if next >= total => Verdict::Complete,
        0 => Verdict::Nothing,
        _ => Verdict::Partial,
    }
}

/// CTAs to launch for `total` blocks: as many as the chip holds, but no more
/// than there is work for besides those that leave, and one for each SM at
/// least, so that good ones are reached. `attempt` doubles it each time nobody
/// good was reached.
pub fn ctas(total: u32, sms: u32, bad_sms: u32, per_sm: u32, attempt: u32) -> u32 {
    let room = sms.saturating_mul(per_sm.max(1));
    let wanted = total.saturating_add(bad_sms.saturating_mul(per_sm));
    wanted.min(room).max(sms).saturating_mul(1 << attempt.min(16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::tests::groups;

    /// Runs a launch of one CTA on each SM of a group; `turn` says who asks
    /// next. Returns how often each block was done.
    fn run(
        total: u32,
        bad: impl Fn(u32) -> bool,
        sms: u32,
        mut turn: impl FnMut() -> u32,
    ) -> Vec<u8> {
        let mut counter = Counter::new(total);
        let mut times = vec![0u8; total as usize];
        let mut left = sms;
        let mut here = vec![true; sms as usize];
        while left > 0 {
            let sm = turn() % sms;
            if !here[sm as usize] {
                continue;
            }
            match counter.take(bad(sm)) {
                Some(block) => times[block as usize] += 1,
                None => {
                    here[sm as usize] = false;
                    left -= 1;
                }
            }
        }
        assert_eq!(counter.verdict(), Verdict::Complete);
        times
    }

    /// Every size, every bad set. Who takes a ticket does not depend on how many
    /// there are, so a launch of N blocks is the beginning of a larger one, and
    /// then all find that none is left.
    #[test]
    fn every_block_is_taken_exactly_once() {
        const MOST: u32 = 2_048;
        for group in groups() {
            let mut counter = Counter::new(MOST);
            let mut times = vec![0u8; MOST as usize];
            let mut sms = (0..group.size()).cycle();
            for total in 1..=MOST {
                let block = sms.find_map(|sm| counter.take(group.is_bad(sm)));
                times[block.unwrap() as usize] += 1;
                assert_eq!(times[total as usize - 1], 1, "{group:?} {total}");
                let mut end = Counter { total, ..counter.clone() };
                assert!((0..group.size()).all(|sm| end.take(group.is_bad(sm)).is_none()));
                assert_eq!(end.next, total + group.good());
                assert_eq!(end.verdict(), Verdict::Complete);
            }
            assert!(times.iter().all(|&n| n == 1), "{group:?}");
        }
    }

    #[test]
    fn in_any_order_of_asking() {
        for (i, group) in groups().into_iter().enumerate() {
            let mut state = i as u64;
            let mut turn = || {
                // A linear congruential generator, constants by Knuth.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) as u32
            };
            for total in [1, 2, 3, 7, 30, 31, 32, 33, 64, 100, 448, 1_024, 2_047, 2_048] {
                let times = run(total, |sm| group.is_bad(sm), group.size(), &mut turn);
                assert!(times.iter().all(|&n| n == 1), "{group:?} {total}");
            }
        }
    }

    #[test]
    fn a_launch_that_reached_no_good_sm_did_nothing() {
        let mut counter = Counter::new(5);
        assert!((0..100).all(|_| counter.take(true).is_none()));
        assert_eq!(counter.verdict(), Verdict::Nothing);
        assert_eq!(verdict(0, 0), Verdict::Complete);
    }

    #[test]
    fn launches_are_as_large_as_they_have_to_be() {
        assert_eq!(ctas(196, 30, 1, 4, 0), 120); // the chip's room
        assert_eq!(ctas(50, 30, 1, 4, 0), 54); // its work, and those that leave
        assert_eq!(ctas(1, 30, 1, 4, 0), 30); // one for each SM
        assert_eq!(ctas(1, 30, 1, 4, 2), 120);
        assert_eq!(ctas(u32::MAX, 132, 2, 16, 0), 2_112);
        assert!(ctas(u32::MAX, u32::MAX, u32::MAX, 32, 40) > 0);
    }
}
