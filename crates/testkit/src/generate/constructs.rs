//! Statements with statements inside: branches, loops, calls, barriers.

use super::emit::{Context, Emitter, Jump, Label, role};
use super::tree::{LOOP_DEPTH, Node, StatementKind, TRIPS};
use crate::asm::flow::BarReduce;
use crate::asm::int::{self, Combine, Compare, table};
use crate::asm::memory::{self, Order, Size};
use crate::asm::{P, PT, R, RZ, flow, moves};

/// Convergence barriers of a warp.
const BARRIERS: u32 = 16;

impl Emitter<'_> {
    /// Emits statements; returns the convergence barriers they use.
    pub fn statements(&mut self, list: &[Node], context: Context) -> u16 {
        list.iter().fold(0, |used, node| used | self.statement(node, context))
    }

    fn statement(&mut self, node: &Node, context: Context) -> u16 {
        self.draw_from(node.key);
        match node.kind {
            StatementKind::Integer
            | StatementKind::Float
            | StatementKind::Double
            | StatementKind::Special
            | StatementKind::Predicate
            | StatementKind::Lanes
            | StatementKind::Constant => self.arithmetic(node.kind),
            StatementKind::Input
            | StatementKind::Own
            | StatementKind::Peer
            | StatementKind::Reduction
            | StatementKind::OwnShared
            | StatementKind::PeerShared
            | StatementKind::Accumulate
            | StatementKind::Local => self.access(node.kind),
            StatementKind::Uniform if context.converged && self.uniform() => {
                self.uniform_statement()
            }
            StatementKind::Uniform => self.arithmetic(StatementKind::Integer),
            StatementKind::Fence => self.fence(context.converged),
            StatementKind::If => return self.conditional(node, context),
            StatementKind::Switch => return self.switch(node, context),
            StatementKind::Loop => return self.lane_loop(node, context),
            StatementKind::Break => return self.broken_loop(node, context),
            StatementKind::Repeat => return self.repeat(node, context),
            StatementKind::Call => self.call(context),
            StatementKind::Exit => self.exit(),
            StatementKind::Barrier => self.barrier(),
            StatementKind::Gather => {
                self.sync();
                self.gather();
                self.sync();
            }
        }
        0
    }

    /// A convergence barrier that nobody around uses. Groups of lanes may be in
    /// different arms at the same time, so arms of a statement share none.
    fn free(&mut self, taken: u16) -> Option<u8> {
        let free: Vec<u8> = (0..BARRIERS as u8).filter(|b| taken >> b & 1 == 0).collect();
        (!free.is_empty()).then(|| self.rng.pick(&free))
    }

    /// Opens a region; `None` (and nothing emitted) when no barrier is free.
    fn open(&mut self, context: Context) -> Option<(u8, Label, Context)> {
        let bar = self.free(context.taken)?;
        let end = self.label();
        self.jump(Jump::Open(bar), end);
        let inside = Context { converged: false, taken: context.taken | 1 << bar, ..context };
        Some((bar, end, inside))
    }

    fn close(&mut self, bar: u8, end: Label) {
        self.place(end);
        self.emit(flow::bsync(bar));
    }

    fn conditional(&mut self, node: &Node, context: Context) -> u16 {
        let p = self.condition();
        let Some((bar, end, inside)) = self.open(context) else { return 0 };
        let used = match &node.arms[..] {
            [then, other] => {
                let otherwise = self.label();
                self.branch_if(p, otherwise);
                let used = self.statements(then, inside);
                self.jump(Jump::Branch, end);
                self.place(otherwise);
                used | self.statements(other, Context { taken: inside.taken | used, ..inside })
            }
            arms => {
                self.branch_if(p, end);
                arms.first().map_or(0, |arm| self.statements(arm, inside))
            }
        };
        self.close(bar, end);
        used | 1 << bar
    }

    fn switch(&mut self, node: &Node, context: Context) -> u16 {
        let index = self.masked(16, 4);
        let table = self.tables.len();
        let labels: Vec<Label> = node.arms.iter().map(|_| self.label()).collect();
        let Some((bar, end, inside)) = self.open(context) else { return 0 };
        // A table has four entries; arms that were dropped go to the end.
        let entries = (0..4).map(|i| labels.get(i).copied().unwrap_or(end)).collect();
        self.tables.push(entries);
        self.emit(memory::ldc(index, 2, index, 16 * table as u16, false));
        self.emit(moves::mov(index.plus(1), RZ));
        self.indirect(index, table);
        let mut used = 0;
        for (label, arm) in labels.iter().zip(&node.arms) {
            self.place(*label);
            used |= self.statements(arm, Context { taken: inside.taken | used, ..inside });
            self.jump(Jump::Branch, end);
        }
        self.close(bar, end);
        used | 1 << bar
    }

    fn counter(&self, context: Context) -> R {
        role::COUNTER.plus(context.loops.min(LOOP_DEPTH - 1))
    }

    /// The end of a loop: once more while the counter is not below zero.
    fn again(&mut self, counter: R, top: Label) {
        self.emit(int::iadd3(counter, counter, u32::MAX, RZ));
        let p = role::CONDITION;
        self.emit(int::isetp(p, Compare::Ge, true, counter, RZ, Combine::And, PT));
        self.branch_if(p, top);
    }

    fn lane_trips(&mut self, counter: R) {
        let (r, mask) = (self.reg(), self.rng.pick(&[1, 3, TRIPS - 1]));
        self.emit(int::lop3(counter, r, mask, RZ, table::AND));
    }

    fn lane_loop(&mut self, node: &Node, context: Context) -> u16 {
        let counter = self.counter(context);
        self.lane_trips(counter);
        let leaves = self.chance(3).then(|| self.any_pred());
        let Some((bar, end, inside)) = self.open(context) else { return 0 };
        let top = self.label();
        self.place(top);
        let inside = Context { loops: context.loops + 1, ..inside };
        let used = node.arms.first().map_or(0, |body| self.statements(body, inside));
        if let Some(p) = leaves {
            self.branch_if(p, end);
        }
        self.again(counter, top);
        self.close(bar, end);
        used | 1 << bar
    }

    /// A loop in a region of its own, some of whose lanes leave that region
    /// for the end of the one around it.
    fn broken_loop(&mut self, node: &Node, context: Context) -> u16 {
        let counter = self.counter(context);
        self.lane_trips(counter);
        let leaves = self.any_pred();
        let Some((outer, outer_end, inside)) = self.open(context) else { return 0 };
        let Some((inner, inner_end, deep)) = self.open(inside) else {
            self.close(outer, outer_end);
            return 1 << outer;
        };
        let top = self.label();
        self.place(top);
        let deep = Context { loops: context.loops + 1, ..deep };
        let mut used = node.arms.first().map_or(0, |body| self.statements(body, deep));
        self.emit(flow::break_(inner).guard(leaves));
        self.branch_if(leaves, outer_end);
        self.again(counter, top);
        self.close(inner, inner_end);
        if let Some(after) = node.arms.get(1) {
            let taken = deep.taken | used;
            used |= self.statements(after, Context { taken, ..inside });
        }
        self.close(outer, outer_end);
        used | 1 << outer | 1 << inner
    }

    fn repeat(&mut self, node: &Node, context: Context) -> u16 {
        let counter = self.counter(context);
        let trips = self.rng.below(TRIPS.min(4));
        self.emit(moves::mov(counter, trips));
        let top = self.label();
        self.place(top);
        let inside = Context { loops: context.loops + 1, ..context };
        let used = node.arms.first().map_or(0, |body| self.statements(body, inside));
        self.again(counter, top);
        used
    }

    fn call(&mut self, context: Context) {
        // Only the first may run with groups of lanes at different places.
        let which = if context.converged { self.rng.below(2) as usize } else { 0 };
        let Some(&function) = self.functions.get(which) else { return };
        let back = self.label();
        self.jump(Jump::Address(role::RETURN), back);
        self.emit(moves::mov(role::RETURN.plus(1), RZ));
        self.jump(Jump::Call, function);
        self.place(back);
    }

    /// Some lanes leave a value and end.
    fn exit(&mut self) {
        let p = self.condition();
        let (words, rows) = (self.result_words(), self.shape().rows);
        let t = self.temp();
        let stride = if rows { 4 * words } else { 4 };
        self.emit(int::imad(t, role::GLOBAL, stride, RZ));
        let at = self.address(super::emit::Region::Output, t, 0);
        let r = self.reg();
        let code = memory::stg(self.arch(), at, r, Size::Word, Order::Weak);
        self.emit(code.guard(p));
        self.emit(flow::exit().guard(p));
    }

    /// A CTA barrier.
    fn sync(&mut self) {
        let n = if self.chance(2) { 0 } else { self.rng.below(16) as u8 };
        self.named |= 1 << n;
        self.emit(flow::bar_sync(n));
    }

    fn barrier(&mut self) {
        if self.chance(3) {
            let which = self.rng.pick(&[BarReduce::Popc, BarReduce::And, BarReduce::Or]);
            let (p, d): (P, R) = (self.any_pred(), self.reg());
            let n = self.rng.below(16) as u8;
            self.named |= 1 << n;
            self.emit(flow::bar_red(n, which, p));
            self.emit(flow::b2r(d));
        } else {
            self.sync();
        }
        self.emit(int::lop3(role::PHASE, role::PHASE, RZ, RZ, table::NOT));
    }
}
