//! Atomic operations of L2 and of shared memory.

use crate::chip::{Coverage, one_cta_per_sm};
use crate::images::{ATOMICS, ATOMICS_INJECT};
use crate::random::Random;
use crate::raw::{Code, UNWRITTEN, Warps, get, launch, on_every_sm, put, warps_of, with_buffers};
use crate::{Arg, Bench, BoardError, Group, Kind, Level, Oracle, Place, Test, TestAbout};

/// Atomic operations.
pub struct Atomics;

static ABOUT: TestAbout = TestAbout {
    name: "atomics",
    group: Group::Control,
    unit: "atomic units of L2 and of shared memory",
    oracle: Oracle::Cpu,
    patterns: "twelve operations of every thread on the same cells, whose results hang on no \
               order; tickets that each thread must get exactly once",
    footprint: "one CTA on each SM and its shared memory; one line of L2, so one slice, at a time",
    blind: "slices other than those of the cells; floating-point atomics",
    from: Level::One,
    not_on_model: "",
    injectable: false,
};

const CODE: Code = Code { plain: &ATOMICS, inject: Some(&ATOMICS_INJECT) };
const CELLS: usize = 16;
/// Cells begin so that every operation has something to do.
const START: [u32; CELLS] =
    [0, 0, u32::MAX, 0, u32::MAX, 0, 0, 0, i32::MAX as u32, i32::MIN as u32, 0, 0, 0, 0, 0, 0];
/// What each cell is the result of.
const NAMES: [&str; 13] = [
    "ticket",
    "ADD",
    "MIN",
    "MAX",
    "AND",
    "OR",
    "XOR",
    "INC",
    "MIN.S32",
    "MAX.S32",
    "ADD.64 low",
    "ADD.64 high",
    "CAS",
];

impl Test for Atomics {
    fn about(&self) -> &'static TestAbout {
        &ABOUT
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let (threads, turns) = match (bench.board.about().kind, bench.effort.level) {
            (Kind::Model, Level::One) => (64, 1),
            (Kind::Model, _) => (256, 2),
            (_, Level::One) => (64, 2),
            _ => (256, 256),
        };
        let mut source = Random::new(bench.seed, "atomics");
        for turn in 0..turns * bench.effort.rounds.max(1) {
            let draws: Vec<u32> =
                (0..threads * bench.board.about().sms * 4).map(|_| source.bits() as u32).collect();
            // Another line of L2 each time.
            let line = turn as usize % 64;
            on_every_sm(bench, |b, ctas| global(b, (ctas, threads), &draws, line))?;
            on_every_sm(bench, |b, ctas| shared(b, (ctas, threads), &draws))?;
        }
        Ok(())
    }
}

/// What the cells hold when every thread has added its value.
fn results(values: &[u32]) -> [u32; CELLS] {
    let mut cells = START;
    cells[0] = values.len() as u32;
    cells[1] = values.iter().fold(0, |a: u32, v| a.wrapping_add(*v));
    cells[2] = values.iter().copied().min().unwrap_or(START[2]);
    cells[3] = values.iter().copied().max().unwrap_or(START[3]);
    cells[4] = values.iter().fold(START[4], |a, v| a & (v | 0xffff_0000));
    cells[5] = values.iter().fold(0, |a, v| a | v & 0xffff);
    cells[6] = values.iter().fold(0, |a, v| a ^ v);
    // 0 to 6 and around again.
    cells[7] = values.len() as u32 % 7;
    cells[8] = values.iter().fold(i32::MAX, |a, v| a.min(*v as i32)) as u32;
    cells[9] = values.iter().fold(i32::MIN, |a, v| a.max(*v as i32)) as u32;
    let wide = values.iter().fold(0u64, |a, v| a.wrapping_add(u64::from(*v) << 8));
    cells[10] = wide as u32;
    cells[11] = (wide >> 32) as u32;
    cells[12] = values.iter().fold(0, |a: u32, v| a.wrapping_add(v & 0xff));
    cells
}

