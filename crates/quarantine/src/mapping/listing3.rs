//! The quarantine of Defour and Petit (GPUburn, SAMOS 2013), as printed.
//!
//! Kept to show what is wrong with it: Listing 3 takes the second level's
//! formula for the third, too, so the items that fall on the bad processor
//! twice are never done. Use [`super::rank`] or [`super::ticket`].

/// Processors of an SM in that paper.
const PROCESSORS: u32 = 8;

/// Threads that Listing 3 launches for `items` items of a block.
pub fn threads(items: u32) -> u32 {
    items + items / PROCESSORS + items / (PROCESSORS * PROCESSORS)
}

/// The item of a thread when processor `bad` is bad, as printed.
pub fn item(items: u32, bad: u32, thread: u32) -> Option<u32> {
    if thread % PROCESSORS == bad {
        return None;
    }
    let second = items + items / PROCESSORS;
    Some(match thread {
        t if t < items => t,
        t if t < second => (t - items) * PROCESSORS + bad,
        t => (t - second) * PROCESSORS + bad,
    })
}

/// Blocks that its version for whole SMs launches for `blocks` on `sms` SMs.
pub fn blocks(blocks: u32, sms: u32) -> u32 {
    blocks + blocks / sms
}

/// The block that launched block `launched` does when SM `bad` is bad: "the
/// same test as in Listing 3, line 2", with `== k` for its `== BlockID`.
pub fn block(blocks: u32, sms: u32, bad: u32, launched: u32) -> Option<u32> {
    if launched % sms == bad {
        return None;
    }
    Some(if launched < blocks { launched } else { (launched - blocks) * sms + bad })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many items are not done, and how many times one is done again.
    fn missed(items: u32, done: impl Iterator<Item = u32>) -> (usize, u32) {
        let mut times = vec![0u32; items as usize];
        done.filter(|&i| i < items).for_each(|i| times[i as usize] += 1);
        let again = times.iter().map(|&n| n.saturating_sub(1)).sum();
        (times.iter().filter(|&&n| n == 0).count(), again)
    }

    #[test]
    fn as_printed_one_item_in_64_is_never_done_and_others_are_done_twice() {
        for items in (64..=2_048).step_by(64) {
            for bad in 0..PROCESSORS {
                let done = (0..threads(items)).filter_map(|t| item(items, bad, t));
                let (undone, again) = missed(items, done);
                assert_eq!(undone as u32, items / 64, "{items} items, processor {bad}");
                // What the third level does on good processors was done before.
                let third = items + items / PROCESSORS..threads(items);
                let ran = third.filter(|t| t % PROCESSORS != bad).count();
                assert_eq!(again as usize, ran, "{items} items, processor {bad}");
            }
        }
        let undone = |items| missed(items, (0..threads(items)).filter_map(|t| item(items, 0, t))).0;
        assert_eq!((undone(256), undone(448)), (4, 7));
    }

    #[test]
    fn for_whole_sms_the_hole_is_the_same() {
        for bad in 0..16 {
            let done = (0..blocks(1_024, 16)).filter_map(|b| block(1_024, 16, bad, b));
            assert_eq!(missed(1_024, done).0, 4, "SM {bad}");
        }
    }
}
