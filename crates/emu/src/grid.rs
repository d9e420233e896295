//! Runs a launch: its CTAs, one after the other.

use upset_isa::{Trap, TrapKind, WARP};

use crate::cta::Cta;
use crate::exec::Engine;
use crate::launch::{Counts, Grid, Limits, Tally};
use crate::memory::GlobalMemory;
use crate::warp::{Warp, Warps};

/// Warp instructions a warp may run before its neighbours get a turn: large
/// enough to cost nothing, small enough that spinning on a flag ends.
const TURN: u64 = 1 << 16;
/// Warp instructions a CTA may run before the next CTA starts beside it, so
/// that grids whose CTAs wait for each other make progress.
const CTA_TURN: u64 = 1 << 22;
/// Rounds in which all warps of a CTA only yield or wait, before the next CTA
/// gets its turn.
const MOST_ROUNDS_WAITED: u32 = 64;
/// Turns of a warp and of a CTA of a cooperative launch, where waiting for
/// others is the rule.
const COOPERATIVE_TURNS: (u64, u64) = (1 << 9, 1 << 10);

struct Resident {
    cta: Cta,
    warps: Vec<Warp>,
}

/// Runs a launch to its end. `progress` is called now and then with the counts
/// so far; `tally` is filled, whatever the end.
pub fn run(
    grid: &Grid<'_>,
    memory: &mut GlobalMemory,
    limits: Limits,
    progress: &mut dyn FnMut(&Counts),
    tally: Option<&mut Tally>,
) -> Result<Counts, Trap> {
    let mut engine = Engine::new(grid, memory, limits);
    engine.tally = tally.is_some().then(Box::default);
    let mut running = Vec::new();
    let ran = run_all(&mut engine, &mut running, progress);
    running.iter().for_each(|r: &Resident| engine.count_events(r));
    if let (Some(to), Some(counted)) = (tally, engine.tally) {
        *to = *counted;
    }
    ran
}

/// Runs the CTAs; `running` has those that have not ended after a trap.
fn run_all(
    engine: &mut Engine<'_>,
    running: &mut Vec<Resident>,
    progress: &mut dyn FnMut(&Counts),
) -> Result<Counts, Trap> {
    let grid = engine.grid;
    let total = grid.grid.iter().map(|&n| u64::from(n)).product::<u64>();
    let threads = grid.block.iter().map(|&n| u64::from(n)).product::<u64>();
    let warps = threads.div_ceil(WARP as u64) as usize;
    let mut next = 0;
    let mut idle: Vec<Resident> = Vec::new();
    loop {
        // CTAs that wait for each other must all be there.
        let together = if grid.cooperative { total as usize } else { 1 };
        for _ in 0..together {
            if running.len() >= grid.resident.max(1) as usize {
                break;
            }
            if next < total {
                let mut r = idle.pop().unwrap_or_else(|| Resident {
                    cta: Cta::default(),
                    warps: (0..warps).map(|_| Warp::new()).collect(),
                });
                start(grid, &mut r, next);
                if let Some(tally) = &mut engine.tally {
                    let [ctas, w, t] = tally.launched;
                    tally.launched = [ctas + 1, w + warps as u64, t + threads];
                }
                next += 1;
                running.push(r);
            } else if running.is_empty() {
                return Ok(engine.counts);
            }
        }
        let mut i = 0;
        while i < running.len() {
            let r = &mut running[i];
            if run_cta(engine, &mut r.cta, &mut r.warps)? {
                engine.counts.ctas += 1;
                let ended = running.remove(i);
                engine.count_events(&ended);
                if let Some(tally) = &mut engine.tally {
                    tally.exited[0] += 1;
                }
                idle.push(ended);
            } else {
                i += 1;
            }
        }
        progress(&engine.counts);
    }
}

impl Engine<'_> {
    /// Takes in what a CTA's warps have counted.
    fn count_events(&mut self, r: &Resident) {
        if let Some(tally) = &mut self.tally {
            tally.events = r.warps.iter().fold(tally.events, |sum, w| sum.plus(w.flow.events()));
        }
    }
}

fn start(grid: &Grid<'_>, r: &mut Resident, index: u64) {
    let [gx, gy, _] = grid.grid.map(u64::from);
    let id = [(index % gx) as u32, (index / gx % gy) as u32, (index / gx / gy) as u32];
    r.cta.reset(id, grid.shared_bytes as usize);
    for (i, w) in r.warps.iter_mut().enumerate() {
        let start = (grid.program.layout, grid.entry);
        w.reset(i as u32, grid.block, start, grid.registers, grid.local_bytes);
    }
}

/// Runs a CTA for a while. True when all its threads have exited.
fn run_cta(engine: &mut Engine<'_>, cta: &mut Cta, warps: &mut [Warp]) -> Result<bool, Trap> {
    let (warp_turn, turn) =
        if engine.grid.cooperative { COOPERATIVE_TURNS } else { (TURN, CTA_TURN) };
    let until = engine.counts.warp_insts + turn;
    let mut rounds_waited = 0;
    while engine.counts.warp_insts < until {
        let before = engine.counts.warp_insts;
        let mut living = false;
        let mut waiting = true;
        for w in warps.iter_mut() {
            if w.flow.live != 0 {
                waiting &= engine.run_warp(cta, w, warp_turn)?;
                living |= w.flow.live != 0;
                if w.flow.live == 0
                    && let Some(tally) = &mut engine.tally
                {
                    tally.exited[1] += 1;
                }
            }
        }
        if !living {
            return Ok(true);
        }
        if !cta.barriers.settle(&mut Warps(warps, &mut cta.counters))
            && engine.counts.warp_insts == before
        {
            let w = warps.iter().find(|w| w.flow.live != 0);
            let lane = w.map_or(0, |w| w.flow.live.trailing_zeros() as usize);
            return Err(Trap {
                kind: TrapKind::Deadlock,
                pc: w.map_or(0, |w| w.flow.pc_of(lane)),
                cta: cta.id,
                warp: w.map_or(0, |w| w.id),
            });
        }
        // Perhaps for another CTA.
        rounds_waited = if waiting { rounds_waited + 1 } else { 0 };
        if rounds_waited == MOST_ROUNDS_WAITED {
            break;
        }
    }
    Ok(false)
}