fn compare(bench: &mut Bench<'_>, place: &Place, values: &[u32], cells: &[u32], tickets: &[u32]) {
    let expected = results(values);
    for (i, name) in NAMES.iter().enumerate() {
        if cells[i] != expected[i] {
            let bits = (expected[i].into(), cells[i].into(), 32);
            bench.find(name, place.clone(), bits, format!("of {} threads", values.len()));
        }
    }
    // Each thread has exactly one ticket.
    let mut given = vec![0u32; values.len()];
    for &thread in tickets {
        if let Some(times) = given.get_mut(thread as usize) {
            *times += 1;
        }
    }
    for (thread, &times) in given.iter().enumerate().filter(|(_, t)| **t != 1) {
        let note = format!("thread {thread} of {}", values.len());
        bench.find("tickets of a thread", place.clone(), (1, times.into(), 32), note);
    }
    bench.checked((NAMES.len() + values.len()) as u64);
}

fn global(
    bench: &mut Bench<'_>,
    (ctas, threads): (u32, u32),
    draws: &[u32],
    line: usize,
) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let shape = one_cta_per_sm(&about, ctas, threads);
    let (count, warps) = ((ctas * threads) as usize, warps_of(shape, &about));
    let values = &draws[..count];
    let sizes = [8192, count as u64 * 4, warps as u64 * 16, count as u64 * 4];
    with_buffers(bench, sizes, |bench, [cells, tickets, places, input]| {
        let mut start = vec![0; 2048];
        start[line * 32..][..CELLS].copy_from_slice(&START);
        put(bench, cells, &start)?;
        put(bench, tickets, &vec![UNWRITTEN; count])?;
        put(bench, places, &vec![u32::MAX; warps * 4])?;
        put(bench, input, values)?;
        let at_line = Arg::U64(cells.handle + line as u64 * 128);
        let args = [
            at_line,
            Arg::Buffer(tickets),
            Arg::Buffer(places),
            Arg::Buffer(input),
            Arg::U32(count as u32),
        ];
        launch(bench, CODE, "global_atomics", shape, &args)?;
        let at = Warps::of(&get(bench, places, warps * 4)?, &about);
        let found = get(bench, cells, 2048)?;
        let given = get(bench, tickets, count)?;
        let place = Place {
            address: Some(cells.handle + line as u64 * 128),
            pipe: Some("l2".to_string()),
            ..Place::default()
        };
        compare(bench, &place, values, &found[line * 32..][..CELLS], &given);
        Ok(at.coverage(&about, |_| true))
    })
}

fn shared(
    bench: &mut Bench<'_>,
    (ctas, threads): (u32, u32),
    draws: &[u32],
) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let shape = one_cta_per_sm(&about, ctas, threads);
    let (of_cta, warps) = (threads as usize, warps_of(shape, &about));
    let count = ctas as usize * of_cta;
    let values = &draws[..of_cta];
    let cells = ctas as usize * CELLS;
    let sizes = [
        cells as u64 * 4,
        count as u64 * 4,
        warps as u64 * 16,
        of_cta as u64 * 4,
        CELLS as u64 * 4,
    ];
    with_buffers(bench, sizes, |bench, [out, tickets, places, input, start]| {
        put(bench, out, &vec![UNWRITTEN; cells])?;
        put(bench, tickets, &vec![UNWRITTEN; count])?;
        put(bench, places, &vec![u32::MAX; warps * 4])?;
        put(bench, input, values)?;
        put(bench, start, &START)?;
        let args = [out, tickets, places, input, start].map(Arg::Buffer);
        launch(bench, CODE, "shared_atomics", shape, &args)?;
        let at = Warps::of(&get(bench, places, warps * 4)?, &about);
        let found = get(bench, out, cells)?;
        let given = get(bench, tickets, count)?;
        let ctas = found.chunks_exact(CELLS).zip(given.chunks_exact(of_cta)).enumerate();
        for (cta, (cells, tickets)) in ctas {
            let mut place = at.sm(cta * of_cta / 32);
            place.pipe = Some("shared".to_string());
            compare(bench, &place, values, cells, tickets);
        }
        Ok(at.coverage(&about, |_| true))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_two_threads_by_hand() {
        let cells = results(&[0x8000_0001, 0x0000_0006]);
        assert_eq!(cells[..4], [2, 0x8000_0007, 6, 0x8000_0001]);
        assert_eq!(cells[4..8], [0xffff_0000, 7, 0x8000_0007, 2]);
        assert_eq!(cells[8..10], [0x8000_0001, 6]);
        assert_eq!(cells[10..13], [0x0000_0700, 0x80, 7]);
    }
}
