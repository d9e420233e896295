//! Barriers of a CTA, and many small CTAs that come and go.

use super::branches::CODE;
use crate::chip::{Coverage, one_cta_per_sm};
use crate::judge::{Expected, Slabs, launch_slabs};
use crate::raw::{
    UNWRITTEN, Warps, get, launch, on_every_sm, put, unwritten, warps_of, with_buffers,
};
use crate::{Arg, Bench, BoardError, Group, Kind, Level, Oracle, Shape, Test, TestAbout};

/// Barriers.
pub struct Barriers;

static BARRIERS: TestAbout = TestAbout {
    name: "barriers",
    group: Group::Control,
    unit: "CTA barriers",
    oracle: Oracle::Cpu,
    patterns: "warps pass a word on through shared memory, one warp further at each of 16 \
               barriers in turn",
    footprint: "16 barriers of one CTA of 1,024 threads on each SM",
    blind: "barriers for part of a CTA's warps; a barrier that lets go too early and is lucky",
    from: Level::One,
    not_on_model: "",
    injectable: true,
};

const THREADS: u32 = 1024;

impl Test for Barriers {
    fn about(&self) -> &'static TestAbout {
        &BARRIERS
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let steps = match (bench.board.about().kind, bench.effort.level) {
            (Kind::Model, _) => 16,
            (_, Level::One) => 64,
            _ => 1024,
        };
        for _ in 0..bench.effort.rounds.max(1) {
            on_every_sm(bench, |bench, ctas| barriers(bench, steps, ctas))?;
        }
        Ok(())
    }
}

fn barriers(bench: &mut Bench<'_>, steps: u32, ctas: u32) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let mut shape = one_cta_per_sm(&about, ctas, THREADS);
    shape.dynamic_shared = shape.dynamic_shared.max(THREADS * 4);
    let threads = THREADS as usize;
    let count = ctas as usize * steps as usize * threads;
    let all = passed_on(steps).concat();
    let slabs = Slabs { words: all.len(), warps: threads / 32, expected: Expected::Same(&all) };
    let args = [Arg::U32(steps)];
    let (slabs, at) = launch_slabs(bench, CODE, "barriers", shape, slabs, &args)?;
    let results = slabs.iter().flat_map(|s| s.words.iter().enumerate().map(|w| (s.number, w)));
    for (cta, (i, &found)) in results {
        let (step, thread) = (i / threads, i % threads);
        let expected = all[i];
        if found != expected {
            let warp = cta * (threads / 32) + thread / 32;
            let place = at.lane(warp, thread as u32 % 32, &about);
            let note = format!("step {step} {}", unwritten(found));
            bench.find("BAR.SYNC", place, (expected.into(), found.into(), 32), note);
        }
    }
    bench.checked(count as u64);
    Ok(at.coverage(&about, |_| true))
}

/// What each thread holds after each step.
fn passed_on(steps: u32) -> Vec<Vec<u32>> {
    let threads = THREADS as usize;
    let mut values: Vec<u32> = (0..THREADS).collect();
    let step = |step: u32| {
        let next = |t: usize| values[(t + 32) % threads].wrapping_mul(5).wrapping_add(step);
        values = (0..threads).map(next).collect();
        values.clone()
    };
    (0..steps).map(step).collect()
}

/// Many small CTAs.
pub struct Churn;

static CHURN: TestAbout = TestAbout {
    name: "churn",
    group: Group::Control,
    unit: "CTA dispatch, warp slots",
    oracle: Oracle::Cpu,
    patterns: "CTAs of one to four warps, each of which counts itself once and leaves words of \
               its own",
    footprint: "several times as many CTAs as the chip holds; how many warp slots were seen is \
                noted",
    blind: "which slot lost a CTA that never ran",
    from: Level::One,
    not_on_model: "",
    injectable: true,
};

impl Test for Churn {
    fn about(&self) -> &'static TestAbout {
        &CHURN
    }

    fn run(&self, bench: &mut Bench<'_>) -> Result<(), BoardError> {
        let waves = match (bench.board.about().kind, bench.effort.level) {
            (Kind::Model, Level::One) => 2,
            (_, Level::One) => 4,
            (_, Level::Two) => 16,
            _ => 256,
        };
        for _ in 0..bench.effort.rounds.max(1) {
            for warps in [1, 4] {
                on_every_sm(bench, |bench, _| churn(bench, waves, warps * 32))?;
            }
        }
        Ok(())
    }
}

fn churn(bench: &mut Bench<'_>, waves: u32, threads: u32) -> Result<Coverage, BoardError> {
    let about = bench.board.about().clone();
    let held = about.ctas_per_sm.clamp(1, about.warps_per_sm.max(1));
    let shape = Shape::row(waves * about.sms * held, threads);
    let (ctas, warps) = (shape.grid[0] as usize, warps_of(shape, &about));
    let words = ctas * threads as usize;
    let salt = bench.seed as u32;
    let sizes = [ctas as u64 * 4, words as u64 * 4, warps as u64 * 16];
    with_buffers(bench, sizes, |bench, [seen, out, places]| {
        put(bench, seen, &vec![0; ctas])?;
        put(bench, out, &vec![UNWRITTEN; words])?;
        put(bench, places, &vec![u32::MAX; warps * 4])?;
        let args = [Arg::Buffer(seen), Arg::Buffer(out), Arg::Buffer(places), Arg::U32(salt)];
        launch(bench, CODE, "churn", shape, &args)?;
        let at = Warps::of(&get(bench, places, warps * 4)?, &about);
        for (cta, &times) in get(bench, seen, ctas)?.iter().enumerate() {
            // Every thread counts once.
            if times != threads {
                let place = at.sm(cta * threads as usize / 32);
                let note = format!("CTA {cta} of {ctas}");
                bench.find("threads seen", place, (threads.into(), times.into(), 32), note);
            }
        }
        for (thread, &found) in get(bench, out, words)?.iter().enumerate() {
            let expected = (thread as u32).wrapping_mul(0x9e37_79b1) ^ salt;
            if found != expected {
                let place = at.lane(thread / 32, thread as u32 % 32, &about);
                let note = unwritten(found).to_string();
                bench.find("own number", place, (expected.into(), found.into(), 32), note);
            }
        }
        bench.checked((ctas + words) as u64);
        note_slots(bench, &at, warps);
        Ok(at.coverage(&about, |_| true))
    })
}

fn note_slots(bench: &mut Bench<'_>, at: &Warps, warps: usize) {
    let about = bench.board.about().clone();
    let mut slots: Vec<_> = (0..warps).filter_map(|w| at.at(w)).collect();
    slots.sort_unstable();
    slots.dedup();
    let all = about.sms * about.warps_per_sm;
    bench.note(format!("{} of {all} warp slots were seen at work", slots.len()));
}
