//! Lanes and waves that go different ways.

use upset_gcn::Format;
use upset_gcn::inst::Inst;
use upset_gcn::operand::Operand;
use upset_gcn::row::{Row, Specials};
use upset_gcn::sem::Does;

use super::emit::{Emitter, Label, Line, bare, constant, inst, row, rows};
use super::registers::{s, sgpr, v, vgpr};
use super::tree::{Node, TRIPS, WaveKind};
use crate::Rng;

/// Constructs around a statement.
#[derive(Clone, Copy, Default)]
pub(crate) struct Context {
    /// Those that save EXEC.
    depth: u8,
    scalar_loops: u8,
    vector_loops: u8,
}

const EXEC: Operand = Operand::ExecLo;
const VCC: Operand = Operand::VccLo;

impl Emitter<'_> {
    /// Statements in their order.
    pub fn statements(&mut self, list: &[Node], c: Context) {
        for node in list {
            self.rng = Rng::new(node.key);
            self.statement(node, c);
        }
    }

    fn statement(&mut self, node: &Node, c: Context) {
        match node.kind {
            WaveKind::Scalar => self.scalar(),
            WaveKind::Vector => self.vector(),
            WaveKind::Double => self.double(),
            WaveKind::Carry => self.carry(),
            WaveKind::Divide => self.divide(),
            WaveKind::Lanes => self.lanes(),
            WaveKind::Relative => self.relative(),
            WaveKind::Mode => self.mode(),
            WaveKind::Skip => self.skip(),
            WaveKind::ScalarInput => self.scalar_input(),
            WaveKind::Input => self.input(),
            WaveKind::Own => self.own(),
            WaveKind::Peer => self.peer(),
            WaveKind::Reduction => self.reduction(),
            WaveKind::OwnShare => self.own_share(),
            WaveKind::PeerShare => self.peer_share(),
            WaveKind::Accumulate => self.accumulate(),
            WaveKind::Count => self.count(),
            WaveKind::ToShare => self.load_to_share(),
            WaveKind::Quiet => self.quiet(),
            WaveKind::If => self.part(&node.arms, c),
            WaveKind::Branch => self.branch(&node.arms, c),
            WaveKind::Exec => self.exec(&node.arms, c),
            WaveKind::Fork => self.fork(&node.arms, c),
            WaveKind::Repeat => self.repeat(&node.arms, c),
            WaveKind::Loop => self.lane_loop(&node.arms, c),
            WaveKind::Call => self.call(),
            WaveKind::Barrier => self.barrier(),
            WaveKind::Gather => {
                self.barrier();
                self.gather();
                self.barrier();
            }
        }
    }

    /// All waves of the work-group meet; buffers change roles.
    pub fn barrier(&mut self) {
        self.imm("s_barrier", 0);
        let parity = sgpr(s::PARITY);
        self.op("s_xor_b32", parity, &[parity, Operand::Int(1)]);
    }

    /// A compare of lanes, to a pair of registers.
    fn compare(&mut self, to: Operand) {
        let plain = |row: &&'static Row| !row.writes.has(Specials::EXEC);
        let all: Vec<&'static Row> = rows(Format::Vopc).filter(plain).collect();
        // Conditions on words, which lanes differ in.
        if self.one_in(2) {
            let (name, a, b) = (
                self.rng.pick(&["v_cmp_lt_u32", "v_cmp_gt_i32", "v_cmp_le_f32", "v_cmp_ne_u32"]),
                self.pool(1),
                self.pool(1),
            );
            return self.op(name, to, &[a, b]);
        }
        if self.one_in(2) {
            let least = Operand::Int(self.rng.below(64) as i8);
            return self.op("v_cmp_lt_u32", to, &[least, vgpr(v::LANE)]);
        }
        let row = self.rng.pick(&all);
        match self.any_of(row) {
            Some(one) => {
                let short = to == VCC && one.format == Format::Vopc;
                let one = if short { one } else { super::emit::lengthened(one) };
                // The long form has no literal.
                if one.literal().is_some() && !short {
                    return self.op("v_cmp_gt_u32", to, &[Operand::Int(20), vgpr(v::LANE)]);
                }
                self.push(Inst { dst: to, ..one });
            }
            None => self.op("v_cmp_gt_u32", to, &[Operand::Int(20), vgpr(v::LANE)]),
        }
    }

    fn saved(c: Context, n: u8) -> Operand {
        sgpr(s::SAVED + 4 * c.depth + 2 * n)
    }

    /// The idiom of compilers: one arm, or two.
    fn part(&mut self, arms: &[Vec<Node>], c: Context) {
        let (saved, other) = (Self::saved(c, 0), Self::saved(c, 1));
        let skips = !self.one_in(4);
        let inside = Context { depth: c.depth + 1, ..c };
        let condition = if self.one_in(2) { VCC } else { other };
        self.compare(condition);
        self.op("s_and_saveexec_b64", saved, &[condition]);
        self.op("s_xor_b64", saved, &[EXEC, saved]);
        let end = self.label();
        if let [then] = arms {
            if skips {
                self.jump("s_cbranch_execz", end);
            }
            self.statements(then, inside);
            self.place(end);
            self.op("s_or_b64", EXEC, &[EXEC, saved]);
            return;
        }
        let middle = self.label();
        if skips {
            self.jump("s_cbranch_execz", middle);
        }
        if let Some(then) = arms.first() {
            self.statements(then, inside);
        }
        self.place(middle);
        // The other lanes, and those that have been here.
        if self.one_in(2) {
            self.op("s_or_saveexec_b64", other, &[saved]);
            self.op("s_xor_b64", EXEC, &[EXEC, other]);
        } else {
            self.op("s_andn2_saveexec_b64", other, &[saved]);
        }
        if skips {
            self.jump("s_cbranch_execz", end);
        }
        if let Some(otherwise) = arms.get(1) {
            self.statements(otherwise, inside);
        }
        self.place(end);
        self.op("s_or_b64", EXEC, &[EXEC, other]);
    }

    /// The whole wave goes one way.
    fn branch(&mut self, arms: &[Vec<Node>], c: Context) {
        let (middle, end) = (self.label(), self.label());
        let name = match self.rng.below(3) {
            0 => {
                let (a, b) = (self.scalar_pool(1), self.scalar_source(1));
                let name = self.rng.pick(&["s_cmp_lt_i32", "s_cmp_gt_u32", "s_bitcmp1_b32"]);
                self.op(name, Operand::None, &[a, b]);
                self.rng.pick(&["s_cbranch_scc0", "s_cbranch_scc1"])
            }
            1 => {
                self.compare(VCC);
                self.rng.pick(&["s_cbranch_vccz", "s_cbranch_vccnz"])
            }
            _ => self.rng.pick(&[
                "s_cbranch_scc0",
                "s_cbranch_scc1",
                "s_cbranch_vccz",
                "s_cbranch_vccnz",
                "s_cbranch_execz",
                "s_cbranch_execnz",
                "s_cbranch_cdbguser",
                "s_branch",
            ]),
        };
        self.jump(name, middle);
        if let Some(first) = arms.first() {
            self.statements(first, c);
        }
        if let Some(second) = arms.get(1) {
            self.jump("s_branch", end);
            self.place(middle);
            self.statements(second, c);
        } else {
            self.place(middle);
        }
        self.place(end);
    }

    /// EXEC is changed at will, and comes back behind the statements.
    fn exec(&mut self, arms: &[Vec<Node>], c: Context) {
        let saved = Self::saved(c, 0);
        self.op("s_mov_b64", saved, &[EXEC]);
        match self.rng.below(8) {
            0..3 => {
                let writes = |row: &&'static Row| row.writes.has(Specials::EXEC);
                let all: Vec<&'static Row> = rows(Format::Vopc).filter(writes).collect();
                let row = self.rng.pick(&all);
                if let Some(one) = self.any_of(row) {
                    self.push(one);
                }
            }
            3 => {
                let writes = |row: &&'static Row| {
                    row.writes.has(Specials::EXEC) && matches!(row.does, Does::Scalar(_))
                };
                let all: Vec<&'static Row> = rows(Format::Sop1).filter(writes).collect();
                let row = self.rng.pick(&all);
                if let Some(one) = self.any_of(row) {
                    self.push(one);
                }
            }
            4 => {
                let half = self.rng.pick(&[Operand::ExecLo, Operand::ExecHi]);
                let from = self.scalar_source(1);
                self.op("s_mov_b32", half, &[from]);
            }
            5 => self.op("s_mov_b64", EXEC, &[Operand::Int(-1)]),
            6 => {
                let from = self.scalar_pool(2);
                let name = self.rng.pick(&["s_xor_b64", "s_and_b64", "s_or_b64", "s_nand_b64"]);
                self.op(name, EXEC, &[EXEC, from]);
            }
            _ => self.op("s_mov_b64", EXEC, &[sgpr(s::INITIAL)]),
        }
        if let Some(arm) = arms.first() {
            self.statements(arm, Context { depth: c.depth + 1, ..c });
        }
        self.op("s_mov_b64", EXEC, &[saved]);
    }

    /// Lanes part by the instructions that are made for it.
    fn fork(&mut self, arms: &[Vec<Node>], c: Context) {
        let (saved, condition) = (Self::saved(c, 0), Self::saved(c, 1));
        let inside = Context { depth: c.depth + 1, ..c };
        self.op("s_mov_b64", saved, &[EXEC]);
        self.compare(condition);
        let (then, end) = (self.label(), self.label());
        if self.one_in(2) {
            let mut fork = bare(row("s_cbranch_i_fork"));
            fork.src[0] = condition;
            self.lines.push(Line::Jump(fork, then));
        } else {
            self.address(s::PAIR, then);
            let target = sgpr(s::PAIR);
            let fork = inst("s_cbranch_g_fork", Operand::None, &[condition, target]);
            self.lines.push(Line::Call(fork, then));
        }
        if let Some(arm) = arms.first() {
            self.statements(arm, inside);
        }
        self.jump("s_branch", end);
        self.place(then);
        if let Some(arm) = arms.get(1) {
            self.statements(arm, inside);
        }
        self.place(end);
        // No forks were open before this one. Who comes second goes on alone.
        let none = sgpr(s::WORD);
        self.op("s_mov_b32", none, &[Operand::Int(0)]);
        self.imm("s_nop", 4);
        self.op("s_cbranch_join", Operand::None, &[none]);
        self.op("s_mov_b64", EXEC, &[saved]);
    }

    /// A loop that the wave runs a fixed number of times.
    fn repeat(&mut self, arms: &[Vec<Node>], c: Context) {
        let counter = sgpr(s::LOOP + c.scalar_loops);
        let trips = 1 + self.rng.below(TRIPS);
        let top = self.label();
        let upward = self.one_in(2);
        self.push(Inst {
            dst: counter,
            ..constant("s_movk_i32", if upward { 0 } else { trips as u16 })
        });
        self.place(top);
        if let Some(arm) = arms.first() {
            self.statements(arm, Context { scalar_loops: c.scalar_loops + 1, ..c });
        }
        if upward {
            self.push(Inst { dst: counter, ..constant("s_addk_i32", 1) });
            let mut compare = constant("s_cmpk_lt_u32", trips as u16);
            compare.src[0] = counter;
            self.push(compare);
        } else {
            self.op("s_sub_u32", counter, &[counter, Operand::Int(1)]);
            self.op("s_cmp_lg_u32", Operand::None, &[counter, Operand::Int(0)]);
        }
        self.jump("s_cbranch_scc1", top);
    }

    /// A loop that lanes leave one by one.
    fn lane_loop(&mut self, arms: &[Vec<Node>], c: Context) {
        let (saved, going) = (Self::saved(c, 0), Self::saved(c, 1));
        let counter = vgpr(v::LOOP + c.vector_loops);
        let inside = Context { depth: c.depth + 1, vector_loops: c.vector_loops + 1, ..c };
        let from = if self.one_in(2) { vgpr(v::LANE) } else { self.pool(1) };
        let (top, end) = (self.label(), self.label());
        self.op("s_mov_b64", saved, &[EXEC]);
        self.op("v_and_b32", counter, &[Operand::Int(3), from]);
        self.place(top);
        let by_compare = self.one_in(2);
        if by_compare {
            self.op("v_cmpx_ne_u32", VCC, &[Operand::Int(0), counter]);
        } else {
            self.op("v_cmp_ne_u32", going, &[Operand::Int(0), counter]);
            self.op("s_and_b64", EXEC, &[EXEC, going]);
        }
        self.jump("s_cbranch_execz", end);
        if let Some(arm) = arms.first() {
            self.statements(arm, inside);
        }
        self.op("v_subrev_i32", counter, &[Operand::Int(1), counter]);
        self.jump("s_branch", top);
        self.place(end);
        self.op("s_mov_b64", EXEC, &[saved]);
    }

    /// A call of one of the functions.
    fn call(&mut self) {
        let function = self.functions[self.rng.below(self.functions.len() as u32) as usize];
        self.address(s::RETURN, function);
        self.imm("s_nop", 4);
        let lo = sgpr(s::RETURN);
        self.lines.push(Line::Call(inst("s_swappc_b64", lo, &[lo]), function));
    }

    /// The address of a label that lies further on, in a pair.
    fn address(&mut self, pair: u8, to: Label) {
        let from = self.label();
        let (lo, hi) = (sgpr(pair), sgpr(pair + 1));
        self.op("s_getpc_b64", lo, &[]);
        self.place(from);
        let add = inst("s_add_u32", lo, &[lo, Operand::Literal(0)]);
        self.lines.push(Line::Distance(add, from, to));
        self.op("s_addc_u32", hi, &[hi, Operand::Int(0)]);
    }

    /// Functions, behind the kernel.
    pub fn function(&mut self, n: usize, list: &[Node]) {
        self.place(self.functions[n]);
        self.statements(list, Context::default());
        self.imm("s_nop", 4);
        self.op("s_setpc_b64", Operand::None, &[sgpr(s::RETURN)]);
    }
}
