//! Operand latches: what an instruction reads passes them, port by port.

use upset_isa::control::barriers::Convergence;
use upset_isa::warp::{load_scratch, rows};
use upset_isa::{Exec, Inst, Lanes, MemKind, RZ, Src, Unit, WARP, Width};
use upset_state::{Kind, Probe};

use super::drive_row;
use crate::sm::{Cx, Sm};
use crate::view::{Constants, View};
use crate::warp::Warp;

/// Words that a port takes for one operand, one after the other.
const WORDS: usize = 4;

/// The operands of an instruction behind the latches, and the instruction as
/// it reads them from there: port p's words are registers 4p to 4p + 3.
pub(crate) struct Latched {
    rows: [Lanes; 3 * WORDS],
    pub inst: Inst,
}

impl Latched {
    /// What the warp sees, with these operands in place of its registers.
    pub fn view<'a>(&'a self, warp: &'a Warp, constants: &'a Constants) -> View<'a> {
        let Warp { preds, codes, upreds, uregs, .. } = warp;
        let codes = codes.as_ref();
        let (preds, upreds, uregs) = (preds.rows(), upreds.rows(), uregs.rows());
        View { rows: &self.rows, preds, codes, upreds, uregs, constants }
    }

    /// The same, and what its threads do next.
    pub fn and_flow<'a>(
        &'a self,
        warp: &'a mut Warp,
        constants: &'a Constants,
    ) -> (View<'a>, &'a mut Convergence) {
        let Warp { preds, codes, upreds, uregs, flow, .. } = warp;
        let codes = codes.as_ref();
        let (preds, upreds, uregs) = (preds.rows(), upreds.rows(), uregs.rows());
        (View { rows: &self.rows, preds, codes, upreds, uregs, constants }, flow)
    }
}

impl Sm {
    /// Operands that an instruction of the warp in a slot reads, if the latches
    /// that they pass are broken.
    #[inline]
    pub(crate) fn latch_operands<P: Probe>(
        &mut self,
        slot: u32,
        inst: &Inst,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> Option<Box<Latched>> {
        if !P::ACTIVE || !cx.probe.breaks() {
            return None;
        }
        if !cx.probe.drives(self.wires.array(Kind::Opnd, self.place(slot).0)) {
            return None;
        }
        // The uniform datapath has latches of its own, and so has the texture unit.
        let texture = inst.op.unit == Unit::Texture;
        if inst.uniform || texture || matches!(inst.exec, Exec::Tex(_) | Exec::Surface(_)) {
            return None;
        }
        self.read_latched(slot, inst, constants, cx)
    }

    fn read_latched<P: Probe>(
        &mut self,
        slot: u32,
        inst: &Inst,
        constants: &Constants,
        cx: &mut Cx<'_, P>,
    ) -> Option<Box<Latched>> {
        let array = self.wires.array(Kind::Opnd, self.place(slot).0);
        let Sm { warps, files, scratch, .. } = self;
        let view = View::of(files, &warps[slot as usize], constants);
        load_scratch(&view, inst, scratch).ok()?;
        let pairs = rows(&view, inst, scratch);
        let mut latched = Box::new(Latched { rows: [[0; WARP]; 3 * WORDS], inst: *inst });
        for (port, src) in inst.src.iter().enumerate() {
            let (base, first) = (port * WORDS, (port * WARP * 32) as u64);
            let words = match *src {
                Src::Zero => continue,
                Src::Reg(r, width) => {
                    let words = match inst.exec {
                        Exec::Mem(m) if port == 1 && m.kind == MemKind::Store => {
                            m.bytes.div_ceil(4)
                        }
                        _ => width.words(),
                    };
                    let words = usize::from(words).min(WORDS);
                    for (word, row) in latched.rows[base..base + words].iter_mut().enumerate() {
                        let register = if r == RZ { RZ } else { r.saturating_add(word as u8) };
                        *row = *upset_isa::warp::Operands::row(&view, register);
                    }
                    latched.inst.src[port] = Src::Reg(base as u8, width);
                    words
                }
                // Where an instruction only computes they are broadcast to the lanes.
                Src::UReg(..) | Src::Imm(_) | Src::ImmHigh(_) | Src::Const(..)
                    if matches!(inst.exec, Exec::Mem(_) | Exec::Flow(_)) =>
                {
                    continue;
                }
                Src::UReg(_, width) | Src::Const(_, width) => {
                    [latched.rows[base], latched.rows[base + 1]] =
                        [*pairs[2 * port], *pairs[2 * port + 1]];
                    latched.inst.src[port] = Src::Reg(base as u8, width);
                    usize::from(width.words()).min(2)
                }
                Src::Imm(_) => {
                    latched.rows[base] = *pairs[2 * port];
                    latched.inst.src[port] = Src::Reg(base as u8, Width::W1);
                    1
                }
                Src::ImmHigh(_) => {
                    latched.rows[base + 1] = *pairs[2 * port + 1];
                    latched.inst.src[port] = Src::Reg(base as u8, Width::W2);
                    2
                }
            };
            for row in &mut latched.rows[base..base + words] {
                drive_row(cx.probe, (array, first, cx.now), WARP, [None; 3], row);
            }
        }
        Some(latched)
    }
}
