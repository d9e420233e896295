//! The tests of device memory: what is written, in which order.

use super::sweep::{Step, Sweep};
use crate::march::{Algorithm, BACKGROUNDS, Op, Order, algorithms};
use crate::random::Random;
use crate::{Arg, Bench, BoardError, Group, Kind, Level, Oracle, Test, TestAbout};

/// One test of device memory.
pub struct MemoryTest {
    about: TestAbout,
    walk: fn(&mut Bench<'_>, &Sweep) -> Result<(), BoardError>,
}

impl Test for MemoryTest {
    fn about(&self) -> &'static TestAbout {
        // The tests of this file are statics; each is found by its name.
        let found = ALL.iter().find(|t| t.about.name == self.about.name);
        &found.unwrap_or(&ALL[0]).about
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        for _ in 0..bench.effort.rounds.max(1) {
            Sweep::over(bench, self.walk)?;
        }
        Ok(())
    }
}

const FOOTPRINT: &str = "95 % of free memory from level 2 on, an eighth of it at level 1; 1 MB \
                         of the model's at level 1, 8 MB above";
const UNSEEN: &str = "cells that ECC corrects (its counts are in the record); couplings between \
                      words that different threads visit at the same time";

const fn row(name: &'static str, patterns: &'static str, from: Level) -> TestAbout {
    TestAbout {
        name,
        group: Group::Memory,
        unit: "device memory",
        oracle: Oracle::Cpu,
        patterns,
        footprint: FOOTPRINT,
        blind: UNSEEN,
        from,
        injectable: false,
        not_on_model: "",
    }
}

static ALL: [&MemoryTest; 6] =
    [&OWN_ADDRESS, &MATS_PLUS, &MARCH_C, &MOVING_INVERSIONS, &MODULO_20, &BIT_FADE];

/// Own address.
pub static OWN_ADDRESS: MemoryTest = MemoryTest {
    about: row(
        "memory-own",
        "every word holds its own number, then its complement, read by two SMs",
        Level::One,
    ),
    walk: own_address,
};

/// MATS+.
pub static MATS_PLUS: MemoryTest = MemoryTest {
    about: row("memory-mats", "MATS+ (5 N) on a background of zeroes", Level::One),
    walk: |bench, sweep| march(bench, sweep, &algorithms::MATS_PLUS, &BACKGROUNDS[..1]),
};

/// March C-.
pub static MARCH_C: MemoryTest = MemoryTest {
    about: row(
        "memory-march",
        "March C- (10 N) on six backgrounds, on one at level 1; ordered within a thread's stripe \
         (every word at a multiple of a fixed distance) and between elements",
        Level::One,
    ),
    walk: |bench, sweep| {
        let count = if bench.effort.level == Level::One { 1 } else { BACKGROUNDS.len() };
        march(bench, sweep, &algorithms::MARCH_C_MINUS, &BACKGROUNDS[..count])
    },
};

/// Moving inversions.
pub static MOVING_INVERSIONS: MemoryTest = MemoryTest {
    about: row(
        "memory-inversions",
        "a one walking through 32 bits: written, inverted upwards, inverted downwards, read",
        Level::Two,
    ),
    walk: moving_inversions,
};

/// Modulo 20.
pub static MODULO_20: MemoryTest = MemoryTest {
    about: row(
        "memory-modulo20",
        "every twentieth word a random pattern, all others its complement twice, for each of 20 \
         offsets: caches and write buffers do not hide a cell",
        Level::Two,
    ),
    walk: modulo_20,
};

/// Bit fade.
pub static BIT_FADE: MemoryTest = MemoryTest {
    about: row(
        "memory-fade",
        "ones, and zeroes, left alone for a minute at level 3, for ten at level 4",
        Level::Three,
    ),
    walk: bit_fade,
};

fn own_address(bench: &mut Bench<'_>, sweep: &Sweep) -> Result<(), BoardError> {
    for pattern in [0, u32::MAX] {
        let step = Step { read: None, write: Some(pattern), down: false, own: true };
        sweep.step(bench, "own number", step)?;
        let step = Step { read: Some(pattern), write: None, down: false, own: true };
        sweep.step(bench, "own number", step)?;
    }
    Ok(())
}

