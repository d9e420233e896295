//! Waits and pauses that hazards demand, over all paths through the code.
//!
//! What is under way is known by its age: how many operations of its counter
//! have been issued after it. Operations of a counter end in order, so a
//! counter that is no higher than the age says that it has ended. Scalar
//! reads end in any order: only zero says anything about them.

use std::collections::{BTreeMap, BTreeSet};

use upset_gcn::Format;
use upset_gcn::inst::Inst;
use upset_gcn::row::Unit;
use upset_gcn::sem::Does;
use upset_gcn::sem::flow::{Condition, Flow};

use super::emit::{Line, constant};
use super::pauses::Pauses;
use super::shape::{Shape, Waits};
use super::touch::{Thing, Touched, touched};
use crate::Rng;

/// Counters as high as they can be told apart.
const MOST: Need = Need { vm: 15, exp: 7, lgkm: 15 };
/// Ages above these are not told apart.
const OLD: u8 = 14;
const OLD_DATA: u8 = 6;

/// How high counters may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    pub vm: u8,
    pub exp: u8,
    pub lgkm: u8,
}

impl Need {
    fn imm(self) -> u16 {
        u16::from(self.vm) | u16::from(self.exp) << 4 | u16::from(self.lgkm) << 8
    }
}

/// What is under way, and what has just been written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    /// Results of vector memory.
    vm: BTreeMap<Thing, u8>,
    /// Data of stores that has yet to be read.
    exp: BTreeMap<Thing, u8>,
    /// Results of LDS.
    lgkm: BTreeMap<Thing, u8>,
    /// Results of scalar reads.
    smem: BTreeSet<Thing>,
    /// Any scalar read, also one without result.
    scalar: bool,
    pauses: Pauses,
}

fn join(a: &mut BTreeMap<Thing, u8>, b: &BTreeMap<Thing, u8>) {
    for (thing, age) in b {
        a.entry(*thing).and_modify(|own| *own = (*own).min(*age)).or_insert(*age);
    }
}

fn older(map: &mut BTreeMap<Thing, u8>, by: u8, most: u8) {
    map.values_mut().for_each(|age| *age = (*age + by).min(most));
}

impl State {
    fn join(&mut self, other: &State) {
        join(&mut self.vm, &other.vm);
        join(&mut self.exp, &other.exp);
        join(&mut self.lgkm, &other.lgkm);
        self.smem.extend(&other.smem);
        self.scalar |= other.scalar;
        self.pauses.join(&other.pauses);
    }

    /// How far counters must fall before an instruction.
    fn need(&self, inst: &Inst, t: &Touched) -> Need {
        let mut need = MOST;
        if drains(inst) {
            return Need { vm: 0, exp: 0, lgkm: 0 };
        }
        if inst.row.does_barrier() {
            return Need { vm: 0, exp: 7, lgkm: 0 };
        }
        let vector = inst.row.unit == Unit::Vmem;
        let share = inst.row.unit == Unit::Lds;
        for (thing, written) in
            t.read.iter().map(|r| (r, false)).chain(t.written.iter().map(|w| (w, true)))
        {
            // Results of one kind come in order, and so may overwrite each other.
            let ordered = written && !t.read.contains(thing);
            if let (Some(age), false) = (self.vm.get(thing), ordered && vector) {
                need.vm = need.vm.min(*age);
            }
            // Accesses to LDS follow each other.
            let follows = share && *thing == Thing::Lds;
            if let (Some(age), false) = (self.lgkm.get(thing), ordered && share || follows) {
                need.lgkm = need.lgkm.min(if self.scalar { 0 } else { *age });
            }
            if self.smem.contains(thing) {
                need.lgkm = 0;
            }
            if let (Some(age), true) = (self.exp.get(thing), written) {
                need.exp = need.exp.min(*age);
            }
        }
        need
    }

    /// Counters have fallen this far.
    fn waited(&mut self, need: Need) {
        self.vm.retain(|_, age| *age < need.vm);
        self.exp.retain(|_, age| *age < need.exp);
        self.lgkm.retain(|_, age| *age < need.lgkm);
        if need.lgkm == 0 {
            self.smem.clear();
            self.scalar = false;
        }
    }

    /// An instruction issues.
    fn issue(&mut self, inst: &Inst, t: &Touched) {
        let raises = inst.raises();
        older(&mut self.vm, raises.vm, OLD);
        older(&mut self.exp, raises.exp, OLD_DATA);
        match inst.row.unit {
            Unit::Vmem => {
                let results =
                    t.written.iter().filter(|t| matches!(t, Thing::Vector(_) | Thing::Lds));
                results.for_each(|thing| _ = self.vm.insert(*thing, 0));
                t.late.iter().for_each(|thing| _ = self.exp.insert(*thing, 0));
            }
            Unit::Lds => {
                older(&mut self.lgkm, raises.lgkm, OLD);
                let results = t.written.iter().filter(|t| matches!(t, Thing::Vector(_)));
                results.for_each(|thing| _ = self.lgkm.insert(*thing, 0));
                self.lgkm.insert(Thing::Lds, 0);
            }
            Unit::Smem => {
                self.smem.extend(&t.written);
                self.scalar = true;
            }
            _ => {}
        }
        self.pauses.issue(inst, t);
    }
}

