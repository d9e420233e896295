//! Programs by hand: instructions, labels, and what a launch leaves in memory.

use std::collections::BTreeMap;

use upset_emu::memory::{Driver, GlobalMemory};
use upset_emu::program::{GROUP, Layout};
use upset_emu::{ConstBanks, Grid, Limits, Program, Slot, Trap, Windows, run};
use upset_isa::codes::when;
use upset_isa::control::stack::EntryKind;
use upset_isa::int::carry::{self, sum};
use upset_isa::int::{compare, select};
use upset_isa::texture::Textures;
use upset_isa::{
    AluFn, CodesFn, ConstAddr, Dst, Exec, Flow, Guard, Inst, LatencyClass, MemKind, MemOp, OpDef,
    PredDst, Space, SpecialReg, Src, Target, Unit, Width,
};

static OP: OpDef = OpDef::new("TEST", Unit::Alu, LatencyClass::Fixed);

/// Where the code lies.
pub const BASE: u64 = 0x10_0000;

/// A register source.
pub fn r(n: u8) -> Src {
    Src::Reg(n, Width::W1)
}

/// Instructions in the order they are written, and where labels stand.
#[derive(Default)]
pub struct Code {
    insts: Vec<Inst>,
    labels: BTreeMap<&'static str, usize>,
    uses: Vec<(usize, &'static str)>,
}

/// Number of the slot of an instruction: one in eight is a control word.
fn slot(inst: usize) -> usize {
    inst / (GROUP - 1) * GROUP + 1 + inst % (GROUP - 1)
}

impl Code {
    fn last(&mut self) -> &mut Inst {
        self.insts.last_mut().expect("an instruction")
    }

    fn put(&mut self, exec: Exec) -> &mut Inst {
        self.insts.push(Inst::new(&OP, exec));
        self.last()
    }

    /// Number of the slot that the next instruction will have.
    pub fn next_slot(&self) -> usize {
        slot(self.insts.len())
    }

    /// A label before the next instruction.
    pub fn label(&mut self, name: &'static str) {
        self.labels.insert(name, self.insts.len());
    }

    /// Guards the last instruction by a predicate.
    pub fn guard(&mut self, pred: u8, holds: bool) {
        self.last().guard = Guard { pred, negate: !holds, uniform: false };
    }

    /// Lets the last instruction join.
    pub fn joins(&mut self) {
        self.last().joins = true;
    }

    /// Lets the last instruction test the condition codes.
    pub fn test(&mut self, number: u8) {
        self.last().mods = when(number);
    }

    /// Arithmetic.
    pub fn alu(&mut self, f: AluFn, d: u8, src: [Src; 3]) -> &mut Inst {
        let i = self.put(Exec::Alu(f));
        (i.dst, i.src) = (Dst::Reg(d, Width::W1), src);
        i
    }

    /// Arithmetic with the condition codes.
    pub fn coded(
        &mut self,
        f: CodesFn,
        mods: u32,
        writes: bool,
        d: u8,
        src: [Src; 3],
    ) -> &mut Inst {
        let i = self.put(Exec::AluCodes { f, writes });
        (i.dst, i.src, i.mods) = (Dst::Reg(d, Width::W1), src, mods);
        i
    }

    /// `d = s`.
    pub fn mov(&mut self, d: u8, s: Src) {
        self.alu(select::mov, d, [Src::Zero, s, Src::Zero]);
    }

    /// `d = a + b`.
    pub fn add(&mut self, d: u8, a: Src, b: Src) {
        self.coded(carry::add, 0, false, d, [a, b, Src::Zero]);
    }

    /// `d = (a << shift) + b`.
    pub fn scale(&mut self, d: u8, a: Src, shift: u32, b: Src) {
        self.coded(carry::add, shift << sum::SHIFT, false, d, [a, b, Src::Zero]);
    }

    /// `p = a OP b`, unsigned.
    pub fn compare(&mut self, p: u8, op: u32, a: Src, b: Src) {
        let i = self.put(Exec::Alu(compare::isetp_for(op, false)));
        i.src = [a, b, Src::Zero];
        i.pdst[0] = PredDst { pred: p, uniform: false };
    }

    /// The thread's number in its CTA.
    pub fn thread(&mut self, d: u8) {
        self.put(Exec::Special(SpecialReg::TidX)).dst = Dst::Reg(d, Width::W1);
    }

    /// Any other instruction.
    pub fn other(&mut self, exec: Exec) -> &mut Inst {
        self.put(exec)
    }

    /// Nothing.
    pub fn nop(&mut self) {
        self.put(Exec::Nop);
    }

    fn to(&mut self, label: &'static str, flow: impl Fn(Target) -> Flow) {
        self.uses.push((self.insts.len(), label));
        self.put(Exec::Flow(flow(Target::Absolute(0))));
    }