/// Each element is one launch; elements of more than one read or write a
/// launch do them one after the other at each word only where the kernel can:
/// one read, then one write.
fn march(
    bench: &mut Bench<'_>,
    sweep: &Sweep,
    algorithm: &Algorithm,
    backgrounds: &[u32],
) -> Result<(), BoardError> {
    for &background in backgrounds {
        for element in algorithm.march().elements() {
            let data = |inverted: bool| if inverted { !background } else { background };
            let read = element.ops.iter().find_map(|op| match *op {
                Op::Read(value) => Some(data(value)),
                Op::Write(_) => None,
            });
            let write = element.ops.iter().find_map(|op| match *op {
                Op::Write(value) => Some(data(value)),
                Op::Read(_) => None,
            });
            let step = Step { read, write, down: element.order == Order::Down, own: false };
            let name = format!("{} {element} of {background:08x}", algorithm.name);
            sweep.step(bench, &name, step)?;
        }
    }
    Ok(())
}

/// De Goor's "moving inversions" as memory testers do it: one pattern at a time.
fn moving_inversions(bench: &mut Bench<'_>, sweep: &Sweep) -> Result<(), BoardError> {
    let step = match bench.board.about().kind {
        Kind::Model => 8,
        Kind::Cuda | Kind::Opencl => 1,
    };
    for bit in (0..32).step_by(step) {
        let pattern = 1u32 << bit;
        let steps = [
            (None, Some(pattern), false),
            (Some(pattern), Some(!pattern), false),
            (Some(!pattern), Some(pattern), true),
            (Some(pattern), None, false),
        ];
        for (read, write, down) in steps {
            let step = Step { read, write, down, own: false };
            sweep.step(bench, &format!("moving inversions of bit {bit}"), step)?;
        }
    }
    Ok(())
}

fn modulo_20(bench: &mut Bench<'_>, sweep: &Sweep) -> Result<(), BoardError> {
    let mut source = Random::new(bench.seed, "modulo20");
    let offsets = match (bench.board.about().kind, bench.effort.level) {
        (Kind::Model, Level::One | Level::Two) => 0..2,
        _ => 0..20,
    };
    for offset in offsets {
        let pattern = source.bits() as u32;
        let name = format!("modulo 20, offset {offset}");
        for turn in 0..3 {
            let tail =
                [Arg::U64(sweep.words()), Arg::U32(offset), Arg::U32(pattern), Arg::U32(turn)];
            let now = |word: u64| if word % 20 == u64::from(offset) { pattern } else { !pattern };
            let sums = sweep.ask(bench, &name, "modulo20", &tail, now)?;
            if turn == 2 {
                let read = sweep.words().saturating_sub(u64::from(offset)).div_ceil(20);
                bench.checked(read);
                let sum = sums.iter().fold(0u64, |a, s| a.wrapping_add(*s));
                let expected = read.wrapping_mul(u64::from(pattern));
                if sum != expected {
                    let note = "sum of all words that were read".to_string();
                    bench.find(&name, crate::Place::default(), (expected, sum, 64), note);
                }
            }
        }
    }
    Ok(())
}

fn bit_fade(bench: &mut Bench<'_>, sweep: &Sweep) -> Result<(), BoardError> {
    let seconds = match (bench.board.about().kind, bench.effort.level) {
        (Kind::Model, _) => 0.0,
        (_, Level::Four) => 600.0,
        (_, Level::Three) => 60.0,
        _ => 1.0,
    };
    for pattern in [u32::MAX, 0] {
        let step = Step { read: None, write: Some(pattern), down: false, own: false };
        sweep.step(bench, "bit fade", step)?;
        wait(bench, seconds);
        let step = Step { read: Some(pattern), write: None, down: false, own: false };
        sweep.step(bench, "bit fade", step)?;
    }
    Ok(())
}

/// Leaves the board alone, by its own time.
fn wait(bench: &mut Bench<'_>, seconds: f64) {
    let end = bench.board.seconds() + seconds;
    while bench.board.seconds() < end {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel can read once and write once at a word, in this order.
    #[test]
    fn the_kernel_can_do_every_element_of_the_marches_that_use_it() {
        for algorithm in [algorithms::MATS_PLUS, algorithms::MARCH_C_MINUS] {
            for element in algorithm.march().elements() {
                let fits = matches!(
                    element.ops[..],
                    [Op::Read(_)] | [Op::Write(_)] | [Op::Read(_), Op::Write(_)]
                );
                assert!(fits, "{element} of {}", algorithm.name);
            }
        }
    }

    #[test]
    fn every_row_is_its_own() {
        for test in ALL {
            assert!(std::ptr::eq(test.about(), &test.about), "{}", test.about.name);
        }
    }
}
