//! Statements, and how trees of them come about.

use crate::Rng;

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// Integer or logic instruction.
    Integer,
    /// FP32 arithmetic.
    Float,
    /// FP64 arithmetic.
    Double,
    /// Transcendental, bit count or conversion.
    Special,
    /// Comparison, selection, predicates as bits.
    Predicate,
    /// Vote or shuffle.
    Lanes,
    /// Constant load.
    Constant,
    /// Uniform datapath.
    Uniform,
    /// Load of the input.
    Input,
    /// Load, store or atomic in the thread's own slots of global memory.
    Own,
    /// Load of a neighbour's slot of global memory.
    Peer,
    /// Reduction in global memory that other CTAs take part in.
    Reduction,
    /// Load, store or atomic in the thread's own slots of shared memory.
    OwnShared,
    /// Load of a neighbour's slot of shared memory.
    PeerShared,
    /// Reduction in shared memory.
    Accumulate,
    /// Load or store of local memory.
    Local,
    /// Fence, no-operation, yield, warp-level synchronisation.
    Fence,
    /// One side or the other; with one arm, or nothing.
    If,
    /// Indirect branch to one of several arms.
    Switch,
    /// A loop whose trip count differs between lanes.
    Loop,
    /// Such a loop that lanes may leave to behind what follows it.
    Break,
    /// A loop that all threads of the CTA run equally often.
    Repeat,
    /// A call.
    Call,
    /// Some lanes end.
    Exit,
    /// A CTA barrier: buffers change roles.
    Barrier,
    /// Loads of shared accumulators between two CTA barriers.
    Gather,
}

/// A statement.
pub type Node = crate::tree::Node<StatementKind>;

/// Most trips of a loop.
pub(crate) const TRIPS: u32 = 8;
/// Loops within loops: each has a counter register of its own.
pub(crate) const LOOP_DEPTH: u8 = 3;

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Surroundings {
    /// All threads of the CTA come here together.
    together: bool,
    depth: u8,
    loops: u8,
    /// How often it runs, at most.
    times: u32,
    calls: bool,
}

/// Work left: statements times the trips of the loops around them.
struct Budget {
    statements: u32,
    work: u32,
    theme: Theme,
}

impl Budget {
    fn spend(&mut self, times: u32) -> bool {
        let enough = self.statements > 0 && self.work >= times;
        if enough {
            self.statements -= 1;
            self.work -= times;
        }
        enough
    }
}

/// What a program is mostly about. Faults of one component show only when its
/// instructions meet each other often.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Theme {
    Everything,
    Global,
    Shared,
    Local,
    Compute,
}

impl Theme {
    /// Statements without others inside.
    fn kinds(self) -> &'static [StatementKind] {
        use StatementKind::*;
        match self {
            Theme::Everything => &[
                Integer, Integer, Integer, Integer, Float, Float, Double, Special, Special,
                Predicate, Predicate, Lanes, Constant, Uniform, Uniform, Input, Input, Own, Own,
                Peer, Reduction, Reduction, OwnShared, OwnShared, PeerShared, PeerShared,
                Accumulate, Accumulate, Local, Local, Fence,
            ],
            Theme::Global => &[
                Integer, Predicate, Input, Own, Own, Own, Own, Peer, Peer, Reduction, Local, Fence,
            ],
            Theme::Shared => &[
                Integer, Predicate, OwnShared, OwnShared, OwnShared, PeerShared, PeerShared,
                Accumulate, Local, Peer,
            ],
            // Inputs push local lines out of small caches.
            Theme::Local => &[
                Integer, Predicate, Local, Local, Local, Local, Local, Local, Input, Input, Own,
                Fence,
            ],
            Theme::Compute => &[
                Integer, Integer, Integer, Float, Float, Double, Special, Special, Predicate,
                Predicate, Lanes, Constant, Uniform, Uniform, Uniform, Uniform, Local,
            ],
        }
    }
}

