//! Statements that touch memory. Whose slots they may touch is what keeps the
//! result independent of order.

use super::emit::{Emitter, PRIVATE, Region, role};
use super::shape::SHARED_GROUPS;
use super::tree::Kind;
use crate::asm::int::{self, table};
use crate::asm::memory::{self, At, Atomic, Order, Scope, Size, Type};
use crate::asm::{R, RZ, constant, flow, moves, warp};
use upset_sass::Arch;

/// A reduction that commutes with itself.
type Reduction = (Atomic, Type);

/// One for each group of shared accumulators.
const SHARED: [Reduction; SHARED_GROUPS as usize] = [
    (Atomic::Add, Type::U32),
    (Atomic::Min, Type::U32),
    (Atomic::Max, Type::U32),
    (Atomic::Min, Type::S32),
    (Atomic::Max, Type::S32),
    (Atomic::And, Type::U32),
    (Atomic::Or, Type::U32),
    (Atomic::Xor, Type::U32),
];

/// One for each group of global reduction targets.
pub(crate) const GLOBAL: [Reduction; 14] = [
    (Atomic::Add, Type::U32),
    (Atomic::Min, Type::U32),
    (Atomic::Max, Type::U32),
    (Atomic::Min, Type::S32),
    (Atomic::Max, Type::S32),
    (Atomic::And, Type::U32),
    (Atomic::Or, Type::U32),
    (Atomic::Xor, Type::U32),
    (Atomic::Add, Type::U64),
    (Atomic::Min, Type::U64),
    (Atomic::Max, Type::S64),
    (Atomic::And, Type::U64),
    (Atomic::Or, Type::U64),
    (Atomic::Xor, Type::U64),
];

/// Operations whose result goes to the thread: on memory of its own.
const RETURNING: [Atomic; 9] = [
    Atomic::Add,
    Atomic::Min,
    Atomic::Max,
    Atomic::Inc,
    Atomic::Dec,
    Atomic::And,
    Atomic::Or,
    Atomic::Xor,
    Atomic::Exch,
];

