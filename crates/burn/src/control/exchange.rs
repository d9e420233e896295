//! Values that lanes exchange: shuffles, votes, matches.

use super::branches::{CODE, compare, of_warp, threads};
use crate::chip::{Coverage, one_cta_per_sm};
use crate::judge::launch_slabs;
use crate::random::Random;
use crate::raw::{on_every_sm, put, warps_of, with_buffers};
use crate::{Arg, Bench, BoardError, Group, Kind, Level, Oracle, Test, TestAbout};

/// Shuffles, votes, matches.
pub struct Exchange;

static ABOUT: TestAbout = TestAbout {
    name: "exchange",
    group: Group::Control,
    unit: "shuffle crossbar, votes, matches",
    oracle: Oracle::Cpu,
    patterns: "four shuffles at 32 distances, three votes on 32 bits, two matches of 32 kinds, of \
               random words and their complements",
    footprint: "32 warps of each SM; on the model a warp of each sub-core at level 1",
    blind: "shuffles among part of a warp",
    from: Level::One,
    not_on_model: "",
    injectable: true,
};

/// Groups of 32 results, in the order of the kernel.
const GROUPS: usize = 9;
const NAMES: [&str; GROUPS] = [
    "SHFL.IDX",
    "SHFL.UP",
    "SHFL.DOWN",
    "SHFL.BFLY",
    "VOTE.BALLOT",
    "VOTE.ANY",
    "VOTE.ALL",
    "MATCH.ANY",
    "MATCH.ALL",
];

impl Test for Exchange {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let sets = match (bench.board.about().kind, bench.effort.level) {
            (Kind::Model, Level::One) => 1,
            (_, Level::One) => 8,
            _ => 64,
        };
        let mut source = Random::new(bench.seed, "exchange");
        for _ in 0..sets * bench.effort.rounds.max(1) {
            let values: [u32; 32] = std::array::from_fn(|_| source.bits() as u32);
            for values in [values, values.map(|v| !v)] {
                on_every_sm(bench, |bench, ctas| exchange(bench, &values, ctas))?;
            }
        }
        Ok(())
    }
}

fn exchange(bench: &mut Bench<'_>, values: &[u32; 32], ctas: u32) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let shape = one_cta_per_sm(&about, ctas, threads(bench));
    let of = |step: usize| (0..32).map(move |lane| result(values, step / 32, step % 32, lane));
    let results: Vec<u32> = (0..GROUPS * 32).flat_map(of).collect();
    let (found, at) = with_buffers(bench, [128], |bench, [input]| {
        put(bench, input, values)?;
        launch_slabs(bench, CODE, "exchange", shape, of_warp(&results), &[Arg::Buffer(input)])
    })?;
    compare(bench, (&NAMES.join(" "), &found, &at), &results);
    bench.checked((warps_of(shape, &about) * results.len()) as u64);
    Ok(at.coverage(&about, |_| true))
}

/// What a lane gets: group, number within it.
fn result(values: &[u32; 32], group: usize, i: usize, lane: usize) -> u32 {
    let bit = |l: usize| values[l] >> i & 1;
    let ballot = |yes: &dyn Fn(usize) -> bool| (0..32).map(|l| u32::from(yes(l)) << l).sum::<u32>();
    match group {
        0 => values[(lane + i) % 32],
        1 => values[if lane >= i { lane - i } else { lane }],
        2 => values[if lane + i < 32 { lane + i } else { lane }],
        3 => values[lane ^ i],
        4 => ballot(&|l| bit(l) == 1),
        5 => bit(i),
        6 => bit(i),
        7 => ballot(&|l| values[l] >> i & 3 == values[lane] >> i & 3),
        _ => {
            let word = |l: usize| if l < i { values[l] & 1 } else { 1 };
            let same = (0..32).all(|l| word(l) == word(0));
            // All lanes and the predicate, or neither.
            if same { u32::MAX ^ 0x8000_0000 } else { 0 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_what_the_instructions_are_documented_to_give() {
        let values: [u32; 32] = std::array::from_fn(|l| l as u32 * 3);
        assert_eq!(result(&values, 0, 5, 30), 9);
        assert_eq!((result(&values, 1, 4, 3), result(&values, 1, 4, 9)), (9, 15));
        assert_eq!((result(&values, 2, 4, 30), result(&values, 2, 4, 9)), (90, 39));
        assert_eq!(result(&values, 3, 31, 0), 93);
        assert_eq!(result(&values, 4, 0, 0), 0xaaaa_aaaa);
        assert_eq!(result(&values, 8, 0, 7), 0x7fff_ffff);
        assert_eq!(result(&values, 8, 4, 7), 0);
    }
}
