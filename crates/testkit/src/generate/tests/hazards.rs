//! Walks through the machine code of programs as a warp might, and looks for
//! values that are used before they are there: the code's own scheduling
//! fields are all that protects them.
//!
//! Nothing here comes from the scheduler: instructions are decoded, latencies
//! are those of the chip, and a scoreboard is released by a wait alone.

use super::programs;
use crate::Rng;
use crate::generate::{Program, preset};
use upset_chip::ChipSpec;
use upset_isa::{
    ConstAddr, Dst, Exec, Flow, Inst, LatencyClass, PT, PredDst, PredSrc, RZ, Src, Target, URZ,
    Unit,
};
use upset_sass::decode::decode;
use upset_sass::{Arch, Word, disasm};

/// A register, predicate, uniform register or uniform predicate.
type Name = (char, u8);

/// A value on its way.
#[derive(Clone, Copy)]
enum Pending {
    /// Written by a fixed-latency instruction at this cycle, on this unit.
    Fixed(u64, Unit),
    /// Released with this scoreboard.
    Board(u8),
}

/// Cycles until a result can be used by another pipe, by an instruction of
/// variable latency, and as a guard, where they are not the unit's latency.
struct Late {
    other: Option<u32>,
    memory: Option<u32>,
    guard: Option<u32>,
}

struct Walker<'a> {
    program: &'a Program,
    chip: ChipSpec,
    code: Vec<(Inst, String)>,
    tables: Vec<u64>,
    now: u64,
    /// Results on their way.
    writes: Vec<(Name, Pending)>,
    /// Operands not read yet, by scoreboard.
    reads: Vec<(Name, u8)>,
}

fn registers(kind: char, first: u8, words: u8) -> impl Iterator<Item = Name> {
    (0..words).map(move |i| (kind, first + i))
}

fn sources(inst: &Inst) -> Vec<Name> {
    let mut names = Vec::new();
    let mut add = |s: Src| match s {
        Src::Reg(r, w) if r != RZ => names.extend(registers('R', r, w.words())),
        Src::UReg(r, w) if r != URZ => names.extend(registers('U', r, w.words())),
        _ => {}
    };
    inst.src.into_iter().for_each(&mut add);
    if let Exec::Mem(m) = inst.exec
        && let Some((r, w)) = m.ureg
    {
        add(Src::UReg(r, w));
    }
    names
}

/// Predicates read, and whether as early as a guard is.
fn predicates(inst: &Inst) -> Vec<(Name, bool)> {
    let name = |uniform: bool, n: u8| (if uniform { 'V' } else { 'P' }, n);
    let mut names = vec![(name(inst.guard.uniform, inst.guard.pred), true)];
    let early = inst.op.unit == Unit::Branch;
    names.extend(inst.psrc.map(|p: PredSrc| (name(p.uniform, p.pred), early)));
    if let Exec::ReadPreds { .. } = inst.exec {
        names.extend((0..PT).map(|i| (name(inst.uniform, i), false)));
    }
    names.retain(|((_, n), _)| *n != PT);
    names
}

fn results(inst: &Inst) -> Vec<Name> {
    let mut names = Vec::new();
    match inst.dst {
        Dst::Reg(r, w) if r != RZ => names.extend(registers('R', r, w.words())),
        Dst::UReg(r, w) if r != URZ => names.extend(registers('U', r, w.words())),
        _ => {}
    }
    let name = |p: PredDst| (if p.uniform { 'V' } else { 'P' }, p.pred);
    names.extend(inst.pdst.iter().filter(|p| p.pred != PT).map(|p| name(*p)));
    if let Exec::WritePreds { .. } = inst.exec {
        names.extend((0..PT).map(|i| (if inst.uniform { 'V' } else { 'P' }, i)));
    }
    names
}