impl Emitter<'_> {
    /// One statement that touches memory.
    pub fn access(&mut self, kind: Kind) {
        match kind {
            Kind::Input => self.input(),
            Kind::Own => self.own(),
            Kind::Peer => self.peer(),
            Kind::Reduction => self.reduction(),
            Kind::OwnShared => self.own_shared(),
            Kind::PeerShared => self.peer_shared(),
            Kind::Accumulate => self.accumulate(),
            _ => self.local(),
        }
    }

    /// The address of byte `offset` (a register) of a region, `plus` further on.
    pub fn address(&mut self, region: Region, offset: R, plus: u32) -> At {
        let pointer = self.pointer(region);
        let (low, high) = (constant(0, pointer), constant(0, pointer + 4));
        let plus = plus as i32;
        // Compilers let uniform registers hold pointers on sm_75 only.
        if self.arch() == Arch::Sm75 && self.chance(3) {
            return At::Indexed(offset, uniform_pointer(region), plus);
        }
        let t = self.temp();
        match self.rng.below(3) {
            0 => {
                self.emit(int::iadd3_carry(t, role::CARRY, offset, low, RZ));
                self.emit(int::iadd3_x(t.plus(1), RZ, high, RZ, role::CARRY));
            }
            1 => {
                self.emit(moves::mov(t, 1));
                self.emit(int::imad_wide_c(t, offset, t, low));
            }
            _ => {
                self.emit(int::lea(t, role::CARRY, offset, low, 0));
                self.emit(int::lea_hi_x(t.plus(1), offset, high, RZ, 0, role::CARRY));
            }
        }
        if self.arch() >= Arch::Sm80 {
            At::Described(t, role::DESCRIPTOR, plus)
        } else {
            At::Reg(t, plus)
        }
    }

    /// Registers for an access of any size that fits `room` bytes, and an
    /// aligned offset in it.
    fn sized(&mut self, room: u32) -> (Size, R, u32) {
        let size = self.rng.pick(&Size::ALL);
        let regs = self.regs(size.registers());
        let offset = size.bytes() * self.rng.below(room / size.bytes());
        (size, regs, offset)
    }

    /// Masks a random register to an offset below `bytes`, aligned for `size`.
    pub fn masked(&mut self, bytes: u32, size: u32) -> R {
        let (t, index) = (self.temp(), self.reg());
        self.emit(int::lop3(t, index, (bytes - 1) & !(size - 1), RZ, table::AND));
        t
    }

    fn input(&mut self) {
        let (size, d, _) = self.sized(16);
        let t = self.masked(self.shape().input, size.bytes());
        let at = self.address(Region::Input, t, 0);
        let order = self.rng.pick(&[Order::Weak, Order::Weak, Order::Constant, Order::Gpu]);
        let code = memory::ldg(self.arch(), d, at, size, order);
        self.emit_guarded(code);
    }

    /// Chooses the buffer of this phase (or of the last one) for the slot
    /// offset in `t`.
    fn phase(&mut self, t: R, buffer: u32, last: bool) {
        let choose = if last { table::NOT_AND_OR } else { table::AND_OR };
        self.emit(int::lop3(t, role::PHASE, buffer, t, choose));
    }

    fn own(&mut self) {
        let private = self.chance(3);
        let (region, room) =
            if private { (Region::Private, PRIVATE) } else { (Region::Slots, self.shape().slot) };
        let t = self.temp();
        self.emit(int::imad(t, role::GLOBAL, room, RZ));
        if !private {
            self.phase(t, self.shape().global_buffer(), false);
        }
        let arch = self.arch();
        let order = self.rng.pick(&[Order::Weak, Order::Weak, Order::Weak, Order::Gpu]);
        match self.rng.below(5) {
            0 => {
                let (size, d, plus) = self.sized(room);
                let at = self.address(region, t, plus);
                self.emit_guarded(memory::ldg(arch, d, at, size, order));
            }
            1 | 2 => {
                let (size, b, plus) = self.sized(room);
                let at = self.address(region, t, plus);
                self.emit_guarded(memory::stg(arch, at, b, size, order));
            }
            3 => {
                let op = self.rng.pick(&RETURNING);
                let ty = self.atomic_type(op);
                let n = ty.registers();
                let (d, b) = (self.regs(n), self.regs(n));
                let plus = 4 * u32::from(n) * self.rng.below(room / (4 * u32::from(n)));
                let at = self.address(region, t, plus);
                self.emit_guarded(memory::atomg(arch, op, ty, d, at, b));
            }
            _ => {
                let ty = self.rng.pick(&[Type::U32, Type::U64]);
                let n = ty.registers();
                let [d, b, c] = [0; 3].map(|_| self.regs(n));
                let plus = 4 * i32::from(n) * self.rng.below(room / (4 * u32::from(n))) as i32;
                let (At::Reg(a, _) | At::Described(a, ..) | At::Indexed(a, ..)) =
                    self.pair_address(region, t);
                self.emit_guarded(memory::atomg_cas(arch, ty, d, (a, plus), b, c));
            }
        }
    }

    /// As [`Self::address`], always in a register pair.
    fn pair_address(&mut self, region: Region, offset: R) -> At {
        loop {
            match self.address(region, offset, 0) {
                At::Indexed(..) => {}
                at => return at,
            }
        }
    }

    fn atomic_type(&mut self, op: Atomic) -> Type {
        match op {
            Atomic::Inc | Atomic::Dec => Type::U32,
            Atomic::Min | Atomic::Max => {
                self.rng.pick(&[Type::U32, Type::S32, Type::U64, Type::S64])
            }
            _ => self.rng.pick(&[Type::U32, Type::U64]),
        }
    }

    fn peer(&mut self) {
        let (size, d, plus) = self.sized(self.shape().slot);
        let (buffer, slot) = (self.shape().global_buffer(), self.shape().slot);
        let t = self.masked(self.shape().peers(), 1);
        // First thread of the CTA, plus the neighbour's number.
        self.emit(int::iadd3(t, role::GLOBAL, role::THREAD, t).neg_b());
        self.emit(int::imad(t, t, slot, RZ));
        self.phase(t, buffer, true);
        let at = self.address(Region::Slots, t, plus);
        let order = self.rng.pick(&[Order::Weak, Order::Weak, Order::Weak, Order::Gpu]);
        let code = memory::ldg(self.arch(), d, at, size, order);
        self.emit_guarded(code);
    }

    fn reduction(&mut self) {
        let group = self.rng.below(GLOBAL.len() as u32);
        let (op, ty) = GLOBAL[group as usize];
        let n = ty.registers();
        let b = self.regs(n);
        let bytes = self.shape().group;
        let t = self.masked(bytes, 4 * u32::from(n));
        let at = self.address(Region::Reductions, t, group * bytes);
        let code = memory::red(self.arch(), op, ty, at, b);
        self.emit_guarded(code);
    }

    fn own_shared(&mut self) {
        let (slot, buffer) = (self.shape().slot, self.shape().shared_buffer());
        let base = self.shared_base();
        let t = self.temp();
        self.emit(int::imad(t, role::THREAD, slot, RZ));
        self.phase(t, buffer, false);
        match self.rng.below(6) {
            0 | 1 => {
                let (size, d, plus) = self.sized(slot);
                self.emit_guarded(memory::lds(d, t, base + plus as i32, size));
            }
            2 | 3 => {
                let (size, b, plus) = self.sized(slot);
                self.emit_guarded(memory::sts(t, base + plus as i32, b, size));
            }
            4 => {
                let op = self.rng.pick(&RETURNING);
                let ty = match op {
                    Atomic::Exch => self.rng.pick(&[Type::U32, Type::U64]),
                    Atomic::Min | Atomic::Max => self.rng.pick(&[Type::U32, Type::S32]),
                    _ => Type::U32,
                };
                let n = ty.registers();
                let (d, b) = (self.regs(n), self.regs(n));
                let plus = 4 * i32::from(n) * self.rng.below(slot / (4 * u32::from(n))) as i32;
                let code = memory::atoms(self.arch(), op, ty, d, (t, base + plus), b);
                self.emit_guarded(code);
            }
            _ => {
                let ty = self.rng.pick(&[Type::U32, Type::U64]);
                let n = ty.registers();
                let [d, b, c] = [0; 3].map(|_| self.regs(n));
                let plus = 4 * i32::from(n) * self.rng.below(slot / (4 * u32::from(n))) as i32;
                let code = memory::atoms_cas(self.arch(), ty, d, (t, base + plus), b, c);
                self.emit_guarded(code);
            }
        }
    }

    fn peer_shared(&mut self) {
        let (size, d, plus) = self.sized(self.shape().slot);
        let (slot, buffer) = (self.shape().slot, self.shape().shared_buffer());
        let t = self.masked(self.shape().peers(), 1);
        self.emit(int::imad(t, t, slot, RZ));
        self.phase(t, buffer, true);
        let code = memory::lds(d, t, self.shared_base() + plus as i32, size);
        self.emit_guarded(code);
    }

    /// Where group `group` of the shared accumulators begins.
    pub fn accumulators(&self, group: u32) -> i32 {
        let words = group * self.shape().accumulators();
        self.shared_base() + (self.shape().accumulators_at() + 4 * words) as i32
    }

    fn accumulate(&mut self) {
        let words = self.shape().accumulators();
        if words == 0 {
            return;
        }
        let group = self.rng.below(SHARED_GROUPS);
        let (op, ty) = SHARED[group as usize];
        let (t, b) = (self.masked(4 * words, 4), self.reg());
        let at = (t, self.accumulators(group));
        let code = memory::atoms(self.arch(), op, ty, RZ, at, b);
        self.emit_guarded(code);
    }

    /// Loads some accumulators; the caller sees to it that nobody changes them.
    pub fn gather(&mut self) {
        let words = self.shape().accumulators();
        for _ in 0..1 + self.rng.below(3) {
            if words == 0 {
                return;
            }
            let group = self.rng.below(SHARED_GROUPS);
            let (t, d) = (self.masked(4 * words, 4), self.reg());
            let at = self.accumulators(group);
            self.emit_guarded(memory::lds(d, t, at, Size::Word));
        }
    }

    fn local(&mut self) {
        let bytes = self.shape().local;
        let (size, r, plus) = self.sized(bytes.min(16));
        let (a, offset) = if self.chance(2) {
            (role::LOCAL, size.bytes() * self.rng.below(bytes / size.bytes()))
        } else {
            let t = self.masked(bytes / 16 * 16, 16);
            self.emit(int::iadd3(t, t, role::LOCAL, RZ));
            (t, plus)
        };
        let code = if self.chance(2) {
            memory::ldl(r, a, offset as i32, size)
        } else {
            memory::stl(a, offset as i32, r, size)
        };
        self.emit_guarded(code);
    }

    /// Fences and other instructions that change no value.
    pub fn fence(&mut self, converged: bool) {
        match self.rng.below(6) {
            0 | 1 => {
                let scope = self.rng.pick(&[Scope::Cta, Scope::Gpu, Scope::Sys]);
                self.emit(memory::membar(scope));
            }
            2 => self.emit(flow::nop()),
            3 => self.emit(flow::yield_()),
            4 if converged => self.emit(flow::warpsync_all(self.arch())),
            _ => {
                // The lanes that are here, whoever they are.
                let t = self.temp();
                self.emit(warp::vote(t, crate::asm::PT, warp::Vote::Any, crate::asm::PT));
                self.emit(flow::warpsync(self.arch(), t));
            }
        }
    }
}

/// The uniform pair that holds a region's pointer.
pub(crate) fn uniform_pointer(region: Region) -> crate::asm::U {
    crate::asm::U(role::POINTERS.0 + 2 * region as u8)
}
