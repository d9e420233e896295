//! Decoded code with what issue needs to know of each instruction, worked out once.

use std::sync::Arc;

use upset_isa::program::{Layout, Program, Slot};
use upset_isa::texture::TexHandle;
use upset_isa::trap::TrapKind;
use upset_isa::{
    ConstAddr, Ctl, Dst, Exec, Inst, LatencyClass, PredSrc, RZ, Space, Src, SurfaceOp, TexOp, Unit,
    Width,
};

use crate::config::{Config, unit_index};
use crate::depend::scoreboard::Marks;
use crate::regfile::banks::conflicts;
use crate::units::latency;

/// Turns the bits of an instruction, as [`Layout::words`] puts them together,
/// into what it does.
pub type Decoder = Arc<dyn Fn(u128) -> Slot + Send + Sync>;

/// How an instruction passes through the SM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// Operands in, results out.
    Compute,
    /// Control flow and CTA barriers.
    Flow,
    /// The load/store pipe.
    Memory,
    /// A constant load into registers through the load/store pipe (`LDC`).
    ConstLoad,
    /// A constant load of the uniform datapath (`ULDC`).
    UniformConst,
    /// The texture pipe.
    Texture,
    /// Waits for the SM's stores.
    Fence,
    /// Drops first-level lines.
    Invalidate,
    /// Waits for a counter.
    DepBar,
}

/// Constant words an instruction may name.
pub const CONSTS: usize = 4;
/// Register reads an instruction may make: three operands of two words.
pub const READS: usize = 6;

/// An instruction ready to issue.
#[derive(Clone, Debug)]
pub struct Op {
    /// What it does.
    pub inst: Inst,
    /// Its way through the SM.
    pub route: Route,
    /// Index of its unit.
    pub unit: u8,
    /// The unit is one for the whole SM.
    pub shared_unit: bool,
    /// Groups of lanes of which it takes one, from the first on; 0 where its
    /// unit is not one of several.
    pub groups: u8,
    /// Cycles it keeps the unit.
    pub interval: u32,
    /// Cycles until its result is there (memory: when nothing is in the way).
    pub latency: u32,
    /// Cycles until its operands are read.
    pub read: u32,
    /// A multiply-add with a 64-bit addend, which it reads late.
    pub late: bool,
    /// Cycles that the issue port and the warp are kept longer.
    pub hold: u32,
    /// Cycles before the warp may issue again, as the code says.
    pub pause: u32,
    /// FP32 that may take the second of two pipes.
    pub lite: bool,
    /// Registers read through the banks: register, operand slot.
    pub reads: [(u8, u8); READS],
    /// How many of them.
    pub read_count: u8,
    /// Constant words read.
    pub consts: [ConstAddr; CONSTS],
    /// How many of them.
    pub const_count: u8,
    /// Bytes to the next instruction.
    pub next: u32,
    /// Its places on the scoreboard, if the chip has one.
    pub marks: Option<Box<Marks>>,
    /// Code waits for its result by a scoreboard ([`is_variable`]).
    pub variable: bool,
    /// It computes from what it finds at issue, and does nothing else.
    pub plain: bool,
    /// Its predicate sources are all true.
    pub all_true: bool,
    /// Cycles that its operands keep the next issue, if none is in the cache of operands.
    pub conflicts: u8,
}

/// One slot of code.
#[derive(Clone, Debug)]
pub enum Decoded {
    /// An instruction.
    Op(Op),
    /// What happens when it is reached.
    Trap(TrapKind),
    /// A control word, which is passed over.
    Control,
}

/// An instruction where it stands.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Its bits.
    pub bits: u128,
    /// What it does.
    pub op: &'a Decoded,
}

/// A kernel's view of its module's code.
pub struct Code {
    /// The program.
    pub program: Program,
    /// One entry per slot.
    pub ops: Vec<Decoded>,
    /// A slot's bytes are two to the power of this.
    step_bits: u32,
    /// For words that differ from the program's.
    pub decoder: Decoder,
    /// Registers per thread.
    pub registers: u32,
}

