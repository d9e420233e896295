//! Statements, and how trees of them come about.

use super::registers::{DEPTH, SCALAR_LOOPS, VECTOR_LOOPS};
use crate::Rng;

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaveKind {
    /// Scalar arithmetic, any row.
    Scalar,
    /// Vector arithmetic, any row.
    Vector,
    /// Vector arithmetic on 64 bits.
    Double,
    /// Sums of 64 or 96 bits, carry by carry.
    Carry,
    /// A division as compilers write it.
    Divide,
    /// Values from lane to lane and between lanes and scalar registers.
    Lanes,
    /// Moves between registers that M0 selects.
    Relative,
    /// MODE is read or changed.
    Mode,
    /// Vector instructions are skipped for a while.
    Skip,
    /// Scalar read of the input.
    ScalarInput,
    /// Vector load of the input.
    Input,
    /// Load, store or atomic in the wave's own part of global memory.
    Own,
    /// Load of another wave's part.
    Peer,
    /// Reduction in global memory that all waves take part in.
    Reduction,
    /// Access to the wave's own part of LDS.
    OwnShare,
    /// Load of another wave's part of LDS.
    PeerShare,
    /// Reduction in LDS.
    Accumulate,
    /// A counter for the wave in its own part of LDS.
    Count,
    /// Load from the input to LDS.
    ToShare,
    /// Caches emptied, pauses, priorities.
    Quiet,
    /// Lanes part: the idiom of compilers, with one arm or two.
    If,
    /// A branch of the whole wave.
    Branch,
    /// EXEC is changed at will around some statements.
    Exec,
    /// Lanes part by `s_cbranch_*_fork`.
    Fork,
    /// A loop that the wave runs a fixed number of times.
    Repeat,
    /// A loop that lanes leave one by one.
    Loop,
    /// A call.
    Call,
    /// A barrier: buffers change roles.
    Barrier,
    /// Loads of accumulators between two barriers.
    Gather,
}

/// A statement.
pub type Node = crate::tree::Node<WaveKind>;

/// Most trips of a loop.
pub(crate) const TRIPS: u32 = 6;

/// Where a statement stands.
#[derive(Clone, Copy)]
struct Surroundings {
    /// All waves of the work-group come here together.
    together: bool,
    depth: u8,
    scalar_loops: u8,
    vector_loops: u8,
    forked: bool,
    /// How often it runs, at most.
    times: u32,
    calls: bool,
}

/// Work left: statements times the trips of the loops around them.
struct Budget {
    statements: u32,
    work: u32,
    theme: &'static [WaveKind],
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

use WaveKind::*;

/// Statements without others inside; some programs are mostly about one
/// component, because faults show only when its instructions meet often.
const EVERYTHING: &[WaveKind] = &[
    Scalar,
    Scalar,
    Scalar,
    Vector,
    Vector,
    Vector,
    Vector,
    Double,
    Carry,
    Divide,
    Lanes,
    Relative,
    Mode,
    Skip,
    ScalarInput,
    Input,
    Input,
    Own,
    Own,
    Own,
    Peer,
    Reduction,
    OwnShare,
    OwnShare,
    PeerShare,
    Accumulate,
    Count,
    ToShare,
    Quiet,
];
const GLOBAL: &[WaveKind] = &[
    Scalar,
    Vector,
    Input,
    Own,
    Own,
    Own,
    Own,
    Own,
    Peer,
    Peer,
    Reduction,
    ScalarInput,
    ToShare,
    Quiet,
];
const SHARE: &[WaveKind] = &[
    Vector,
    OwnShare,
    OwnShare,
    OwnShare,
    OwnShare,
    PeerShare,
    PeerShare,
    Accumulate,
    Count,
    ToShare,
    Lanes,
    ScalarInput,
];
const COMPUTE: &[WaveKind] =
    &[Scalar, Scalar, Vector, Vector, Vector, Double, Double, Carry, Divide, Lanes, Relative, Mode];

/// The statements of a kernel.
pub(crate) fn body(rng: &mut Rng, size: u32) -> Vec<Node> {
    let theme = rng.pick(&[EVERYTHING, EVERYTHING, EVERYTHING, GLOBAL, GLOBAL, SHARE, COMPUTE]);
    let mut budget = Budget { statements: size, work: 40 + 5 * size, theme };
    let place = Surroundings {
        together: true,
        depth: 0,
        scalar_loops: 0,
        vector_loops: 0,
        forked: false,
        times: 1,
        calls: true,
    };
    std::iter::from_fn(|| statement(rng, &mut budget, place)).collect()
}

/// The statements of a function: no constructs, so that registers of those
/// around the call stay as they are.
pub(crate) fn function(rng: &mut Rng) -> Vec<Node> {
    let mut budget = Budget { statements: 1 + rng.below(5), work: 40, theme: EVERYTHING };
    let place = Surroundings {
        together: false,
        depth: DEPTH,
        scalar_loops: SCALAR_LOOPS,
        vector_loops: VECTOR_LOOPS,
        forked: true,
        times: 1,
        calls: false,
    };
    std::iter::from_fn(|| statement(rng, &mut budget, place)).collect()
}

fn arm(rng: &mut Rng, budget: &mut Budget, place: Surroundings) -> Vec<Node> {
    let most = 1 + rng.below(4);
    (0..most).map_while(|_| statement(rng, budget, place)).collect()
}

fn statement(rng: &mut Rng, budget: &mut Budget, place: Surroundings) -> Option<Node> {
    if !budget.spend(place.times) {
        return None;
    }
    let nesting = u32::from(place.depth) + u32::from(place.scalar_loops);
    let deeper = place.depth < DEPTH;
    let kind = match rng.below(100 + 60 * nesting) {
        0..10 if deeper => If,
        10..14 => Branch,
        14..18 if deeper => Exec,
        18..20 if deeper && !place.forked => Fork,
        20..24 if place.scalar_loops < SCALAR_LOOPS => Repeat,
        24..28 if deeper && place.vector_loops < VECTOR_LOOPS => Loop,
        28..31 if place.calls => Call,
        31..43 if place.together => Barrier,
        43..46 if place.together => Gather,
        _ => rng.pick(budget.theme),
    };
    let kind = if kind == Branch && !place.calls { Scalar } else { kind };
    let mut node = Node::new(rng, kind);
    let inside = Surroundings { together: false, ..place };
    let masked = Surroundings { depth: place.depth + 1, ..inside };
    node.arms = match kind {
        If => {
            let arms = 1 + rng.below(3).min(1);
            (0..arms).map(|_| arm(rng, budget, masked)).collect()
        }
        Branch => {
            let arms = 1 + rng.below(2);
            (0..arms).map(|_| arm(rng, budget, inside)).collect()
        }
        Exec => vec![arm(rng, budget, Surroundings { together: place.together, ..masked })],
        Fork => {
            let place = Surroundings { forked: true, ..masked };
            vec![arm(rng, budget, place), arm(rng, budget, place)]
        }
        Repeat => {
            let place = Surroundings {
                scalar_loops: place.scalar_loops + 1,
                times: place.times.saturating_mul(TRIPS),
                ..place
            };
            vec![arm(rng, budget, place)]
        }
        Loop => {
            let place = Surroundings {
                vector_loops: place.vector_loops + 1,
                times: place.times.saturating_mul(TRIPS),
                ..masked
            };
            vec![arm(rng, budget, place)]
        }
        _ => Vec::new(),
    };
    Some(node)
}