/// Instructions before which nothing may be under way: what follows them is
/// not known here, or does not count.
fn drains(inst: &Inst) -> bool {
    match inst.row.does {
        Does::SetVskip => true,
        Does::Flow(flow) => {
            matches!(flow, Flow::SetPc | Flow::SwapPc | Flow::Fork | Flow::Join)
        }
        _ => false,
    }
}

trait DoesBarrier {
    fn does_barrier(&self) -> bool;
}

impl DoesBarrier for upset_gcn::Row {
    fn does_barrier(&self) -> bool {
        matches!(self.does, Does::Flow(Flow::Barrier))
    }
}

/// Where control may go from a line; labels are lines.
fn next(lines: &[Line], places: &[usize], i: usize) -> Vec<usize> {
    let onward = || vec![i + 1];
    match &lines[i] {
        Line::Label(_) | Line::Distance(..) => onward(),
        Line::Jump(inst, to) => {
            let target = places[to.0];
            let always = matches!(inst.row.does, Does::Flow(Flow::Branch(Condition::Always)));
            if always { vec![target] } else { vec![i + 1, target] }
        }
        // Functions leave nothing behind that is under way.
        Line::Call(_, to) => vec![i + 1, places[to.0]],
        Line::Plain(inst) => match inst.row.does {
            Does::Flow(Flow::End | Flow::SetPc) => Vec::new(),
            _ => onward(),
        },
    }
}

fn instruction(line: &Line) -> Option<&Inst> {
    match line {
        Line::Label(_) => None,
        Line::Plain(i) | Line::Jump(i, _) | Line::Distance(i, ..) | Line::Call(i, _) => Some(i),
    }
}

/// The lines with waits and pauses between them.
pub(crate) fn scheduled(lines: &[Line], shape: &Shape, rng: &mut Rng) -> Vec<Line> {
    let states = states(lines, shape);
    let mut out = Vec::new();
    for (line, state) in lines.iter().zip(&states) {
        if let (Some(inst), Some(state)) = (instruction(line), state) {
            let t = touched(inst, shape);
            let need = lowered(state.need(inst, &t), inst, shape.waits, rng);
            if need != MOST {
                out.push(Line::Plain(constant("s_waitcnt", need.imm())));
            }
            let pause = state.pauses.need(inst, &t).saturating_sub((need != MOST).into());
            if pause > 0 {
                out.push(Line::Plain(constant("s_nop", u16::from(pause - 1))));
            }
        }
        out.push(*line);
    }
    out
}

/// Waits that are stricter than they would have to be.
fn lowered(need: Need, inst: &Inst, style: Waits, rng: &mut Rng) -> Need {
    let all = Need { vm: 0, exp: 0, lgkm: 0 };
    match style {
        Waits::Exact => need,
        Waits::Drain if need != MOST => all,
        Waits::Drain => need,
        // Not between a compare and what is told by SCC: waits touch nothing.
        Waits::Mixed if inst.format != Format::Sopp && rng.below(12) == 0 => Need {
            vm: need.vm.min(rng.below(16) as u8),
            exp: need.exp.min(rng.below(8) as u8),
            lgkm: need.lgkm.min(rng.below(16) as u8),
        },
        Waits::Mixed => need,
    }
}

/// What is under way before each line.
fn states(lines: &[Line], shape: &Shape) -> Vec<Option<State>> {
    let mut places = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        if let Line::Label(label) = line {
            if places.len() <= label.0 {
                places.resize(label.0 + 1, lines.len());
            }
            places[label.0] = i;
        }
    }
    let mut states: Vec<Option<State>> = vec![None; lines.len() + 1];
    states[0] = Some(State::default());
    let mut work: BTreeSet<usize> = [0].into();
    while let Some(i) = work.pop_first() {
        let Some(mut state) = states[i].clone() else { continue };
        if i == lines.len() {
            continue;
        }
        if let Some(inst) = instruction(&lines[i]) {
            let t = touched(inst, shape);
            state.waited(state.need(inst, &t));
            // A wait is an instruction too, but fewer of them can only help.
            state.pauses.paused(state.pauses.need(inst, &t));
            state.issue(inst, &t);
        }
        for to in next(lines, &places, i) {
            let changed = match &mut states[to] {
                Some(own) => {
                    let before = own.clone();
                    own.join(&state);
                    *own != before
                }
                none => {
                    *none = Some(state.clone());
                    true
                }
            };
            if changed {
                work.insert(to);
            }
        }
    }
    states
}
