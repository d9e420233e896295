//! The rank mapping: a good lane does the item of its rank among good lanes.
//!
//! Rows are groups one after the other. With `g` good lanes in a group of `p`,
//! thread `t` has the item `(t / p) * g + rank(t mod p)`, and `⌈n/g⌉ · p` threads
//! do `n` items, each once. Where the number of threads cannot grow, the same
//! rank goes round: item, item + all good threads, and so on.

use super::Group;

/// The item of a thread, none for a thread on a bad lane.
pub fn item(group: Group, thread: u32) -> Option<u32> {
    let row = thread / group.size();
    (!group.is_bad(thread)).then(|| row * group.good() + group.rank(thread))
}

/// Threads that do `items` items, one each.
pub fn threads(group: Group, items: u32) -> u32 {
    items.div_ceil(group.good()) * group.size()
}

/// Good threads among the first `threads`.
pub fn good_threads(group: Group, threads: u32) -> u32 {
    threads / group.size() * group.good() + group.rank(threads)
}

/// The items of a thread when `threads` threads go round over `items`.
pub fn round(group: Group, thread: u32, threads: u32, items: u32) -> impl Iterator<Item = u32> {
    let first = item(group, thread).unwrap_or(items);
    (first..items).step_by(good_threads(group, threads).max(1) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::tests::groups;

    const MOST: u32 = 2_048;

    /// What some threads do, counted item by item.
    struct Done {
        times: Vec<u32>,
        /// Of the items below `below`, how many are done exactly once.
        once_below: u32,
        below: u32,
    }

    impl Done {
        fn new() -> Done {
            Done { times: vec![0; 3 * MOST as usize], once_below: 0, below: 0 }
        }

        fn add(&mut self, item: u32) {
            let times = &mut self.times[item as usize];
            if item < self.below {
                self.once_below -= u32::from(*times == 1);
                self.once_below += u32::from(*times == 0);
            }
            *times += 1;
        }

        fn grow(&mut self) {
            self.once_below += u32::from(self.times[self.below as usize] == 1);
            self.below += 1;
        }
    }

    /// For every number of items: the threads of N are those of N - 1 and some
    /// more, so what they do is counted on from there.
    #[test]
    fn every_item_is_done_exactly_once_by_as_many_threads_as_needed() {
        for group in groups() {
            let mut done = Done::new();
            let mut launched = 0;
            for items in 1..=MOST {
                let needed = threads(group, items);
                assert!(needed >= launched, "{group:?}");
                for thread in launched..needed {
                    item(group, thread).into_iter().for_each(|item| done.add(item));
                }
                launched = needed;
                done.grow();
                assert_eq!(done.once_below, items, "{group:?}");
                // Not a row more than that.
                assert!(good_threads(group, needed) < items + group.good(), "{group:?}");
            }
        }
    }

    /// The same by going round: each further item has exactly one owner.
    #[test]
    fn every_item_is_done_exactly_once_by_a_block_of_any_size() {
        for group in groups() {
            for block in [32, 96, 256, 1_024] {
                let ranks: Vec<_> = (0..block).filter_map(|thread| item(group, thread)).collect();
                let round = good_threads(group, block);
                assert_eq!(ranks.len() as u32, round);
                let mut owners = vec![0u32; round as usize];
                ranks.iter().for_each(|&rank| owners[rank as usize] += 1);
                for item in 0..MOST {
                    assert_eq!(owners[(item % round) as usize], 1, "{group:?} {block} {item}");
                }
            }
        }
    }

    /// Thread by thread, without the shortcuts of the tests above.
    fn plainly(group: Group, items: u32) {
        let mut times = vec![0u8; items as usize];
        for thread in 0..threads(group, items) {
            if let Some(item) = item(group, thread).filter(|&item| item < items) {
                times[item as usize] += 1;
            }
        }
        assert!(times.iter().all(|&n| n == 1), "{group:?} {items}");
        for thread in 0..256 {
            round(group, thread, 256, items).for_each(|item| times[item as usize] += 1);
        }
        assert!(times.iter().all(|&n| n == 2), "{group:?} {items}");
    }

    #[test]
    fn the_shortcuts_agree_with_counting_plainly() {
        for group in groups() {
            for items in [1, 2, 31, 32, 33, 255, 256, 448, 1_000, 2_047, 2_048] {
                plainly(group, items);
            }
        }
    }

    #[test]
    #[ignore = "takes minutes: cargo test --release -p upset-quarantine rank -- --ignored"]
    fn every_size_plainly() {
        for group in groups() {
            (1..=MOST).for_each(|items| plainly(group, items));
        }
    }

    #[test]
    fn threads_needed_are_eight_sevenths() {
        let group = Group::new(8, 1 << 3).unwrap();
        assert_eq!(threads(group, 256), 296); // 37 rows of 7
        assert_eq!(threads(group, 448), 512);
        let done: Vec<_> = round(group, 2, 256, 500).collect();
        assert_eq!(done, [2, 226, 450]); // 224 of 256 threads are good
        assert_eq!(round(group, 3, 256, 500).count(), 0);
    }
}
