//! What every program begins and ends with: registers and memory get their
//! first values, so that nothing is read before it was written; in the end
//! every thread stores what it holds.

use super::access::uniform_pointer;
use super::emit::{Emitter, Jump, Line, Region, role};
use super::shape::SHARED_GROUPS;
use crate::asm::int::{self, Combine, Compare, table};
use crate::asm::memory::{self, At, Order, Size};
use crate::asm::warp::{self, Special};
use crate::asm::{P, PT, R, RZ, U, constant, flow, moves, uniform};
use upset_sass::Arch;

/// Words of constant bank 0 that the driver fills.
mod bank0 {
    /// Block and grid dimensions.
    pub const BLOCK: u16 = 0;
    pub const GRID: u16 = 0x0c;
    /// Where local memory ends.
    pub const STACK: u16 = 0x28;
}

impl Emitter<'_> {
    /// Words that a thread stores in the end.
    pub fn result_words(&self) -> u32 {
        let uniform = if self.uniform() { role::UNIFORMS } else { 0 };
        u32::from(self.shape().pool + 1 + uniform)
    }

    /// The beginning.
    pub fn prologue(&mut self, key: u64) {
        self.draw_from(key);
        self.numbers();
        self.emit(moves::mov(role::LOCAL, constant(0, bank0::STACK)));
        let below = 0u32.wrapping_sub(self.shape().local);
        self.emit(int::iadd3(role::LOCAL, role::LOCAL, below, RZ));
        self.emit(moves::mov(role::PHASE, RZ));
        if self.uniform() {
            self.uniform_values();
        }
        for i in 0..self.shape().pool {
            self.first_value(role::POOL.plus(i));
        }
        for i in 0..role::PREDICATES {
            let (a, b) = (self.reg(), self.reg());
            let code = int::isetp(P::new(i), Compare::Lt, true, a, b, Combine::And, PT);
            self.emit(code);
        }
        self.first_memory();
        self.named |= 1;
        self.emit(flow::bar_sync(0));
    }

    /// Numbers of the thread in its CTA and in the grid.
    fn numbers(&mut self) {
        let linear = |e: &mut Self, d: R, at: [Special; 3], dims: u16| {
            let [x, y, z] = [d, role::TEMPS[0], role::TEMPS[1]];
            for (r, s) in [(x, at[0]), (y, at[1]), (z, at[2])] {
                e.emit(warp::s2r(r, s));
            }
            e.emit(int::imad(y, z, constant(0, dims + 4), y));
            e.emit(int::imad(x, y, constant(0, dims), x));
        };
        let threads = [Special::TidX, Special::TidY, Special::TidZ];
        linear(self, role::THREAD, threads, bank0::BLOCK);
        let ctas = [Special::CtaX, Special::CtaY, Special::CtaZ];
        linear(self, role::GLOBAL, ctas, bank0::GRID);
        let threads = self.shape().threads();
        self.emit(int::imad(role::GLOBAL, role::GLOBAL, threads, role::THREAD));
    }

    fn uniform_values(&mut self) {
        match self.arch() {
            Arch::Sm80 => self.emit(uniform::uldc(role::DESCRIPTOR, 0, 0x118, true)),
            Arch::Sm90 => self.emit(uniform::uldc(role::DESCRIPTOR, 0, 0x208, true)),
            Arch::Sm70 | Arch::Sm75 => {}
        }
        for region in
            [Region::Input, Region::Output, Region::Slots, Region::Private, Region::Reductions]
        {
            let at = self.pointer(region);
            self.emit(uniform::uldc(uniform_pointer(region), 0, at, true));
        }
        for i in 0..role::UNIFORMS {
            let d = U(role::UNIFORM_POOL.0 + i);
            let code = match self.rng.below(3) {
                0 => uniform::umov(d, self.rng.u32()),
                1 => uniform::s2ur(d, Special::CtaX),
                _ => uniform::uldc(d, 3, 4 * self.rng.below(self.shape().constants) as u16, false),
            };
            self.emit(code);
        }
        for i in 0..role::UNIFORM_PREDICATES {
            let (a, b) = (self.ureg(), self.rng.u32());
            self.emit(uniform::uisetp(P::new(i), Compare::Lt, a, b));
        }
    }

    fn first_value(&mut self, d: R) {
        match self.rng.below(6) {
            0 => {
                let v = self.rng.u32();
                self.emit(moves::mov(d, v));
            }
            1 => self.emit(warp::s2r(d, Special::Lane)),
            2 | 3 => {
                let (factor, t) = (self.rng.u32() | 1, self.temp());
                self.emit(int::imad(t, role::GLOBAL, 4, RZ));
                self.emit(int::lop3(t, t, self.shape().input - 4, RZ, table::AND));
                let at = self.address(Region::Input, t, 0);
                let code = memory::ldg(self.arch(), d, at, Size::Word, Order::Weak);
                self.emit(code);
                self.emit(int::imad(d, d, factor, role::THREAD));
            }
            _ => {
                let (factor, v, plus) = (self.rng.u32(), self.rng.u32(), self.temp());
                self.emit(moves::mov(plus, v));
                self.emit(int::imad(d, role::GLOBAL, factor, plus));
            }
        }
    }

    /// Local memory, and both buffers and the accumulators in shared memory.
    /// Global memory has its first values from the host.
    fn first_memory(&mut self) {
        for at in (0..self.shape().local).step_by(16) {
            let r = self.regs(4);
            self.emit(memory::stl(role::LOCAL, at as i32, r, Size::Quad));
        }
        let base = self.shared_base();
        let t = self.temp();
        self.emit(int::imad(t, role::THREAD, self.shape().slot, RZ));
        for buffer in [0, self.shape().shared_buffer()] {
            for at in (0..self.shape().slot).step_by(16) {
                let r = self.regs(4);
                self.emit(memory::sts(t, base + (buffer + at) as i32, r, Size::Quad));
            }
        }
        let words = SHARED_GROUPS * self.shape().accumulators();
        if words != 0 {
            let (t, r) = (self.temp(), self.reg());
            let p = role::CONDITION;
            let code = int::isetp(p, Compare::Lt, false, role::THREAD, words, Combine::And, PT);
            self.emit(code);
            self.emit(int::imad(t, role::THREAD, 4, RZ));
            let at = self.accumulators(0);
            self.emit(memory::sts(t, at, r, Size::Word).guard(p));
        }
    }

    /// The end.
    pub fn epilogue(&mut self, key: u64) {
        self.draw_from(key);
        let predicates = (1 << role::PREDICATES) - 1;
        self.emit(moves::p2r(role::BITS, RZ, predicates));
        let (words, total, rows) = (self.result_words(), self.shape().total(), self.shape().rows);
        // No loop is running any more: its counter survives the addresses below.
        let t = role::COUNTER;
        self.emit(int::imad(t, role::GLOBAL, if rows { 4 * words } else { 4 }, RZ));
        // Where each word goes: behind the one before, or behind that of all threads.
        let step = if rows { 4 } else { 4 * total };
        let (base, near) = self.output_base(t, step * words);
        for i in 0..words {
            let r = self.result(i);
            let at = if near {
                base.plus(step * i)
            } else {
                // Too far for an offset in the instruction.
                let far = self.temp();
                self.emit(int::iadd3(far, t, step * i, RZ));
                self.address(Region::Output, far, 0)
            };
            let code = memory::stg(self.arch(), at, r, Size::Word, Order::Weak);
            self.emit(code);
        }
        self.emit(flow::exit());
    }

    /// What compilers put behind the code: a jump to itself, then nothing up to
    /// the end of a cache line.
    pub fn padding(&mut self) {
        let here = self.label();
        self.place(here);
        self.jump(Jump::Branch, here);
        let instructions = self.lines.iter().filter(|l| matches!(l, Line::Insn(..))).count();
        for _ in instructions..instructions.next_multiple_of(8) {
            self.emit(flow::nop());
        }
    }

    /// The address that offset `t` of the output begins at, and whether
    /// `bytes` from there are within reach of an instruction's own offset.
    fn output_base(&mut self, t: R, bytes: u32) -> (At, bool) {
        let near = bytes < 1 << 23 && self.chance(2);
        if near { (self.address(Region::Output, t, 0), true) } else { (At::Reg(t, 0), false) }
    }

    /// The register that holds word `i` of the results.
    fn result(&mut self, i: u32) -> R {
        let pool = u32::from(self.shape().pool);
        match i.checked_sub(pool) {
            None => role::POOL.plus(i as u8),
            Some(0) => role::BITS,
            Some(n) => {
                // Uniform registers travel through what is left of the pool's first register.
                let d = role::POOL;
                self.emit(moves::mov(d, U(role::UNIFORM_POOL.0 + n as u8 - 1)));
                d
            }
        }
    }
}