/// The statements of a kernel.
pub(crate) fn body(rng: &mut Rng, size: u32) -> Vec<Node> {
    let theme = rng.pick(&[
        Theme::Everything,
        Theme::Everything,
        Theme::Global,
        Theme::Global,
        Theme::Shared,
        Theme::Local,
        Theme::Compute,
    ]);
    let mut budget = Budget { statements: size, work: 40 + 6 * size, theme };
    let place = Surroundings { together: true, depth: 0, loops: 0, times: 1, calls: true };
    let mut list = Vec::new();
    while budget.statements > 0 && budget.work > 0 {
        match statement(rng, &mut budget, place) {
            Some(node) => list.push(node),
            None => break,
        }
    }
    list
}

/// The statements of function `index`: the first has no control flow, so that
/// it can be called from anywhere.
pub(crate) fn function(rng: &mut Rng, index: usize) -> Vec<Node> {
    let theme = Theme::Everything;
    let mut budget = Budget { statements: 1 + rng.below(6), work: 40, theme };
    let depth = if index == 0 { u8::MAX } else { 1 };
    let place = Surroundings { together: false, depth, loops: LOOP_DEPTH, times: 1, calls: false };
    let mut list = Vec::new();
    while let Some(node) = statement(rng, &mut budget, place) {
        list.push(node);
    }
    if index == 0 {
        // Groups of lanes that meet here by chance must not see each other.
        list.retain(|n| {
            !matches!(
                n.kind,
                StatementKind::Lanes
                    | StatementKind::Uniform
                    | StatementKind::Exit
                    | StatementKind::Fence
            )
        });
    } else {
        list.retain(|n| n.kind != StatementKind::Exit);
    }
    list
}

fn arm(rng: &mut Rng, budget: &mut Budget, place: Surroundings) -> Vec<Node> {
    let most = 1 + rng.below(4);
    (0..most).map_while(|_| statement(rng, budget, place)).collect()
}

fn statement(rng: &mut Rng, budget: &mut Budget, place: Surroundings) -> Option<Node> {
    use StatementKind::*;
    if !budget.spend(place.times) {
        return None;
    }
    // The deeper, the fewer constructs: most statements should be where barriers
    // and uniform instructions can be.
    let nesting = u32::from(place.depth.min(4)) + u32::from(place.loops);
    let kind = match rng.below(100 + 100 * nesting) {
        0..14 if place.depth < 4 => If,
        14..17 if place.depth < 4 => Switch,
        17..22 if place.depth < 4 && place.loops < LOOP_DEPTH => Loop,
        22..24 if place.depth < 4 && place.loops < LOOP_DEPTH => Break,
        24..28 if place.loops < LOOP_DEPTH => Repeat,
        28..31 if place.calls => Call,
        31..33 => Exit,
        33..45 if place.together => Barrier,
        45..48 if place.together => Gather,
        _ => rng.pick(budget.theme.kinds()),
    };
    let mut node = Node::new(rng, kind);
    let inside = Surroundings { together: false, depth: place.depth.saturating_add(1), ..place };
    let looped =
        Surroundings { loops: place.loops + 1, times: place.times.saturating_mul(TRIPS), ..inside };
    match kind {
        If => {
            let arms = 1 + rng.below(3).min(1);
            node.arms = (0..arms).map(|_| arm(rng, budget, inside)).collect();
        }
        Switch => node.arms = (0..4).map(|_| arm(rng, budget, inside)).collect(),
        Loop => node.arms = vec![arm(rng, budget, looped)],
        Break => node.arms = vec![arm(rng, budget, looped), arm(rng, budget, inside)],
        // Everybody runs it as often, so barriers may stand inside.
        Repeat => {
            let place = Surroundings { together: place.together, depth: place.depth, ..looped };
            node.arms = vec![arm(rng, budget, place)];
        }
        _ => {}
    }
    Some(node)
}
