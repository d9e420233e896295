//! Trees of statements, and making a failing program small by dropping some.

use crate::Rng;
use crate::rng::mix;

/// A statement of some kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<K> {
    /// What it does.
    pub kind: K,
    /// Its details are drawn from this.
    pub key: u64,
    /// Statements inside it.
    pub arms: Vec<Vec<Node<K>>>,
}

impl<K> Node<K> {
    pub(crate) fn new(rng: &mut Rng, kind: K) -> Node<K> {
        Node { kind, key: mix(rng.u64()), arms: Vec::new() }
    }
}

/// Number of statements in a list, nested ones included.
pub(crate) fn count<K>(list: &[Node<K>]) -> usize {
    list.iter().map(|n| 1 + n.arms.iter().map(|a| count(a)).sum::<usize>()).sum()
}

/// A program that can be made smaller.
pub trait Shrinks: Clone + PartialEq {
    /// Kinds of its statements.
    type Kind: Clone;

    /// Its lists of statements, body and functions.
    fn lists(&mut self) -> Vec<&mut Vec<Node<Self::Kind>>>;

    /// Settings of the chip that it runs on.
    fn settings(&mut self) -> &mut Vec<String>;

    /// Programs with a smaller shape.
    fn smaller(&self) -> Vec<Self>;
}

/// Drops what is not needed for `fails` to hold: statements, the constructs
/// around statements, parts of the shape, settings of the chip. `program`
/// itself must fail.
pub fn shrink<P: Shrinks>(program: &P, mut fails: impl FnMut(&P) -> bool) -> P {
    let mut best = program.clone();
    loop {
        let before = best.clone();
        shapes(&mut best, &mut fails);
        for list in 0..best.lists().len() {
            let mut path = Vec::new();
            lists(&mut best, list, &mut path, &mut fails);
        }
        if best == before {
            return best;
        }
    }
}

fn shapes<P: Shrinks>(best: &mut P, fails: &mut impl FnMut(&P) -> bool) {
    let mut i = 0;
    while i < best.settings().len() {
        let mut candidate = best.clone();
        candidate.settings().remove(i);
        if fails(&candidate) {
            *best = candidate;
        } else {
            i += 1;
        }
    }
    // Each step starts from what the steps before it have left.
    for step in 0..best.smaller().len() {
        let Some(candidate) = best.smaller().into_iter().nth(step) else { return };
        if candidate != *best && fails(&candidate) {
            *best = candidate;
        }
    }
}

/// The list of statements that `path` (node, arm, node, arm, …) leads to, in
/// the body or a function.
fn at<'a, P: Shrinks>(
    p: &'a mut P,
    list: usize,
    path: &[(usize, usize)],
) -> Option<&'a mut Vec<Node<P::Kind>>> {
    let mut nodes = p.lists().into_iter().nth(list)?;
    for &(node, arm) in path {
        nodes = nodes.get_mut(node)?.arms.get_mut(arm)?;
    }
    Some(nodes)
}

fn lists<P: Shrinks>(
    best: &mut P,
    list: usize,
    path: &mut Vec<(usize, usize)>,
    fails: &mut impl FnMut(&P) -> bool,
) {
    // Long stretches first, then single statements.
    let mut stretch = at(best, list, path).map_or(0, |l| l.len());
    while stretch > 0 {
        let mut start = 0;
        while start < at(best, list, path).map_or(0, |l| l.len()) {
            let mut candidate = best.clone();
            if let Some(nodes) = at(&mut candidate, list, path) {
                let end = (start + stretch).min(nodes.len());
                nodes.drain(start..end);
            }
            if fails(&candidate) {
                *best = candidate;
            } else {
                start += stretch;
            }
        }
        stretch /= 2;
    }
    let mut node = 0;
    while node < at(best, list, path).map_or(0, |l| l.len()) {
        if !hoist(best, list, path, node, fails) {
            let arms = at(best, list, path).map_or(0, |l| l[node].arms.len());
            for arm in 0..arms {
                path.push((node, arm));
                lists(best, list, path, fails);
                path.pop();
            }
        }
        node += 1;
    }
}

/// Puts the statements of an arm in the place of the construct around them.
fn hoist<P: Shrinks>(
    best: &mut P,
    list: usize,
    path: &[(usize, usize)],
    node: usize,
    fails: &mut impl FnMut(&P) -> bool,
) -> bool {
    let arms = at(best, list, path).map_or(0, |l| l[node].arms.len());
    for arm in 0..arms {
        let mut candidate = best.clone();
        if let Some(nodes) = at(&mut candidate, list, path) {
            let inside = std::mem::take(&mut nodes[node].arms[arm]);
            nodes.splice(node..=node, inside);
        }
        if fails(&candidate) {
            *best = candidate;
            return true;
        }
    }
    false
}
