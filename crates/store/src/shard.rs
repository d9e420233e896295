//! Parts of a campaign that are run apart from each other.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The part of a campaign that a store is meant to hold, where that is not all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which of the shards, from 1.
    pub number: u32,
    /// Shards in all.
    pub count: u32,
    /// What it holds of the subjects that it has a part in, by their numbers.
    pub parts: Vec<ShardPart>,
}

/// What a shard holds of a subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardPart {
    /// The subject's number.
    pub subject: u32,
    /// Which of its pieces, from 0.
    pub pieces: Vec<u32>,
    /// Pieces that the subject is cut into.
    pub of: u32,
}

impl ShardPart {
    /// Numbers of the experiments that a piece has of the subject's stratum number
    /// `index`, of `planned` ones. A sequential plan is not cut: where it ends
    /// shows only to whoever runs all of it.
    pub fn numbers(&self, index: usize, planned: u64, sequential: bool) -> Vec<Range<u64>> {
        let of = u64::from(self.of.max(1));
        let mut own: Vec<Range<u64>> = Vec::new();
        for &piece in &self.pieces {
            let piece = u64::from(piece);
            let cut = |n: u64| (u128::from(planned) * u128::from(n) / u128::from(of)) as u64;
            let range = match sequential {
                true if index as u64 % of == piece => 0..planned,
                true => continue,
                false => cut(piece)..cut(piece + 1),
            };
            match own.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => own.push(range),
            }
        }
        own.retain(|r| !r.is_empty());
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(pieces: &[u32], of: u32) -> ShardPart {
        ShardPart { subject: 0, pieces: pieces.into(), of }
    }

    #[test]
    fn pieces_are_every_experiment_once() {
        for planned in [0, 1, 7, 64, 1000] {
            for of in 1..=70 {
                let all: Vec<u64> = (0..of)
                    .flat_map(|p| part(&[p], of).numbers(3, planned, false))
                    .flatten()
                    .collect();
                assert_eq!(all, (0..planned).collect::<Vec<_>>(), "{planned} in {of}");
            }
        }
        assert_eq!(part(&[1, 2, 5], 6).numbers(0, 60, false), [10..30, 50..60]);
    }

    #[test]
    fn a_sequential_plan_is_whole_in_one_piece() {
        for stratum in 0..9 {
            let holders: Vec<u32> = (0..4)
                .filter(|p| part(&[*p], 4).numbers(stratum, 500, true).contains(&(0..500)))
                .collect();
            assert_eq!(holders, [stratum as u32 % 4]);
        }
    }
}
