//! The analysis of a kernel: levels at every instruction that it can reach.

use std::collections::BTreeSet;

use upset_isa::program::{Program, Slot};
use upset_isa::{Exec, Flow};
use upset_machine::pmu::{CLASSES, Counter, Depends};

use super::effect::{apply, steers};
use super::level::{Level, Shared, State, View};
use super::successors::{Next, after_calls, next};

/// What steers a kernel's threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steering {
    /// The worst of it.
    pub level: Level,
    /// Byte offset of the first instruction that data steer, from the kernel's first.
    pub at: Option<u32>,
    /// Counters of things that its code does not contain: they stay 0.
    pub absent: Vec<Counter>,
}

impl Steering {
    /// Whether a counter's value follows from the launch.
    pub fn is_constant(&self, counter: Counter) -> bool {
        match counter.about().depends {
            Depends::Launch => true,
            Depends::Work => self.level < Level::Data || self.absent.contains(&counter),
            Depends::Time => false,
        }
    }
}

/// Analyses the kernel whose first instruction is at byte `entry`, with its
/// parameters from byte `parameters` of bank 0 on.
pub fn steering(program: &Program, entry: u32, parameters: u32) -> Steering {
    let parameters = i32::try_from(parameters).unwrap_or(i32::MAX);
    let step = program.layout.step();
    let first = (program.layout.settle(entry) / step) as usize;
    let returns = after_calls(program);
    let mut shared = Shared::default();
    let mut at: Vec<Option<State>> = vec![None; program.slots.len()];
    if let Some(state) = at.get_mut(first) {
        *state = Some(State::default());
    }
    // What warps share feeds back into every instruction: until nothing changes.
    loop {
        let before = shared.clone();
        if !settle(program, &mut at, &mut shared, &returns, parameters) {
            return Steering { level: Level::Data, at: None, absent: Vec::new() };
        }
        if shared == before {
            break;
        }
    }
    let reached = || {
        let slots = program.slots.iter().zip(&at).enumerate();
        slots.filter_map(|(i, (slot, state))| match (slot, state) {
            (Slot::Inst(inst), Some(state)) => Some((i, inst, state)),
            _ => None,
        })
    };
    let mut found = Steering { level: Level::Launch, at: None, absent: Vec::new() };
    let mut present = BTreeSet::new();
    for (i, inst, own) in reached() {
        let level = steers(inst, &View { own, shared: &shared, parameters });
        if level == Level::Data && found.at.is_none() {
            found.at = Some((i as u32 * step).wrapping_sub(entry));
        }
        found.level = found.level.max(level);
        present.insert(CLASSES[inst.op.unit as usize]);
        if let Exec::Flow(flow) = inst.exec {
            present.extend(of_flow(flow));
        }
    }
    let tells = CLASSES.iter().chain(&FLOWS).copied();
    found.absent = tells.filter(|c| !present.contains(c)).collect();
    found
}

/// Carries levels through the code until they stay; false where the code jumps
/// to what only a register knows.
fn settle(
    program: &Program,
    at: &mut [Option<State>],
    shared: &mut Shared,
    returns: &[usize],
    parameters: i32,
) -> bool {
    let mut open: BTreeSet<usize> =
        at.iter().enumerate().filter(|(_, state)| state.is_some()).map(|(i, _)| i).collect();
    while let Some(i) = open.pop_first() {
        let (Slot::Inst(inst), Some(mut state)) = (&program.slots[i], at[i].clone()) else {
            continue;
        };
        apply(inst, &mut state, shared, parameters);
        let Next::Known(targets) = next(program, i, inst, returns) else { return false };
        for to in targets {
            let Some(place) = at.get_mut(to) else { continue };
            let changed = match place {
                Some(there) => there.join(&state),
                None => {
                    *place = Some(state.clone());
                    true
                }
            };
            if changed {
                open.insert(to);
            }
        }
    }
    true
}

/// Counters that only one kind of instruction moves.
const FLOWS: [Counter; 3] = [Counter::ConvOpened, Counter::ConvBroken, Counter::BarArrived];

fn of_flow(flow: Flow) -> Option<Counter> {
    match flow {
        Flow::Bssy { .. } => Some(Counter::ConvOpened),
        Flow::Break { .. } => Some(Counter::ConvBroken),
        Flow::Bar { .. } => Some(Counter::BarArrived),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
