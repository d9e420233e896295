//! Structured programs, made at random: a warp with a stack does for each of
//! its threads what a thread does alone. Alone they walk the program's tree,
//! which knows nothing of stacks; together they run what a compiler makes of it.

use super::*;
use crate::control::barriers::lanes;

/// A construct of a program.
enum Node {
    Work(u32),
    If { then: Vec<Node>, other: Vec<Node> },
    Loop { continues: bool, body: Vec<Node> },
    Switch(Vec<Vec<Node>>),
    Call(usize),
    Break,
    Continue,
    Return,
    Exit,
}

/// A program: the kernel first, then functions that call later ones.
struct Source {
    functions: Vec<Vec<Node>>,
}

/// Random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0) % n
    }
}

fn mixed(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// What may be written where.
#[derive(Clone, Copy)]
struct Place {
    function: usize,
    functions: usize,
    depth: u32,
    in_loop: bool,
    continues: bool,
}

fn block(r: &mut Random, at: Place) -> Vec<Node> {
    (0..1 + r.below(4)).map(|_| node(r, at)).collect()
}

fn node(r: &mut Random, at: Place) -> Node {
    let inner = Place { depth: at.depth + 1, ..at };
    match r.below(if at.depth < 4 { 13 } else { 7 }) {
        2 if at.in_loop => Node::Break,
        3 if at.continues => Node::Continue,
        4 if at.function > 0 => Node::Return,
        5 if r.below(4) == 0 => Node::Exit,
        6 if at.function + 1 < at.functions => {
            let later = (at.functions - at.function - 1) as u64;
            Node::Call(at.function + 1 + r.below(later) as usize)
        }
        7 | 8 => {
            let other = if r.below(2) == 0 { block(r, inner) } else { Vec::new() };
            Node::If { then: block(r, inner), other }
        }
        9 | 10 => {
            let continues = r.below(2) == 0;
            let mut body = block(r, Place { in_loop: true, continues, ..inner });
            body.insert(0, Node::Break);
            Node::Loop { continues, body }
        }
        11 => Node::Switch((0..2 + r.below(3)).map(|_| block(r, inner)).collect()),
        _ => Node::Work(r.below(1000) as u32),
    }
}

fn source(seed: u64) -> Source {
    let mut r = Random(seed);
    let functions = 1 + r.below(4) as usize;
    let place =
        |function| Place { function, functions, depth: 0, in_loop: false, continues: false };
    Source { functions: (0..functions).map(|f| block(&mut r, place(f))).collect() }
}

/// A thread: what it has done, and how often it has decided something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Thread {
    lane: u64,
    done: Vec<u32>,
    decided: u64,
}

impl Thread {
    /// One of `n` ways, as only this thread's past says. Whoever has gone on
    /// for long takes the way out.
    fn decide(&mut self, n: u64, out: u64) -> u64 {
        self.decided += 1;
        if self.decided > 60 {
            return out;
        }
        // Neighbours often agree.
        let who = if self.decided.is_multiple_of(3) { self.lane / 8 } else { self.lane };
        mixed(who << 32 | self.decided) % n
    }

    fn work(&mut self, what: u32) {
        self.done.push(what);
    }
}

/// How a walk of a block ended.
#[derive(PartialEq, Eq)]
enum End {
    Through,
    Broke,
    Continued,
    Returned,
    Exited,
}