impl<'a> Walker<'a> {
    fn new(program: &'a Program) -> Walker<'a> {
        let image = program.image();
        let code = image.code.as_chunks::<{ Word::BYTES }>().0.iter().map(|w| {
            let decoded = decode(Word::from_bytes(*w), program.arch).expect("legal");
            (decoded.lower().expect("executable"), disasm::text(&decoded, 0))
        });
        // Every offset of a jump table.
        let module = upset_sass::container::open(&image.cubin)
            .and_then(|c| c.module(program.arch.number()))
            .expect("a cubin");
        let tables = module.kernels[0].banks.get(&2).map_or(Vec::new(), |bank| {
            let words = bank.bytes.as_chunks::<4>().0.iter();
            words.map(|w| u64::from(u32::from_le_bytes(*w))).collect()
        });
        Walker {
            program,
            chip: preset(program.arch).expect("a chip"),
            code: code.collect(),
            tables,
            now: 0,
            writes: Vec::new(),
            reads: Vec::new(),
        }
    }

    /// What chip files say of consumers that hardware lets wait longer, in the
    /// comments behind `latency`: the model lets none wait.
    fn late(&self, unit: &str) -> Late {
        let late = |other, memory, guard| Late { other, memory, guard };
        match (self.program.arch, unit) {
            (Arch::Sm70, "alu" | "fma") => late(Some(5), Some(6), Some(13)),
            (Arch::Sm75, "alu" | "fma") => late(Some(5), Some(6), Some(12)),
            (Arch::Sm80 | Arch::Sm90, "alu" | "fma") => late(Some(5), Some(4), Some(13)),
            (Arch::Sm70 | Arch::Sm75, "fp64") => late(None, None, Some(15)),
            (Arch::Sm80 | Arch::Sm90, "fp64") => late(Some(10), None, Some(14)),
            (Arch::Sm75, "half") => late(Some(8), None, Some(14)),
            (Arch::Sm80 | Arch::Sm90, "half") => late(Some(5), None, None),
            (Arch::Sm75, "uniform") => late(Some(6), Some(9), Some(11)),
            (Arch::Sm80 | Arch::Sm90, "uniform") => late(Some(6), Some(9), None),
            _ => late(None, None, None),
        }
    }

    /// Cycles until a result of `unit` can be used as `early` or by `user`.
    fn latency(&self, unit: Unit, name: Name, user: &Inst, early: bool) -> u64 {
        let key = match unit {
            Unit::Alu => "alu",
            Unit::Fma => "fma",
            Unit::Fp64 => "fp64",
            Unit::Half => "half",
            Unit::Uniform => "uniform",
            _ => "system",
        };
        let spec =
            self.chip.sm().expect("SMs").units.iter().find(|u| u.name == key).expect("a unit");
        let late = self.late(key);
        let other = late.other.unwrap_or(spec.latency);
        let most = if early && matches!(name.0, 'P' | 'V') {
            late.guard.unwrap_or(other)
        } else if user.op.latency != LatencyClass::Fixed {
            late.memory.unwrap_or(other)
        } else if user.op.unit == unit {
            spec.latency
        } else {
            other
        };
        u64::from(most)
    }

    fn check(&self, at: usize, name: Name, early: bool) {
        let (inst, text) = &self.code[at];
        let place = || format!("seed {} on {}: {text}", self.program.seed, self.program.arch);
        for (n, pending) in &self.writes {
            if *n != name {
                continue;
            }
            match *pending {
                Pending::Fixed(since, unit) => {
                    let wanted = since + self.latency(unit, name, inst, early);
                    assert!(
                        self.now >= wanted,
                        "{}: {name:?} {} too soon",
                        place(),
                        wanted - self.now
                    );
                }
                Pending::Board(b) => panic!("{}: {name:?} without waiting for {b}", place()),
            }
        }
    }

    /// Issues an instruction.
    fn issue(&mut self, at: usize) {
        let (inst, text) = self.code[at].clone();
        let ctl = inst.ctl;
        self.reads.retain(|(_, b)| ctl.wait >> b & 1 == 0);
        self.writes.retain(|(_, p)| !matches!(p, Pending::Board(b) if ctl.wait >> b & 1 == 1));
        let early = inst.op.unit == Unit::Branch;
        sources(&inst).into_iter().for_each(|n| self.check(at, n, early));
        predicates(&inst).into_iter().for_each(|(n, early)| self.check(at, n, early));
        let results = results(&inst);
        for n in &results {
            self.check(at, *n, false);
            let unread = self.reads.iter().find(|(r, _)| r == n);
            assert!(
                unread.is_none(),
                "seed {}: {text}: {n:?} is still to be read",
                self.program.seed
            );
        }
        self.writes.retain(|(n, _)| !results.contains(n));
        let variable = inst.op.latency == LatencyClass::Variable;
        let pending = match ctl.write_sb {
            7 => Pending::Fixed(self.now, inst.op.unit),
            b => Pending::Board(b),
        };
        assert!(
            !variable || ctl.write_sb != 7 || inst.op.unit == Unit::Fp64,
            "{text} must set a scoreboard"
        );
        self.writes.extend(results.into_iter().map(|n| (n, pending)));
        let late = variable && inst.op.unit != Unit::Fp64
            || inst.op.latency == LatencyClass::None && inst.op.unit == Unit::LoadStore;
        if late {
            let board = if ctl.read_sb != 7 { ctl.read_sb } else { ctl.write_sb };
            let sources = sources(&inst);
            assert!(board != 7 || sources.is_empty(), "{text} must set a scoreboard");
            self.reads.extend(sources.into_iter().map(|n| (n, board)));
        }
        assert!((1..=15).contains(&ctl.stall), "{text} has no stall count");
        self.now += u64::from(ctl.stall);
        // A counter shows a cycle after issue.
        if let Some((next, _)) = self.code.get(at + 1) {
            let set = [ctl.write_sb, ctl.read_sb].iter().fold(0, |m, b| m | 1u32 << b);
            let waits = u32::from(next.ctl.wait) & set & 63;
            assert!(waits == 0 || ctl.stall >= 2, "{text} is waited for too soon");
        }
    }

    /// One way through the code, at most `steps` long.
    fn walk(&mut self, rng: &mut Rng, steps: usize) {
        self.writes.clear();
        self.reads.clear();
        let mut at = 0;
        let mut back = None;
        // The entry of bank 2 that an indirect branch goes through.
        let mut table = 0;
        let relative = |at: usize, off: i64| (16 * (at as i64 + 1) + off) as usize / 16;
        for _ in 0..steps {
            self.issue(at);
            let (inst, text) = &self.code[at];
            let goes = |rng: &mut Rng| inst.guard.is_always() || rng.below(2) == 0;
            let next = at + 1;
            at = match inst.exec {
                Exec::Flow(Flow::Branch(Target::Relative(off))) if goes(rng) => relative(at, off),
                Exec::Flow(Flow::Branch(Target::RegRelative(_))) => {
                    rng.pick(&self.tables[table..table + 4]) as usize / 16
                }
                Exec::Mem(m) => {
                    if let Some(ConstAddr::Bank { bank: 2, offset }) = m.bank {
                        table = offset as usize / 4;
                    }
                    next
                }
                Exec::Flow(Flow::Call(Target::Relative(off))) => {
                    back = Some(next);
                    relative(at, off)
                }
                Exec::Flow(Flow::Ret(_)) => back.take().expect("a call"),
                Exec::Flow(Flow::Exit) if goes(rng) => return,
                _ => next,
            };
            assert!(at < self.code.len(), "{text} leads out of the code");
        }
    }
}

#[test]
fn nothing_is_used_before_it_is_there() {
    for p in programs() {
        let mut rng = Rng::new(p.seed);
        let mut walker = Walker::new(&p);
        for _ in 0..12 {
            walker.walk(&mut rng, 3000);
        }
    }
}
