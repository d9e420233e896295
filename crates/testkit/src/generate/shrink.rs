//! Making a failing program small.

use super::{Node, Program};

/// Drops what is not needed for `fails` to hold: statements, the constructs
/// around statements, launches, CTAs, threads, settings of the chip. `program` itself must fail.
pub fn shrink(program: &Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let before = best.clone();
        shapes(&mut best, &mut fails);
        for list in 0..=best.functions.len() {
            let mut path = Vec::new();
            lists(&mut best, list, &mut path, &mut fails);
        }
        if best == before {
            return best;
        }
    }
}

fn shapes(best: &mut Program, fails: &mut impl FnMut(&Program) -> bool) {
    let smaller = [
        |p: &mut Program| p.shape.launches = 1,
        |p: &mut Program| p.shape.grid = [1; 3],
        |p: &mut Program| p.shape.grid = [p.shape.ctas().div_ceil(2), 1, 1],
        |p: &mut Program| p.shape.block = [1; 3],
        |p: &mut Program| p.shape.block = [p.shape.threads().min(32), 1, 1],
        |p: &mut Program| p.shape.block = [p.shape.threads().div_ceil(2), 1, 1],
        |p: &mut Program| p.shape.pool = 4,
        |p: &mut Program| p.shape.idle_shared = 0,
        |p: &mut Program| p.shape.tight = false,
    ];
    let mut i = 0;
    while i < best.shape.settings.len() {
        let mut candidate = best.clone();
        candidate.shape.settings.remove(i);
        if fails(&candidate) {
            *best = candidate;
        } else {
            i += 1;
        }
    }
    for change in smaller {
        let mut candidate = best.clone();
        change(&mut candidate);
        if candidate != *best && fails(&candidate) {
            *best = candidate;
        }
    }
}

/// The list of statements that `path` (node, arm, node, arm, …) leads to, in
/// the body or a function.
fn at<'a>(p: &'a mut Program, list: usize, path: &[(usize, usize)]) -> Option<&'a mut Vec<Node>> {
    let mut nodes = match list.checked_sub(1) {
        None => &mut p.body,
        Some(f) => p.functions.get_mut(f)?,
    };
    for &(node, arm) in path {
        nodes = nodes.get_mut(node)?.arms.get_mut(arm)?;
    }
    Some(nodes)
}

fn lists(
    best: &mut Program,
    list: usize,
    path: &mut Vec<(usize, usize)>,
    fails: &mut impl FnMut(&Program) -> bool,
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
fn hoist(
    best: &mut Program,
    list: usize,
    path: &[(usize, usize)],
    node: usize,
    fails: &mut impl FnMut(&Program) -> bool,
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
