//! Result latches: what a unit has computed passes them.

use upset_isa::warp::{load_scratch, rows};
use upset_isa::{Dst, Inst, Lanes, PT, Results, Unit, WARP, Width};
use upset_state::{ArrayId, Kind, Probe, Use};

use super::{ALU_BITS, Wires, drive_row};
use crate::sm::{Cx, Sm};
use crate::view::{Constants, View};

/// The latches that results of a unit pass. Shuffles use the data path of loads.
fn latches(unit: Unit) -> Option<Kind> {
    match unit {
        Unit::Fma => Some(Kind::Fma),
        Unit::Alu => Some(Kind::Alu),
        Unit::Fp64 => Some(Kind::Fp64),
        Unit::Mufu => Some(Kind::Mufu),
        Unit::LoadStore => Some(Kind::Lsud),
        Unit::Half | Unit::Tensor | Unit::Uniform | Unit::Branch | Unit::Texture | Unit::System => {
            None
        }
    }
}

/// Words of a result.
fn words(inst: &Inst) -> usize {
    match inst.dst {
        Dst::None => 0,
        Dst::Reg(_, Width::W1) | Dst::UReg(_, Width::W1) => 1,
        Dst::Reg(..) | Dst::UReg(..) => 2,
    }
}

impl Sm {
    /// The result of the instruction in flight under `index` is latched by its
    /// unit; `pipe`: which, where it is one of several.
    #[inline]
    pub(crate) fn latch_result<P: Probe>(
        &mut self,
        index: u32,
        pipe: u8,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) {
        if !P::ACTIVE || !cx.probe.breaks() {
            return;
        }
        let wb = &self.writes[index];
        let Some(kind) = latches(wb.inst.op.unit) else { return };
        let array = self.wires.array(kind, self.place(wb.slot).0);
        if wb.writes && !wb.inst.uniform && cx.probe.drives(array) {
            self.latch_in(index, (array, pipe), constants, cx);
        }
    }

    fn latch_in<P: Probe>(
        &mut self,
        index: u32,
        (array, pipe): (ArrayId, u8),
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) {
        let Sm { writes, warps, files, scratch, wires, .. } = self;
        let wb = &mut writes[index];
        let inst = wb.inst;
        let view = View::of(files, &warps[wb.slot as usize], constants);
        // What the unit computed from, for faults that depend on it.
        let known = load_scratch(&view, &inst, scratch).is_ok();
        let six = rows(&view, &inst, scratch);
        let operands = [six[0], six[2], six[4]].map(|row| known.then_some(row));
        let (results, now) = (&mut wb.results, cx.now);
        match array.kind {
            Kind::Fp64 => pairs(wires, (array, pipe, now), operands, results, cx.probe),
            Kind::Alu => alu(wires, (array, pipe, now), (&inst, operands), results, cx.probe),
            kind => {
                let lanes = wires.lanes(kind);
                let first = u64::from(pipe) * lanes as u64 * 32;
                for row in results.d.iter_mut().take(words(&inst)) {
                    drive_row(cx.probe, (array, first, now), lanes, operands, row);
                }
            }
        }
    }
}

/// One lane of operands.
fn of_lane(operands: [Option<&Lanes>; 3], lane: usize) -> [Option<&[u32]>; 3] {
    operands.map(|row| row.and_then(|row| row.get(lane..=lane)))
}

/// Latches of 64 bits: both words of a thread at once.
fn pairs<P: Probe>(
    wires: &Wires,
    (array, pipe, now): (ArrayId, u8, u64),
    operands: [Option<&Lanes>; 3],
    results: &mut Results,
    probe: &mut P,
) {
    let lanes = wires.lanes(array.kind);
    for thread in 0..WARP {
        let [low, high] = [0, 1].map(|half: usize| results.d[half][thread]);
        let mut pair = [low, high];
        let first = (usize::from(pipe) * lanes + thread % lanes) as u64 * 64;
        let operands = of_lane(operands, thread);
        probe.drive(&Use { array, first, now, operands }, &mut pair);
        [results.d[0][thread], results.d[1][thread]] = pair;
    }
}

/// A word and two predicates of each thread.
fn alu<P: Probe>(
    wires: &Wires,
    (array, pipe, now): (ArrayId, u8, u64),
    (inst, operands): (&Inst, [Option<&Lanes>; 3]),
    results: &mut Results,
    probe: &mut P,
) {
    let lanes = wires.lanes(array.kind);
    let says = inst.pdst.iter().any(|dst| dst.pred < PT);
    for thread in 0..WARP {
        let first = (usize::from(pipe) * lanes + thread % lanes) as u64 * ALU_BITS;
        let operands = of_lane(operands, thread);
        for row in results.d.iter_mut().take(words(inst)) {
            probe.drive(&Use { array, first, now, operands }, &mut row[thread..=thread]);
        }
        if says {
            let mut two = [results.p[0] >> thread & 1 | (results.p[1] >> thread & 1) << 1];
            // Of the word only these two bits are this lane's.
            probe.drive(&Use { array, first: first + 32, now, operands }, &mut two);
            for (i, p) in results.p.iter_mut().enumerate() {
                *p = *p & !(1 << thread) | (two[0] >> i & 1) << thread;
            }
        }
    }
}