impl Code {
    /// Prepares a program (whose registers have been checked) for a chip.
    pub fn new(program: Program, registers: u32, decoder: Decoder, config: &Config) -> Code {
        let step_bits = program.layout.step().trailing_zeros();
        let at = |(i, slot)| Decoded::new(slot, program.layout, (i as u32) << step_bits, config);
        let ops = program.slots.iter().enumerate().map(at).collect();
        Code { program, ops, step_bits, decoder, registers }
    }

    /// Whether it reads clocks.
    pub fn sees_time(&self) -> bool {
        let sees = |exec| matches!(exec, Exec::Special(r) if r.sees_time());
        self.ops.iter().any(|op| matches!(op, Decoded::Op(op) if sees(op.inst.exec)))
    }

    /// The instruction at a byte offset, if one begins there.
    #[inline]
    pub fn at(&self, pc: u32) -> Option<At<'_>> {
        let i = (pc >> self.step_bits) as usize;
        let op = self.ops.get(i).filter(|_| self.is_aligned(pc))?;
        Some(At { bits: self.program.words[i], op })
    }

    /// Slots from a byte offset on.
    #[inline]
    pub fn slots_from(&self, pc: u32) -> usize {
        self.ops.len().saturating_sub((pc >> self.step_bits) as usize)
    }

    /// Whether a slot begins at a byte offset.
    #[inline]
    pub fn is_aligned(&self, pc: u32) -> bool {
        pc.trailing_zeros() >= self.step_bits
    }

    /// Address of the instruction at a byte offset.
    pub fn address(&self, pc: u32) -> u64 {
        self.program.base.wrapping_add(u64::from(pc))
    }

    /// Address behind the last instruction.
    pub fn end(&self) -> u64 {
        self.program.base + ((self.ops.len() as u64) << self.step_bits)
    }

    /// The same as [`decode`](Code::decode), out of the way.
    #[cold]
    pub fn decode_boxed(&self, bits: u128, pc: u32, config: &Config) -> Box<Decoded> {
        Box::new(self.decode(bits, pc, config))
    }

    /// Decodes bits at a byte offset that are not the program's.
    pub fn decode(&self, bits: u128, pc: u32, config: &Config) -> Decoded {
        let layout = self.program.layout;
        if layout.is_control((pc >> self.step_bits) as usize) {
            return Decoded::Control;
        }
        let mut slot = (self.decoder)(bits);
        slot.check_registers(self.registers);
        Decoded::new(&slot, layout, pc, config)
    }
}

impl Decoded {
    /// Whether they are known to do the same at the same time.
    pub fn means(&self, other: &Decoded) -> bool {
        match (self, other) {
            // All else of an `Op` follows from these.
            (Decoded::Op(a), Decoded::Op(b)) => (a.inst, a.next) == (b.inst, b.next),
            (Decoded::Trap(a), Decoded::Trap(b)) => a == b,
            (Decoded::Control, Decoded::Control) => true,
            _ => false,
        }
    }

    fn new(slot: &Slot, layout: Layout, pc: u32, config: &Config) -> Decoded {
        match slot {
            Slot::Inst(inst) => {
                let next = layout.after(pc).wrapping_sub(pc);
                Decoded::Op(Op { next, ..Op::new(*inst, config) })
            }
            Slot::Trap(kind) => Decoded::Trap(kind.clone()),
            Slot::Control => Decoded::Control,
        }
    }
}

impl Op {
    /// Whether it does the same as another instruction, at the same time if it issues
    /// at the same time. What it waits for before is not compared.
    pub fn does_same(&self, other: &Op) -> bool {
        let with = |ctl: Ctl, op: &Op| Inst { ctl, ..op.inst };
        let Ctl { stall: _, yield_: _, write_sb, read_sb, wait: _, reuse } = self.inst.ctl;
        let of = other.inst.ctl;
        // What stall and yield come to.
        (self.pause, self.next) == (other.pause, other.next)
            && (write_sb, read_sb) == (of.write_sb, of.read_sb)
            && with(of, self) == other.inst
            // Pipes with queues do not ask the cache of operands.
            && (reuse == of.reuse || is_variable(&self.inst))
    }

