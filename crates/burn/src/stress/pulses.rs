//! Square waves of load: all SMs work and rest in step.

use crate::images::{PULSES, PULSES_INJECT};
use crate::raw::{Code, Warps, begin, get, put, unwritten, warps_of, with_buffers};
use crate::{Arg, Bench, BoardError, Group, Kind, Level, Oracle, Shape, Test, TestAbout};

/// Load that comes and goes.
pub struct Pulses;

static ABOUT: TestAbout = TestAbout {
    name: "pulses",
    group: Group::Stress,
    unit: "power supply under changing load",
    oracle: Oracle::Cpu,
    patterns: "bursts and rests of equal length, 10 us to 1 s a period, all SMs in step; both \
               multiply-add pipes and the integer unit at work",
    footprint: "every SM, filled with threads",
    blind: "how far the voltage fell; what NVML's slow readings of power average away",
    from: Level::Two,
    injectable: false,
    not_on_model: "",
};

pub(super) const CODE: Code = Code { plain: &PULSES, inject: Some(&PULSES_INJECT) };
/// Instructions of one turn of the loop that take the multiply-add units: a
/// warp's turn keeps a sub-core busy for about twice as many cycles.
const OPERATIONS_OF_A_TURN: f64 = 13.0;
const THREADS: u32 = 1024;

impl Test for Pulses {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let about = bench.board.about().clone();
        for _ in 0..bench.effort.rounds.max(1) {
            for (period, periods) in waves(about.kind, bench.effort.level) {
                let wave = Wave { period, busy: 0.5, periods };
                run_wave(bench, &wave)?;
            }
        }
        Ok(())
    }
}

/// Periods in seconds and how many of each.
fn waves(kind: Kind, level: Level) -> Vec<(f64, u32)> {
    let seconds = match (kind, level) {
        (Kind::Model, _) => return vec![(1e-5, 2)],
        (_, Level::One | Level::Two) => 1.0,
        (_, Level::Three) => 20.0,
        (_, Level::Four) => 600.0,
    };
    // A launch of many seconds would look like a hang to a display driver.
    let of = |period: f64| (period, (seconds / period).clamp(1.0, 1.0 / period) as u32);
    let repeats = (seconds as usize).max(1);
    let one = [1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1].map(of);
    let fast = one.into_iter().flat_map(|wave| std::iter::repeat_n(wave, repeats));
    // One a second: slow enough for NVML's readings of power to show it.
    fast.chain(std::iter::repeat_n((1.0, 1), 5 * repeats)).collect()
}

/// A square wave of load.
pub(super) struct Wave {
    /// Seconds.
    pub period: f64,
    /// Share of a period that is work.
    pub busy: f64,
    /// How many.
    pub periods: u32,
}

/// Runs a wave on the whole chip and compares what every thread computed.
pub(super) fn run_wave(bench: &mut Bench<'_>, wave: &Wave) -> Result<(), BoardError> {
    let about = bench.board.about().clone();
    let clock = if about.clock_hz > 0.0 { about.clock_hz } else { 1e9 };
    let cycles = wave.period * clock;
    let ctas = about.sms * (about.warps_per_sm * 32 / THREADS).max(1);
    let warps_of_a_sub_core = f64::from(about.warps_per_sm) / f64::from(about.sub_cores.max(1));
    let turn = OPERATIONS_OF_A_TURN * 2.0 * warps_of_a_sub_core;
    let turns = (wave.busy * cycles / turn) as u32;
    let shape = Shape::row(ctas, THREADS);
    let (warps, threads) = (warps_of(shape, &about), (ctas * THREADS) as usize);
    let sizes = [threads as u64 * 4, warps as u64 * 16, 16, 256];
    with_buffers(bench, sizes, |bench, [out, places, arrived, data]| {
        put(bench, out, &vec![crate::raw::UNWRITTEN; threads])?;
        put(bench, places, &vec![u32::MAX; warps * 4])?;
        put(bench, arrived, &[0; 4])?;
        put(bench, data, &operands())?;
        let args = [
            Arg::Buffer(out),
            Arg::Buffer(places),
            Arg::Buffer(arrived),
            Arg::Buffer(data),
            Arg::U32(wave.periods),
            Arg::U32(turns),
            Arg::U64(cycles as u64),
            // Ten milliseconds for all CTAs to come: where they do not fit at
            // once, the rest must not wait for ever.
            Arg::U64((clock / 100.0) as u64),
        ];
        begin(bench, CODE, "pulses", shape, &args)?;
        // The host computes while the GPU does: no rests but the wave's own.
        let expected: Vec<u32> = (0..32).map(|l| sum(l, wave.periods, turns)).collect();
        bench.board.sync()?;
        let at = Warps::of(&get(bench, places, warps * 4)?, &about);
        let operation = format!("{:.0} us, {turns} turns", wave.period * 1e6);
        for (thread, found) in get(bench, out, threads)?.into_iter().enumerate() {
            let lane = thread % 32;
            if found != expected[lane] {
                let place = at.lane(thread / 32, lane as u32, &about);
                let bits = (expected[lane].into(), found.into(), 32);
                let note = format!("all {} periods {}", wave.periods, unwritten(found));
                bench.find(&operation, place, bits, note);
            }
        }
        bench.checked(threads as u64);
        bench.covered(&at.coverage(&about, |_| true));
        Ok(())
    })
}