fn walk(source: &Source, nodes: &[Node], t: &mut Thread) -> End {
    for node in nodes {
        let end = match node {
            Node::Work(what) => {
                t.work(*what);
                End::Through
            }
            Node::If { then, other } => {
                let side = if t.decide(2, 0) == 1 { then } else { other };
                walk(source, side, t)
            }
            Node::Loop { body, .. } => loop {
                match walk(source, body, t) {
                    End::Through | End::Continued => {}
                    End::Broke => break End::Through,
                    end => break end,
                }
            },
            Node::Switch(cases) => {
                let n = cases.len() as u64;
                let case = &cases[t.decide(n, 0) as usize];
                walk(source, case, t)
            }
            Node::Call(f) => match walk(source, &source.functions[*f], t) {
                End::Returned => End::Through,
                end => end,
            },
            Node::Break => leave(t, 3, 1, End::Broke),
            Node::Continue => leave(t, 3, 0, End::Continued),
            Node::Return => leave(t, 3, 0, End::Returned),
            Node::Exit => leave(t, 12, 0, End::Exited),
        };
        if end != End::Through {
            return end;
        }
    }
    End::Through
}

fn leave(t: &mut Thread, n: u64, out: u64, end: End) -> End {
    if t.decide(n, out) == 1 { end } else { End::Through }
}

/// Instructions: what a compiler makes of a program.
enum Op {
    Work(u32),
    /// Each thread decides one of `n` ways, and keeps which.
    Decide(u64, u64),
    /// Whose decision is that of the guard, if there is one.
    Leave(EntryKind, Option<u64>),
    Branch(usize, Option<u64>),
    Switch(Vec<usize>),
    Push(EntryKind, usize),
    Call(usize),
    Exit(Option<u64>),
}

#[derive(Default)]
struct Code {
    ops: Vec<Op>,
    /// Calls whose function has no address yet.
    calls: Vec<(usize, usize)>,
    /// Work of the kernel outside all constructs: everybody does it at once.
    together: Vec<usize>,
}

impl Code {
    fn emit(&mut self, op: Op) -> usize {
        self.ops.push(op);
        self.ops.len() - 1
    }

    /// The operation at `at` leads to what comes next.
    fn lands(&mut self, at: usize) {
        let here = self.ops.len();
        match &mut self.ops[at] {
            Op::Branch(to, _) | Op::Push(_, to) => *to = here,
            Op::Switch(to) => to.push(here),
            _ => unreachable!("has no target"),
        }
    }

    fn block(&mut self, nodes: &[Node], outside: bool) {
        for node in nodes {
            self.node(node, outside);
        }
    }

    fn node(&mut self, node: &Node, outside: bool) {
        match node {
            Node::Work(what) => {
                let at = self.emit(Op::Work(*what));
                self.together.extend(outside.then_some(at));
            }
            Node::If { then, other } => {
                let join = self.emit(Op::Push(EntryKind::Sync, 0));
                self.emit(Op::Decide(2, 0));
                if other.is_empty() {
                    // A guarded `.S`.
                    self.emit(Op::Leave(EntryKind::Sync, Some(0)));
                    self.block(then, false);
                } else {
                    let to_other = self.emit(Op::Branch(0, Some(0)));
                    self.block(then, false);
                    self.emit(Op::Leave(EntryKind::Sync, None));
                    self.lands(to_other);
                    self.block(other, false);
                }
                self.emit(Op::Leave(EntryKind::Sync, None));
                self.lands(join);
            }
            Node::Loop { continues, body } => {
                let end = self.emit(Op::Push(EntryKind::Break, 0));
                let top = self.ops.len();
                let again = continues.then(|| self.emit(Op::Push(EntryKind::Continue, 0)));
                self.block(body, false);
                if let Some(again) = again {
                    self.emit(Op::Leave(EntryKind::Continue, None));
                    self.lands(again);
                }
                self.emit(Op::Branch(top, None));
                self.lands(end);
            }
            Node::Switch(cases) => {
                let join = self.emit(Op::Push(EntryKind::Sync, 0));
                self.emit(Op::Decide(cases.len() as u64, 0));
                let jump = self.emit(Op::Switch(Vec::new()));
                for case in cases {
                    self.lands(jump);
                    self.block(case, false);
                    self.emit(Op::Leave(EntryKind::Sync, None));
                }
                self.lands(join);
            }
            Node::Call(f) => {
                let at = self.emit(Op::Call(0));
                self.calls.push((at, *f));
            }
            Node::Break => self.guarded(3, 1, Op::Leave(EntryKind::Break, Some(1))),
            Node::Continue => self.guarded(3, 0, Op::Leave(EntryKind::Continue, Some(1))),
            Node::Return => self.guarded(3, 0, Op::Leave(EntryKind::Call, Some(1))),
            Node::Exit => self.guarded(12, 0, Op::Exit(Some(1))),
        }
    }

