//! Shards as indices of arrays.

/// An array of tasks: the shard of a task is its index and this on top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// What is added to an index.
    pub offset: u32,
    /// Indices, from 1.
    pub indices: Vec<u32>,
}

/// Arrays whose indices are all below `max_size`.
pub fn arrays(shards: &[u32], max_size: u32) -> Vec<Array> {
    let most = max_size.max(2) - 1;
    let mut arrays: Vec<Array> = Vec::new();
    for &shard in shards {
        let offset = (shard - 1) / most * most;
        match arrays.last_mut() {
            Some(last) if last.offset == offset => last.indices.push(shard - offset),
            _ => arrays.push(Array { offset, indices: vec![shard - offset] }),
        }
    }
    arrays
}

/// As Slurm writes them: `1-3,7`.
pub fn ranges(numbers: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &n in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => ranges.push((n, n)),
        }
    }
    let text = |(first, last): &(u32, u32)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_stay_below_the_limit_and_miss_nothing() {
        for max_size in [1, 2, 4, 5, 101, 1001] {
            let all: Vec<u32> = (1..=100).collect();
            let made = arrays(&all, max_size);
            let back = made.iter().flat_map(|a| a.indices.iter().map(|i| i + a.offset));
            assert_eq!(back.collect::<Vec<_>>(), all);
            assert!(made.iter().flat_map(|a| &a.indices).all(|i| (1..max_size.max(2)).contains(i)));
        }
        assert_eq!(arrays(&[2, 3, 9], 5).len(), 2);
        assert_eq!(arrays(&[], 5), []);
    }

    #[test]
    fn ranges_are_short() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
        assert_eq!(ranges(&[]), "");
    }
}
