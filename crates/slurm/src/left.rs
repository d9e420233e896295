//! How long it will take, from the pace so far.

use serde::Serialize;

use crate::shards::{ShardState, State};

/// Shards whose pace must be known before anything is said.
const FEWEST: usize = 3;

/// Seconds until the last shard is done, if as many tasks go on running as now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Left {
    /// At the mean pace so far.
    pub expected: f64,
    /// At the pace of the faster shards: a tenth was faster still.
    pub low: f64,
    /// At the pace of the slower shards: a tenth was slower still.
    pub high: f64,
}

impl Left {
    /// `None` while nothing runs or the pace is not known.
    pub fn of(shards: &[ShardState]) -> Option<Left> {
        let work = |s: &ShardState| s.cost * s.share();
        let known: Vec<&ShardState> =
            shards.iter().filter(|s| work(s) > 0.0 && s.seconds > 0).collect();
        let mut paces: Vec<f64> = known.iter().map(|s| s.seconds as f64 / work(s)).collect();
        if paces.len() < FEWEST {
            return None;
        }
        paces.sort_by(f64::total_cmp);
        // What began and has nothing to show yet took time as well.
        let spent: f64 = shards.iter().map(|s| s.seconds as f64).sum();
        let mean = spent / known.iter().map(|s| work(s)).sum::<f64>();
        let open: Vec<f64> = shards
            .iter()
            .filter(|s| matches!(s.state, State::Running | State::Waiting))
            .map(|s| s.cost * (1.0 - s.share()))
            .collect();
        let running = shards.iter().filter(|s| s.state == State::Running).count();
        if running == 0 {
            return None;
        }
        let longest = open.iter().copied().fold(0.0, f64::max);
        let at = |pace: f64| (open.iter().sum::<f64>() / running as f64).max(longest) * pace;
        let rank = |share: f64| paces[((paces.len() - 1) as f64 * share).round() as usize];
        Some(Left {
            expected: at(mean),
            low: at(rank(0.1).min(mean)),
            high: at(rank(0.9).max(mean)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(state: State, runs: u64, seconds: u64, cost: f64) -> ShardState {
        ShardState {
            shard: 1,
            state,
            runs,
            planned: Some(100),
            node: None,
            restarts: 0,
            exit_code: None,
            seconds,
            said: None,
            cost,
            log: None,
        }
    }

    #[test]
    fn the_pace_so_far_goes_on() {
        // Ten seconds for each unit of cost, but for a fast and a slow one.
        let mut shards = vec![shard(State::Done, 100, 10, 1.0); 8];
        shards[0].seconds = 5;
        shards[1].seconds = 15;
        shards.push(shard(State::Running, 50, 10, 2.0));
        shards.push(shard(State::Waiting, 0, 0, 3.0));
        let left = Left::of(&shards).unwrap();
        // One runs: all that is left, one after the other.
        assert_eq!((left.expected, left.low, left.high), (40.0, 40.0, 40.0));
        shards[2].seconds = 5;
        shards[3].seconds = 15;
        let left = Left::of(&shards).unwrap();
        assert_eq!((left.expected, left.low, left.high), (40.0, 20.0, 60.0));
        // Two run: not faster than the longest takes alone.
        shards[9] = shard(State::Running, 0, 10, 3.0);
        let left = Left::of(&shards).unwrap();
        assert!((left.expected - 3.0 * 100.0 / 9.0).abs() < 1e-9, "{left:?}");
    }

    #[test]
    fn nothing_is_said_too_early_or_while_nothing_runs() {
        let two = vec![shard(State::Running, 50, 10, 1.0); 2];
        assert_eq!(Left::of(&two), None);
        let mut idle = vec![shard(State::Done, 100, 10, 1.0); 5];
        idle.push(shard(State::Failed, 10, 10, 1.0));
        assert_eq!(Left::of(&idle), None);
    }
}