    fn guarded(&mut self, n: u64, out: u64, op: Op) {
        self.emit(Op::Decide(n, out));
        self.emit(op);
    }

    fn of(source: &Source) -> Code {
        let mut code = Code::default();
        let mut starts = Vec::new();
        for (f, nodes) in source.functions.iter().enumerate() {
            starts.push(code.ops.len());
            code.block(nodes, f == 0);
            code.emit(match f {
                0 => Op::Exit(None),
                _ => Op::Leave(EntryKind::Call, None),
            });
        }
        for (at, f) in std::mem::take(&mut code.calls) {
            code.ops[at] = Op::Call(starts[f]);
        }
        code
    }
}

/// Runs all threads of `mask` as one warp.
fn run(code: &Code, mask: Mask) -> Vec<Thread> {
    let mut threads = (0..32).map(|lane| Thread { lane, ..Thread::default() }).collect::<Vec<_>>();
    let mut decision = [0u64; WARP];
    let mut c = Convergence::with_stack(0, mask);
    for _ in 0..1_000_000 {
        if !c.schedule() {
            assert_eq!(c.live, 0, "threads are left behind");
            return threads;
        }
        let at = c.pc as usize / 8;
        let (active, next) = (c.active, c.pc + 8);
        let said = |guard: &Option<u64>| match guard {
            Some(way) => {
                lanes(active).filter(|l| decision[*l] == *way).fold(0, |m: Mask, l| m | 1 << l)
            }
            None => active,
        };
        let address = |to: usize| 8 * to as u32;
        match &code.ops[at] {
            Op::Work(what) => {
                if code.together.contains(&at) {
                    assert_eq!(active, c.live, "not everybody came back");
                }
                lanes(active).for_each(|l| threads[l].work(*what));
                c.advance(8);
            }
            Op::Decide(n, out) => {
                lanes(active).for_each(|l| decision[l] = threads[l].decide(*n, *out));
                c.advance(8);
            }
            Op::Leave(kind, guard) => c.leave_for(*kind, said(guard), next),
            Op::Branch(to, guard) => c.branch(said(guard), address(*to), next),
            Op::Switch(to) => {
                let targets = decision.map(|way| address(to[way as usize % to.len()]));
                c.branch_each(active, &targets, next);
            }
            Op::Push(kind, to) => c.push(*kind, address(*to), next),
            Op::Call(to) => c.call(active, address(*to), next),
            Op::Exit(guard) => c.exit(said(guard), next),
        }
        c.check_stack().expect("structured programs keep their stacks");
    }
    panic!("does not end");
}

#[test]
fn a_warp_does_for_each_thread_what_it_does_alone() {
    let mut parted = 0;
    for seed in 0..5000 {
        let source = source(seed);
        let code = Code::of(&source);
        let mask = match seed % 4 {
            0 => 0x0001_ffff,
            1 => 1 << (seed % 32),
            _ => Mask::MAX,
        };
        let together = run(&code, mask);
        for lane in lanes(mask) {
            let mut alone = Thread { lane: lane as u64, ..Thread::default() };
            walk(&source, &source.functions[0], &mut alone);
            assert_eq!(together[lane], alone, "program {seed}, lane {lane}");
        }
        parted += u32::from(together.iter().any(|t| t.done != together[0].done));
    }
    assert!(parted > 1000, "only {parted} programs had threads that differ");
}
