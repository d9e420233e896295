//! Programs by hand: instructions, labels, and what a launch leaves in memory.

use std::collections::BTreeMap;

use upset_emu::program::{GROUP, Layout};
use upset_emu::{Program, Slot, TrapKind};
use upset_isa::codes::when;
use upset_isa::control::stack::EntryKind;
use upset_isa::int::carry::{self, sum};
use upset_isa::int::{compare, select};
use upset_isa::{
    AluFn, CodesFn, ConstAddr, Ctl, Dst, Exec, Flow, Guard, Inst, LatencyClass, MemKind, MemOp,
    OpDef, PredDst, Space, SpecialReg, Src, Target, Unit, Width,
};

static OP: OpDef = OpDef::new("TEST", Unit::Alu, LatencyClass::Fixed);

/// Where bank 0 has the address of the output, and that of the code.
pub const OUTPUT: i32 = 0;
pub const CODE: i32 = 8;

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
    /// Control bytes of some instructions.
    controls: BTreeMap<usize, u8>,
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

    /// Gives the last instruction a control byte of its own.
    pub fn control(&mut self, byte: u8) {
        self.controls.insert(self.insts.len() - 1, byte);
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

    /// `(a << shift)` plus a pair of words of bank 0, in the pair from `d` on.
    pub fn scaled(&mut self, d: u8, a: Src, shift: u32, pair: i32) {
        let word = |offset| Src::Const(ConstAddr::Bank { bank: 0, offset }, Width::W1);
        self.coded(carry::add, shift << sum::SHIFT, true, d, [a, word(pair), Src::Zero]);
        let high = [Src::Zero, word(pair + 4), Src::Zero];
        self.coded(carry::add, 1 << sum::X, false, d + 1, high);
    }

    /// The address of the thread's words of the output, `1 << bits` bytes each,
    /// in the pair from `d` on; the thread's number is in `thread`.
    pub fn address(&mut self, d: u8, thread: u8, bits: u32) {
        self.scaled(d, r(thread), bits, OUTPUT);
    }

    /// The program at an address, and its bytes: each instruction's word is its
    /// own number, and each control byte is `control` unless it has its own.
    pub fn program(&self, base: u64, control: u8) -> (Program, Vec<u8>) {
        let end = slot(self.insts.len()).next_multiple_of(GROUP);
        let byte = |inst: usize| *self.controls.get(&inst).unwrap_or(&control);
        let controls = |group: usize| {
            let bytes =
                (0..GROUP - 1).map(|i| u64::from(byte(group * (GROUP - 1) + i)) << (2 + 8 * i));
            bytes.sum::<u64>() | 2 << 58
        };
        let word = |n: usize| match n.is_multiple_of(GROUP) {
            true => controls(n / GROUP),
            false => n as u64,
        };
        let bytes: Vec<u8> = (0..end).flat_map(|n| word(n).to_le_bytes()).collect();
        let layout = Layout::Grouped;
        let words = layout.words(&bytes);
        let decode = self.decoder(base);
        let slots = (0..end).map(|n| match layout.is_control(n) {
            true => Slot::Control,
            false => decode(words[n]),
        });
        (Program { base, layout, slots: slots.collect(), words }, bytes)
    }

    /// What the bits of a slot do.
    pub fn decoder(&self, base: u64) -> impl Fn(u128) -> Slot + Send + Sync + 'static {
        let insts: BTreeMap<u64, Inst> =
            (0..self.insts.len()).map(|n| (slot(n) as u64, self.placed(n, base))).collect();
        move |bits| match insts.get(&(bits as u64)) {
            Some(inst) => {
                Slot::Inst(Inst { ctl: Ctl::of_control_byte((bits >> 64) as u8), ..*inst })
            }
            None => Slot::Trap(TrapKind::IllegalEncoding),
        }
    }

    /// An instruction with its target.
    fn placed(&self, n: usize, base: u64) -> Inst {
        let mut inst = self.insts[n];
        let Some((_, label)) = self.uses.iter().find(|(at, _)| *at == n) else { return inst };
        let to = slot(self.labels[label]);
        // A control word may be named as well as what is behind it.
        let to = if to % GROUP == 1 { to - 1 } else { to };
        let target = Target::Absolute((base + 8 * to as u64) as i64);
        if let Exec::Flow(flow) = &mut inst.exec {
            *flow = match *flow {
                Flow::CallByStack(_) => Flow::CallByStack(target),
                Flow::Push { kind, .. } => Flow::Push { kind, target },
                _ => Flow::Branch(target),
            };
        }
        inst
    }
}