/// Operands of each lane: finite, and so that sums neither vanish nor overflow.
fn operands() -> Vec<u32> {
    let a = (0..32).map(|l| (1.0 + l as f32 / 37.0).to_bits());
    let b = (0..32).map(|l| (0.3 + l as f32 / 41.0).to_bits());
    a.chain(b).collect()
}

/// What a thread in lane `lane` computes.
fn sum(lane: u32, periods: u32, turns: u32) -> u32 {
    let operands = operands();
    let [a, b] = [0, 32].map(|i| f32::from_bits(operands[i + lane as usize]));
    let (mut x, mut y, mut n) = (a, b, lane);
    // Both sums come to rest within some turns: from there on a turn changes
    // nothing, and need not be computed.
    let mut rests = false;
    for _ in 0..turns {
        let before = (x.to_bits(), y.to_bits());
        for _ in 0..4 {
            if !rests {
                x = x.mul_add(0.75, b);
                y = y.mul_add(-0.5, a);
            }
            n = n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        }
        rests |= before == (x.to_bits(), y.to_bits());
        n ^= n >> 7;
    }
    let of_a_period = x.to_bits() ^ y.to_bits() ^ n;
    (0..periods).fold(0, |sum: u32, _| sum.rotate_left(1) ^ of_a_period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_reach_from_10_us_to_a_second() {
        let all = waves(Kind::Cuda, Level::Two);
        assert_eq!((all[0].0, all[all.len() - 1].0), (1e-5, 1.0));
        // A second of each and five of the last, in launches of at most a second.
        assert!(all.iter().all(|(period, n)| (period * f64::from(*n) - 1.0).abs() < 0.1));
    }

    /// What does not change any more is left out, and nothing else.
    #[test]
    fn sums_at_rest_are_those_of_all_turns() {
        let operands = operands();
        let slow = |lane: u32, turns: u32| {
            let [a, b] = [0, 32].map(|i| f32::from_bits(operands[i + lane as usize]));
            let (mut x, mut y, mut n) = (a, b, lane);
            for turn in 0..4 * turns {
                (x, y) = (x.mul_add(0.75, b), y.mul_add(-0.5, a));
                n = n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                n ^= if turn % 4 == 3 { n >> 7 } else { 0 };
            }
            x.to_bits() ^ y.to_bits() ^ n
        };
        for lane in 0..32 {
            for turns in [1, 2, 7, 20, 100, 1000] {
                assert_eq!(sum(lane, 1, turns), slow(lane, turns), "{lane} {turns}");
            }
        }
    }

    #[test]
    fn without_turns_a_sum_is_its_operands() {
        let of = operands();
        assert_eq!(sum(3, 1, 0), of[3] ^ of[35] ^ 3);
        assert_ne!(sum(3, 1, 1), sum(4, 1, 1));
    }
}