    /// Whether another instruction in its place takes the same course, whatever
    /// values there are: it takes the same units, reads and writes as long after,
    /// and goes on to the same place. What it waits for and which registers it reads
    /// is not compared: counters, a scoreboard and banks are asked when it issues.
    pub fn has_course_of(&self, other: &Op) -> bool {
        self.does_same(other) || self.computes_beside(other)
    }

    fn computes_beside(&self, other: &Op) -> bool {
        let Op {
            inst,
            route,
            unit,
            shared_unit,
            groups,
            interval,
            latency,
            read,
            late,
            hold,
            pause,
            lite,
            reads: _,
            read_count: _,
            consts,
            const_count,
            next,
            marks,
            // They follow from the instruction.
            variable: _,
            plain: _,
            all_true: _,
            conflicts: _,
        } = self;
        let Inst { op, guard, ctl, dst, pdst, src: _, psrc: _, mods: _, uniform, joins, exec } =
            inst;
        let (b, of) = (other, &other.inst);
        let Ctl { stall: _, yield_: _, write_sb, read_sb, wait: _, reuse: _ } = ctl;
        // Evaluation of anything else depends on more than operands, or does more.
        let computes = matches!((exec, of.exec), (Exec::Alu(_), Exec::Alu(_)))
            && (*route, b.route) == (Route::Compute, Route::Compute)
            && !late
            && !b.late;
        // Uniform destinations have no lanes that could be kept.
        let to_lanes = |i: &Inst| {
            !i.uniform && !matches!(i.dst, Dst::UReg(..)) && i.pdst.iter().all(|p| !p.uniform)
        };
        computes
            && (op.latency, op.unit, op.pace) == (of.op.latency, of.op.unit, of.op.pace)
            && (guard, uniform, joins) == (&of.guard, &of.uniform, &of.joins)
            && (*write_sb, *read_sb) == (of.ctl.write_sb, of.ctl.read_sb)
            && ((dst, pdst) == (&of.dst, &of.pdst) || to_lanes(inst) && to_lanes(of))
            && (*unit, *shared_unit, *groups, *lite) == (b.unit, b.shared_unit, b.groups, b.lite)
            && (*interval, *latency, *read) == (b.interval, b.latency, b.read)
            && (*hold, *pause, *next) == (b.hold, b.pause, b.next)
            && consts[..usize::from(*const_count)] == b.consts[..usize::from(b.const_count)]
            && marks.is_some() == b.marks.is_some()
    }