    /// A branch.
    pub fn branch(&mut self, label: &'static str) {
        self.to(label, Flow::Branch);
    }

    /// A call.
    pub fn call(&mut self, label: &'static str) {
        self.to(label, Flow::CallByStack);
    }

    /// An entry on the stack.
    pub fn push(&mut self, kind: EntryKind, label: &'static str) {
        self.to(label, |target| Flow::Push { kind, target });
    }

    /// Threads leave for an entry.
    pub fn leave(&mut self, kind: EntryKind) {
        self.put(Exec::Flow(Flow::LeaveFor(kind)));
    }

    /// Threads end.
    pub fn exit(&mut self) {
        self.put(Exec::Flow(Flow::Exit));
    }

    /// A word from or to memory at the address in register `at` (shared), or in
    /// the pair from `at` on (global), plus an offset.
    pub fn word(
        &mut self,
        kind: MemKind,
        space: Space,
        data: u8,
        at: u8,
        offset: i32,
    ) -> &mut Inst {
        let addr64 = space == Space::Global;
        let m = MemOp {
            space,
            kind,
            bytes: 4,
            signed: false,
            addr64,
            ureg: None,
            offset,
            shift: 0,
            bank: None,
            cached: false,
            hints: 0,
        };
        let i = self.put(Exec::Mem(m));
        i.src[0] = Src::Reg(at, if addr64 { Width::W2 } else { Width::W1 });
        match kind {
            MemKind::Load | MemKind::LoadLock => i.dst = Dst::Reg(data, Width::W1),
            _ => i.src[1] = r(data),
        }
        i
    }

    /// The address of the thread's words of the output, `1 << bits` bytes each,
    /// in the pair from `d` on; the thread's number is in `thread`.
    pub fn address(&mut self, d: u8, thread: u8, bits: u32) {
        let output = |offset| Src::Const(ConstAddr::Bank { bank: 0, offset }, Width::W1);
        let low = bits << sum::SHIFT;
        self.coded(carry::add, low, true, d, [r(thread), output(0), Src::Zero]);
        self.coded(carry::add, 1 << sum::X, false, d + 1, [Src::Zero, output(4), Src::Zero]);
    }

    /// The program.
    pub fn program(&self) -> Program {
        let end = slot(self.insts.len()).next_multiple_of(GROUP);
        let mut slots = vec![Slot::Control; end];
        for (n, inst) in self.insts.iter().enumerate() {
            let mut inst = *inst;
            if let Some((_, label)) = self.uses.iter().find(|(at, _)| *at == n) {
                let to = slot(self.labels[label]);
                // A control word may be named as well as what is behind it.
                let to = if to % GROUP == 1 { to - 1 } else { to };
                let target = Target::Absolute((BASE + 8 * to as u64) as i64);
                if let Exec::Flow(flow) = &mut inst.exec {
                    *flow = match *flow {
                        Flow::CallByStack(_) => Flow::CallByStack(target),
                        Flow::Push { kind, .. } => Flow::Push { kind, target },
                        _ => Flow::Branch(target),
                    };
                }
            }
            slots[slot(n)] = Slot::Inst(inst);
        }
        let words = vec![0; slots.len()];
        Program { base: BASE, layout: Layout::Grouped, slots, words }
    }

    /// Runs a CTA of so many threads that writes `words` words each; gives them
    /// back, or why it stopped. `before` is in memory when it starts.
    pub fn run(&self, threads: u32, words: u32, before: &[u32]) -> Result<Vec<u32>, Trap> {
        let program = self.program();
        let mut memory = GlobalMemory::new(1 << 30, Driver::STRICT);
        let bytes = u64::from(4 * threads * words);
        let output = memory.allocate(bytes).expect("memory");
        let to = memory.write(output, bytes as usize).expect("mapped");
        for (to, word) in to.chunks_exact_mut(4).zip(before) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let mut banks = ConstBanks::default();
        banks.set(0, output.to_le_bytes().to_vec());
        let grid = Grid {
            program: &program,
            entry: 0,
            grid: [1; 3],
            block: [threads, 1, 1],
            registers: 32,
            shared_bytes: 1024,
            local_bytes: 0,
            banks: &banks,
            textures: &Textures::default(),
            windows: Windows { shared: 1 << 24, local: 1 << 25 },
            resident: 1,
            cooperative: false,
        };
        run(&grid, &mut memory, Limits { warp_insts: 100_000 }, &mut |_| {}, None)?;
        let found = memory.read(output, bytes as usize).expect("mapped");
        let word = |b: &[u8]| b.iter().rev().fold(0, |v, &b| v << 8 | u32::from(b));
        Ok(found.chunks_exact(4).map(word).collect())
    }
}
