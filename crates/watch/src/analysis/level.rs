//! Where values come from.

use upset_isa::{ConstAddr, Dst, Guard, Inst, PT, PredDst, PredSrc, RZ, Src, URZ, Width};

/// Where a value comes from, at worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The code, and numbers of threads and CTAs.
    #[default]
    Launch,
    /// The launch's parameters too.
    Parameters,
    /// Memory, time, or the place where a warp runs.
    Data,
}

/// Levels of what a thread keeps for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    registers: [Level; 256],
    predicates: [Level; 8],
}

impl Default for State {
    fn default() -> Self {
        State { registers: [Level::Launch; 256], predicates: [Level::Launch; 8] }
    }
}

impl State {
    /// Takes the worse of both; whether anything changed.
    pub(super) fn join(&mut self, other: &State) -> bool {
        let mut changed = false;
        let own = self.registers.iter_mut().chain(&mut self.predicates);
        for (a, b) in own.zip(other.registers.iter().chain(&other.predicates)) {
            changed |= *a < *b;
            *a = (*a).max(*b);
        }
        changed
    }
}

/// Levels of what threads of a warp share, anywhere in the program: while a warp
/// is divided, another path may write between a write and its read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    uniform: [Level; 64],
    predicates: [Level; 8],
    /// What local memory may hold: spilled registers.
    pub(super) local: Level,
    /// What CTA barriers may have reduced.
    pub(super) reduced: Level,
}

impl Default for Shared {
    fn default() -> Self {
        let launch = Level::Launch;
        Shared { uniform: [launch; 64], predicates: [launch; 8], local: launch, reduced: launch }
    }
}

/// Constant bank of `__constant__` variables, which hosts fill.
const VARIABLES: u8 = 3;

/// Everything known at an instruction.
pub(super) struct View<'a> {
    pub(super) own: &'a State,
    pub(super) shared: &'a Shared,
    /// First byte of the parameters in bank 0; grid and block lie before them.
    pub(super) parameters: i32,
}

impl View<'_> {
    pub(super) fn registers(&self, first: u8, words: u8) -> Level {
        if first == RZ {
            return Level::Launch;
        }
        let all = first..=first.saturating_add(words.saturating_sub(1));
        all.filter(|&r| r != RZ)
            .map(|r| self.own.registers[usize::from(r)])
            .max()
            .unwrap_or_default()
    }

    pub(super) fn uniform(&self, first: u8, words: u8) -> Level {
        if first >= URZ {
            return Level::Launch;
        }
        let all = first..first.saturating_add(words).min(URZ);
        all.map(|r| self.shared.uniform[usize::from(r)]).max().unwrap_or_default()
    }

    pub(super) fn constant(&self, at: ConstAddr) -> Level {
        match at {
            ConstAddr::Bank { bank: 0, offset } if offset < self.parameters => Level::Launch,
            ConstAddr::Bank { bank: 0, .. } => Level::Parameters,
            ConstAddr::Bank { bank: VARIABLES, .. } | ConstAddr::Bindless { .. } => Level::Data,
            ConstAddr::Bank { .. } => Level::Launch,
        }
    }

    /// A source of `words` words, or of as many as it says.
    pub(super) fn source(&self, source: Src, words: Option<u8>) -> Level {
        let count = |w: Width| words.unwrap_or(w.words()).max(w.words());
        match source {
            Src::Zero | Src::Imm(_) | Src::ImmHigh(_) => Level::Launch,
            Src::Reg(r, w) => self.registers(r, count(w)),
            Src::UReg(r, w) => self.uniform(r, count(w)),
            Src::Const(at, _) => self.constant(at),
        }
    }

    fn predicate(&self, number: u8, uniform: bool) -> Level {
        match (number, uniform) {
            (PT.., _) => Level::Launch,
            (n, true) => self.shared.predicates[usize::from(n)],
            (n, false) => self.own.predicates[usize::from(n)],
        }
    }

    pub(super) fn condition(&self, p: PredSrc) -> Level {
        self.predicate(p.pred, p.uniform)
    }

    pub(super) fn guard(&self, g: Guard) -> Level {
        self.predicate(g.pred, g.uniform)
    }

    /// All register sources and conditions of an instruction.
    pub(super) fn operands(&self, inst: &Inst) -> Level {
        let sources = inst.src.iter().map(|&s| self.source(s, None));
        sources.chain(inst.psrc.iter().map(|&p| self.condition(p))).max().unwrap_or_default()
    }

    pub(super) fn all_predicates(&self) -> Level {
        self.own.predicates.iter().copied().max().unwrap_or_default()
    }
}

/// Writes levels. A write under a guard leaves the old value in some lanes.
pub(super) struct Writer<'a> {
    pub(super) own: &'a mut State,
    pub(super) shared: &'a mut Shared,
    pub(super) guarded: bool,
}

impl Writer<'_> {
    pub(super) fn registers(&mut self, first: u8, words: u8, level: Level) {
        if first == RZ {
            return;
        }
        for r in first..=first.saturating_add(words.saturating_sub(1)) {
            let place = &mut self.own.registers[usize::from(r)];
            *place = if self.guarded { level.max(*place) } else { level };
        }
    }

    /// The destination, of `words` words or of as many as it says.
    pub(super) fn destination(&mut self, to: Dst, words: Option<u8>, level: Level) {
        let count = |w: Width| words.unwrap_or(w.words()).max(w.words());
        match to {
            Dst::None => {}
            Dst::Reg(r, w) => self.registers(r, count(w), level),
            Dst::UReg(r, w) => {
                for r in (r..r.saturating_add(count(w))).filter(|&r| r < URZ) {
                    let place = &mut self.shared.uniform[usize::from(r)];
                    *place = level.max(*place);
                }
            }
        }
    }

    pub(super) fn predicate(&mut self, to: PredDst, level: Level) {
        if to.pred >= PT {
            return;
        }
        let n = usize::from(to.pred);
        match to.uniform {
            true => self.shared.predicates[n] = level.max(self.shared.predicates[n]),
            false if self.guarded => self.own.predicates[n] = level.max(self.own.predicates[n]),
            false => self.own.predicates[n] = level,
        }
    }

    /// Predicates of which a mask says, lane by lane, which are written.
    pub(super) fn some_predicates(&mut self, level: Level) {
        for place in &mut self.own.predicates {
            *place = level.max(*place);
        }
    }
}
