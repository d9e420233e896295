//! Statements that touch memory. Whose slots they may touch is what keeps the
//! result independent of order.

use super::emit::{Emitter, PRIVATE, Region, role};
use super::shape::SHARED_GROUPS;
use super::tree::StatementKind;
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
    pub fn access(&mut self, kind: StatementKind) {
        match kind {
            StatementKind::Input => self.input(),
            StatementKind::Own => self.own(),
            StatementKind::Peer => self.peer(),
            StatementKind::Reduction => self.reduction(),
            StatementKind::OwnShared => self.own_shared(),
            StatementKind::PeerShared => self.peer_shared(),
            StatementKind::Accumulate => self.accumulate(),
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

    /// Several accesses to one slot, so that loads meet stores and atomics that
    /// are still under way.
    fn own(&mut self) {
        let private = self.chance(3);
        let (region, room) =
            if private { (Region::Private, PRIVATE) } else { (Region::Slots, self.shape().slot) };
        let t = self.temp();
        self.emit(int::imad(t, role::GLOBAL, room, RZ));
        if !private {
            self.phase(t, self.shape().global_buffer(), false);
        }
        let at = self.address(region, t, 0);
        for _ in 0..1 + self.rng.below(5) {
            self.own_access(at, room);
        }
    }

    fn own_access(&mut self, at: At, room: u32) {
        let arch = self.arch();
        let order = self.rng.pick(&[Order::Weak, Order::Weak, Order::Weak, Order::Gpu]);
        match (self.rng.below(6), at) {
            (0 | 1, _) => {
                let (size, d, plus) = self.sized(room);
                self.emit_guarded(memory::ldg(arch, d, at.plus(plus), size, order));
            }
            (2 | 3, _) => {
                let (size, b, plus) = self.sized(room);
                self.emit_guarded(memory::stg(arch, at.plus(plus), b, size, order));
            }
            (4, At::Reg(a, _) | At::Described(a, ..)) => {
                let ty = self.rng.pick(&[Type::U32, Type::U64]);
                let n = ty.registers();
                let [d, b, c] = [0; 3].map(|_| self.regs(n));
                let plus = self.element(n, room) as i32;
                self.emit_guarded(memory::atomg_cas(arch, ty, d, (a, plus), b, c));
            }
            _ => {
                let op = self.rng.pick(&RETURNING);
                let ty = self.atomic_type(op);
                let n = ty.registers();
                let (d, b) = (self.regs(n), self.regs(n));
                let plus = self.element(n, room);
                self.emit_guarded(memory::atomg(arch, op, ty, d, at.plus(plus), b));
            }
        }
    }

    /// Offset of one of the elements of `words` words that fit `room` bytes.
    fn element(&mut self, words: u8, room: u32) -> u32 {
        let bytes = 4 * u32::from(words);
        bytes * self.rng.below(room / bytes)
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
        let (buffer, slot) = (self.shape().global_buffer(), self.shape().slot);
        let t = self.neighbour();
        // First thread of the CTA, plus the neighbour's number.
        self.emit(int::iadd3(t, role::GLOBAL, role::THREAD, t).neg_b());
        self.emit(int::imad(t, t, slot, RZ));
        self.phase(t, buffer, true);
        let at = self.address(Region::Slots, t, 0);
        for _ in 0..1 + self.rng.below(3) {
            let (size, d, plus) = self.sized(slot);
            let order = self.rng.pick(&[Order::Weak, Order::Weak, Order::Weak, Order::Gpu]);
            let code = memory::ldg(self.arch(), d, at.plus(plus), size, order);
            self.emit_guarded(code);
        }
    }

    /// Number of a thread of the CTA: a random one, or one nearby, whose slot
    /// is likely to be in a line that this thread has touched.
    fn neighbour(&mut self) -> R {
        let peers = self.shape().peers();
        if self.chance(2) {
            return self.masked(peers, 1);
        }
        let (t, distance) = (self.temp(), self.rng.below(5));
        self.emit(int::iadd3(t, role::THREAD, distance, RZ));
        self.emit(int::lop3(t, t, peers - 1, RZ, table::AND));
        t
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
        let t = self.temp();
        self.emit(int::imad(t, role::THREAD, slot, RZ));
        self.phase(t, buffer, false);
        for _ in 0..1 + self.rng.below(4) {
            self.own_shared_access(t, slot);
        }
    }

    fn own_shared_access(&mut self, t: R, room: u32) {
        let (arch, base) = (self.arch(), self.shared_base());
        let code = match self.rng.below(6) {
            0 | 1 => {
                let (size, d, plus) = self.sized(room);
                memory::lds(d, t, base + plus as i32, size)
            }
            2 | 3 => {
                let (size, b, plus) = self.sized(room);
                memory::sts(t, base + plus as i32, b, size)
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
                let at = base + self.element(n, room) as i32;
                memory::atoms(arch, op, ty, d, (t, at), b)
            }
            _ => {
                let ty = self.rng.pick(&[Type::U32, Type::U64]);
                let n = ty.registers();
                let [d, b, c] = [0; 3].map(|_| self.regs(n));
                let at = base + self.element(n, room) as i32;
                memory::atoms_cas(arch, ty, d, (t, at), b, c)
            }
        };
        self.emit_guarded(code);
    }

    fn peer_shared(&mut self) {
        let (slot, buffer) = (self.shape().slot, self.shape().shared_buffer());
        let t = self.neighbour();
        self.emit(int::imad(t, t, slot, RZ));
        self.phase(t, buffer, true);
        for _ in 0..1 + self.rng.below(3) {
            let (size, d, plus) = self.sized(slot);
            self.emit_guarded(memory::lds(d, t, self.shared_base() + plus as i32, size));
        }
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
        // The beginning, or one of the pieces of 16 bytes.
        let (a, room) = if self.chance(2) {
            (role::LOCAL, bytes)
        } else {
            let t = self.masked(bytes, 16);
            self.emit(int::iadd3(t, t, role::LOCAL, RZ));
            (t, 16)
        };
        for _ in 0..1 + self.rng.below(4) {
            let (size, r, at) = self.sized(room);
            let code = if self.chance(2) {
                memory::ldl(r, a, at as i32, size)
            } else {
                memory::stl(a, at as i32, r, size)
            };
            self.emit_guarded(code);
        }
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