    pub(crate) fn new(inst: Inst, config: &Config) -> Op {
        let route = route(&inst);
        let unit = config.unit(inst.op.unit);
        let mut op = Op {
            inst,
            route,
            unit: unit_index(inst.op.unit) as u8,
            shared_unit: unit.shared
                && (inst.op.unit != Unit::System || latency::is_barrier(&inst)),
            groups: latency::groups(&inst, config),
            interval: latency::interval(&inst, config),
            latency: latency::result(&inst, config),
            read: latency::operands(&inst, config),
            late: latency::reads_late(&inst),
            hold: latency::hold(&inst, config),
            pause: latency::pause(inst.ctl, &config.timing, config.issue_width),
            lite: inst.op.unit == Unit::Fma
                && latency::has_lite_pipe(config)
                && !latency::is_integer(&inst),
            reads: [(RZ, 0); READS],
            read_count: 0,
            consts: [ConstAddr::Bank { bank: 0, offset: 0 }; CONSTS],
            const_count: 0,
            next: Layout::Wide.step(),
            marks: Marks::of(&inst),
            variable: is_variable(&inst),
            plain: false,
            all_true: inst.psrc == [PredSrc::TRUE; 3],
            conflicts: 0,
        };
        let computes = matches!(inst.exec, Exec::Alu(_) | Exec::AluCodes { .. });
        op.plain = route == Route::Compute && computes && !op.late && !inst.joins;
        for (slot, src) in inst.src.iter().enumerate() {
            match *src {
                Src::Reg(r, w) if r != RZ => {
                    for i in 0..w.words().min(2) {
                        op.reads[usize::from(op.read_count)] = (r.saturating_add(i), slot as u8);
                        op.read_count += 1;
                    }
                }
                Src::Const(addr, w) => {
                    op.add_const(addr);
                    if w != Width::W1 {
                        op.add_const(moved(addr, 4));
                    }
                }
                _ => {}
            }
        }
        op.conflicts = conflicts(&op.reads[..usize::from(op.read_count)], config);
        match inst.exec {
            Exec::Tex(TexOp { handle, .. }) | Exec::Surface(SurfaceOp { handle, .. }) => {
                if let TexHandle::Constant(addr) = handle {
                    op.add_const(addr);
                }
            }
            Exec::Mem(m) if route == Route::UniformConst => {
                // The index, if any, is only known at issue.
                if let (Some(addr), Src::Zero) = (m.bank, inst.src[0]) {
                    let (ConstAddr::Bank { offset, .. } | ConstAddr::Bindless { offset, .. }) =
                        addr;
                    op.add_const(moved(addr, -(offset & 3)));
                    if m.bytes == 8 {
                        op.add_const(moved(addr, 4));
                    }
                }
            }
            _ => {}
        }
        op
    }

    fn add_const(&mut self, addr: ConstAddr) {
        if let Some(slot) = self.consts.get_mut(usize::from(self.const_count)) {
            *slot = addr;
            self.const_count += 1;
        }
    }
}

/// The constant `by` bytes further on.
fn moved(addr: ConstAddr, by: i32) -> ConstAddr {
    match addr {
        ConstAddr::Bank { bank, offset } => {
            ConstAddr::Bank { bank, offset: offset.wrapping_add(by) }
        }
        ConstAddr::Bindless { ureg, offset } => {
            ConstAddr::Bindless { ureg, offset: offset.wrapping_add(by) }
        }
    }
}

fn route(inst: &Inst) -> Route {
    match inst.exec {
        Exec::Flow(_) => Route::Flow,
        Exec::Mem(m) if m.space == Space::Const => match inst.dst {
            Dst::UReg(..) => Route::UniformConst,
            _ => Route::ConstLoad,
        },
        Exec::Mem(m) if matches!(m.kind, upset_isa::MemKind::QuerySpace(_)) => Route::Compute,
        // Read-only loads through the texture unit (`LDG` of sm_35).
        Exec::Mem(_) if inst.op.unit == Unit::Texture => Route::Texture,
        Exec::Mem(_) | Exec::Surface(_) => Route::Memory,
        Exec::Tex(_) => Route::Texture,
        Exec::Fence(_) => Route::Fence,
        Exec::CacheControl(_) => Route::Invalidate,
        Exec::DepBar { .. } => Route::DepBar,
        _ => Route::Compute,
    }
}

/// Does the code wait for this instruction's result by a scoreboard?
pub fn is_variable(inst: &Inst) -> bool {
    inst.op.latency == LatencyClass::Variable || inst.op.unit == Unit::Mufu
}

/// Instructions for tests of what handles them.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use upset_chip::ChipSpec;
    use upset_isa::OpDef;

    /// An instruction of a unit that does nothing, on an RTX 2060.
    pub(crate) fn op(unit: Unit) -> Op {
        let def = Box::leak(Box::new(OpDef::new("TEST", unit, LatencyClass::Fixed)));
        let config = Config::new(&ChipSpec::preset("rtx2060").expect("a chip")).expect("SMs");
        Op::new(Inst::new(def, Exec::Nop), &config)
    }
}
