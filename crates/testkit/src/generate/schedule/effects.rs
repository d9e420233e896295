//! What an instruction reads and writes, from its decoded form.

use crate::Rng;
use crate::asm::{Code, Control};
use upset_isa::{
    BitFlow, Dst, Exec, Flow, Guard, Inst, LatencyClass, PT, PredDst, PredSrc, RZ, Src, URZ, Unit,
};
use upset_sass::Arch;
use upset_sass::decode::decode;

/// A register, predicate, uniform register or uniform predicate, numbered.
pub(crate) type Resource = usize;
const PREDICATES: Resource = 256;
const UNIFORMS: Resource = PREDICATES + 8;
const UNIFORM_PREDICATES: Resource = UNIFORMS + 64;
/// Number of resources.
pub(crate) const RESOURCES: usize = UNIFORM_PREDICATES + 8;

/// When results are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timing {
    /// After a number of cycles.
    Fixed,
    /// When a scoreboard says so.
    Variable,
    /// There are none, but operands are read late.
    Late,
    /// Neither.
    None,
}

/// What an instruction does, as far as others have to wait for it.
#[derive(Clone, Debug)]
pub(crate) struct Effects {
    /// Sources, with those read early (guards, conditions of branches) marked.
    pub reads: Vec<(Resource, bool)>,
    pub writes: Vec<Resource>,
    pub timing: Timing,
    pub unit: Unit,
    /// The result has two words through one pipe (`IMAD.WIDE`).
    pub wide: bool,
    /// A multiplication of integers.
    pub integer: bool,
    /// Ends a stretch of code: nothing may be in flight behind it.
    pub call: bool,
}

/// Is the resource a predicate?
pub(crate) fn is_predicate(r: Resource) -> bool {
    (PREDICATES..UNIFORMS).contains(&r) || r >= UNIFORM_PREDICATES
}

impl Effects {
    /// Effects of an instruction of our own assembler. One that does not
    /// decode has none; it will trap when it runs, and the tests look for it.
    pub fn of(code: Code, arch: Arch, key: u64) -> Effects {
        let inst = decode(code.word(Control::stall(1)), arch).ok().and_then(|d| d.lower().ok());
        match inst {
            Some(inst) => Effects::of_inst(&inst, arch, key),
            None => Effects {
                reads: Vec::new(),
                writes: Vec::new(),
                timing: Timing::None,
                unit: Unit::System,
                wide: false,
                integer: false,
                call: false,
            },
        }
    }

    fn of_inst(inst: &Inst, arch: Arch, key: u64) -> Effects {
        let mut e = Effects {
            reads: Vec::new(),
            writes: Vec::new(),
            timing: timing(inst, arch, key),
            unit: inst.op.unit,
            wide: inst.op.unit == Unit::Fma && matches!(inst.dst, Dst::Reg(_, w) if w.words() > 1),
            integer: inst.op.unit == Unit::Fma && inst.op.bits == BitFlow::Product,
            call: matches!(inst.exec, Exec::Flow(Flow::Call(_) | Flow::Ret(_))),
        };
        // The uniform datapath reads predicates of lanes as early as guards are.
        let early = matches!(inst.op.unit, Unit::Branch | Unit::System | Unit::Uniform);
        e.guard(inst.guard);
        for p in inst.psrc {
            e.pred(p, early);
        }
        for s in inst.src {
            e.source(s, inst.op.unit == Unit::Branch);
        }
        match inst.exec {
            Exec::Mem(m) => {
                if let Some((r, w)) = m.ureg {
                    e.source(Src::UReg(r, w), false);
                }
            }
            Exec::ReadPreds { .. } => {
                let first = if inst.uniform { UNIFORM_PREDICATES } else { PREDICATES };
                e.reads.extend((first..first + 7).map(|p| (p, true)));
            }
            Exec::WritePreds { .. } => {
                let first = if inst.uniform { UNIFORM_PREDICATES } else { PREDICATES };
                e.writes.extend(first..first + 7);
            }
            _ => {}
        }
        match inst.dst {
            Dst::Reg(d, w) if d != RZ => {
                e.writes.extend((0..w.words()).map(|i| Resource::from(d) + Resource::from(i)));
            }
            Dst::UReg(d, w) if d != URZ => {
                let words = 0..w.words();
                e.writes.extend(words.map(|i| UNIFORMS + Resource::from(d) + Resource::from(i)));
            }
            _ => {}
        }
        for p in inst.pdst {
            e.pred_dst(p);
        }
        e
    }

    fn guard(&mut self, g: Guard) {
        self.pred(PredSrc { pred: g.pred, negate: g.negate, uniform: g.uniform }, true);
    }

    fn pred(&mut self, p: PredSrc, early: bool) {
        if p.pred != PT {
            let first = if p.uniform { UNIFORM_PREDICATES } else { PREDICATES };
            self.reads.push((first + Resource::from(p.pred), early));
        }
    }

    fn pred_dst(&mut self, p: PredDst) {
        if p.pred != PT {
            let first = if p.uniform { UNIFORM_PREDICATES } else { PREDICATES };
            self.writes.push(first + Resource::from(p.pred));
        }
    }

    fn source(&mut self, s: Src, early: bool) {
        let (first, r, w) = match s {
            Src::Reg(r, w) if r != RZ => (0, r, w),
            Src::UReg(r, w) if r != URZ => (UNIFORMS, r, w),
            _ => return,
        };
        let words = (0..w.words()).map(|i| first + Resource::from(r) + Resource::from(i));
        self.reads.extend(words.map(|r| (r, early)));
    }

    /// Registers (of lanes or uniform) among the sources.
    pub fn registers(&self) -> impl Iterator<Item = Resource> {
        self.reads.iter().map(|&(r, _)| r).filter(|&r| !is_predicate(r))
    }
}

fn timing(inst: &Inst, arch: Arch, key: u64) -> Timing {
    match (inst.op.latency, inst.op.unit) {
        (LatencyClass::Fixed, _) => Timing::Fixed,
        // Compilers count cycles on sm_90, whose unit is wide; elsewhere they do both.
        (LatencyClass::Variable, Unit::Fp64) if arch >= Arch::Sm90 => {
            if Rng::new(key ^ 0xf64).below(2) == 0 { Timing::Fixed } else { Timing::Variable }
        }
        (LatencyClass::Variable, _) => Timing::Variable,
        (LatencyClass::None, Unit::LoadStore) => Timing::Late,
        (LatencyClass::None, _) => Timing::None,
    }
}
