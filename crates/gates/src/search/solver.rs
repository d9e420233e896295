//! A small solver of Boolean clauses: conflict-driven learning, two watched
//! literals, activities, saved phases, Luby restarts (Marques-Silva and Sakallah
//! 1996; Moskewicz and others 2001).

/// A variable or its negation: `2 * variable + negated`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(u32);

impl Literal {
    /// The literal that is true when `variable` has this value.
    pub fn new(variable: u32, value: bool) -> Literal {
        Literal(variable * 2 + u32::from(!value))
    }

    fn variable(self) -> usize {
        self.0 as usize / 2
    }

    fn negated(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Values that satisfy all clauses: see [`Solver::value`].
    Satisfied,
    /// There are none: a proof.
    Impossible,
    /// Not known within the conflicts allowed.
    Unknown,
}

const NO_REASON: u32 = u32::MAX;

/// Clauses and a search for values that satisfy them.
#[derive(Default)]
pub struct Solver {
    clauses: Vec<Vec<Literal>>,
    /// Clauses that watch a literal, by the literal's number.
    watches: Vec<Vec<u32>>,
    /// 0 unknown, 1 true, 2 false, by literal.
    values: Vec<u8>,
    phase: Vec<bool>,
    level: Vec<u32>,
    reason: Vec<u32>,
    activity: Vec<f64>,
    step: f64,
    /// A heap of variables by activity, and where each is in it.
    heap: Vec<u32>,
    place: Vec<u32>,
    trail: Vec<Literal>,
    /// Where each level of decisions begins in the trail.
    starts: Vec<usize>,
    next: usize,
    contradiction: bool,
    seen: Vec<bool>,
}

impl Solver {
    /// A new variable, which the search first tries as `phase`.
    pub fn variable(&mut self, phase: bool) -> u32 {
        let v = self.phase.len() as u32;
        self.phase.push(phase);
        self.values.extend([0, 0]);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.level.push(0);
        self.reason.push(NO_REASON);
        self.activity.push(0.0);
        self.seen.push(false);
        self.place.push(u32::MAX);
        self.enter(v);
        v
    }

    /// The value of a variable after [`Answer::Satisfied`].
    pub fn value(&self, variable: u32) -> bool {
        self.values[variable as usize * 2] == 1
    }

    /// One of the literals must be true.
    pub fn clause(&mut self, literals: &[Literal]) {
        let mut kept: Vec<Literal> = literals.to_vec();
        kept.sort();
        kept.dedup();
        let certain = kept.iter().any(|&l| self.values[l.0 as usize] == 1);
        if certain || kept.windows(2).any(|w| w[0].negated() == w[1]) {
            return;
        }
        kept.retain(|l| self.values[l.0 as usize] == 0);
        match kept[..] {
            [] => self.contradiction = true,
            [only] => self.assign(only, NO_REASON),
            _ => {
                self.attach(kept);
            }
        }
    }

    fn attach(&mut self, literals: Vec<Literal>) -> u32 {
        let at = self.clauses.len() as u32;
        self.watches[literals[0].0 as usize].push(at);
        self.watches[literals[1].0 as usize].push(at);
        self.clauses.push(literals);
        at
    }

    fn assign(&mut self, literal: Literal, reason: u32) {
        let v = literal.variable();
        self.values[literal.0 as usize] = 1;
        self.values[literal.negated().0 as usize] = 2;
        self.level[v] = self.starts.len() as u32;
        self.reason[v] = reason;
        self.trail.push(literal);
    }

    /// Follows all consequences; the clause that cannot hold, if any.
    fn propagate(&mut self) -> Option<u32> {
        while self.next < self.trail.len() {
            let false_now = self.trail[self.next].negated();
            self.next += 1;
            let mut watching = std::mem::take(&mut self.watches[false_now.0 as usize]);
            let mut kept = 0;
            let mut i = 0;
            let mut conflict = None;
            'clauses: while i < watching.len() {
                let at = watching[i];
                i += 1;
                let clause = &mut self.clauses[at as usize];
                if clause[0] == false_now {
                    clause.swap(0, 1);
                }
                let other = clause[0];
                if self.values[other.0 as usize] != 1 {
                    for k in 2..clause.len() {
                        if self.values[clause[k].0 as usize] != 2 {
                            clause.swap(1, k);
                            let now = clause[1];
                            self.watches[now.0 as usize].push(at);
                            continue 'clauses;
                        }
                    }
                }
                watching[kept] = at;
                kept += 1;
                match self.values[other.0 as usize] {
                    1 => {}
                    2 => {
                        conflict = Some(at);
                        watching.copy_within(i.., kept);
                        kept += watching.len() - i;
                        break;
                    }
                    _ => self.assign(other, at),
                }
            }
            watching.truncate(kept);
            self.watches[false_now.0 as usize] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// What a conflict teaches (first literal: what becomes true), and the level
    /// to go back to.
    fn learn(&mut self, conflict: u32) -> (Vec<Literal>, u32) {
        let now = self.starts.len() as u32;
        let mut lesson = vec![Literal(0)];
        let mut marked = Vec::new();
        let mut open = 0;
        let mut at = self.trail.len();
        let mut clause = conflict;
        let mut skip = None;
        loop {
            for k in 0..self.clauses[clause as usize].len() {
                let l = self.clauses[clause as usize][k];
                let v = l.variable();
                if Some(l) == skip || self.seen[v] || self.level[v] == 0 {
                    continue;
                }
                self.seen[v] = true;
                marked.push(v);
                self.raise(v);
                if self.level[v] == now {
                    open += 1;
                } else {
                    lesson.push(l);
                }
            }
            loop {
                at -= 1;
                if self.seen[self.trail[at].variable()] {
                    break;
                }
            }
            let l = self.trail[at];
            open -= 1;
            if open == 0 {
                lesson[0] = l.negated();
                break;
            }
            clause = self.reason[l.variable()];
            skip = Some(l);
        }
        // A literal that the others imply in one step says nothing.
        let kept: Vec<Literal> = lesson[1..]
            .iter()
            .copied()
            .filter(|l| match self.reason[l.variable()] {
                NO_REASON => true,
                reason => self.clauses[reason as usize].iter().any(|other| {
                    let v = other.variable();
                    v != l.variable() && !self.seen[v] && self.level[v] > 0
                }),
            })
            .collect();
        lesson.truncate(1);
        lesson.extend(kept);
        for v in marked {
            self.seen[v] = false;
        }
        let mut back = 0;
        for k in 1..lesson.len() {
            let level = self.level[lesson[k].variable()];
            if level > back {
                back = level;
                lesson.swap(1, k);
            }
        }
        (lesson, back)
    }

    fn back_to(&mut self, level: u32) {
        while self.starts.len() as u32 > level {
            let start = self.starts.pop().unwrap_or(0);
            for l in self.trail.split_off(start) {
                self.values[l.0 as usize] = 0;
                self.values[l.negated().0 as usize] = 0;
                self.phase[l.variable()] = l.0 & 1 == 0;
                self.enter(l.variable() as u32);
            }
            self.next = start;
        }
    }

    /// Searches, for at most `conflicts` conflicts.
    pub fn solve(&mut self, conflicts: u64) -> Answer {
        self.step = 1.0;
        if self.contradiction || self.propagate().is_some() {
            return Answer::Impossible;
        }
        let mut found = 0;
        for run in 1.. {
            let mut left = 100 * luby(run);
            loop {
                let Some(conflict) = self.propagate() else {
                    if left == 0 {
                        self.back_to(0);
                        break;
                    }
                    let Some(v) = self.most_active() else { return Answer::Satisfied };
                    self.starts.push(self.trail.len());
                    let phase = self.phase[v as usize];
                    self.assign(Literal::new(v, phase), NO_REASON);
                    continue;
                };
                if self.starts.is_empty() {
                    return Answer::Impossible;
                }
                found += 1;
                if found > conflicts {
                    return Answer::Unknown;
                }
                left = left.saturating_sub(1);
                let (lesson, back) = self.learn(conflict);
                self.back_to(back);
                self.step *= 1.05;
                let first = lesson[0];
                let reason = if lesson.len() == 1 { NO_REASON } else { self.attach(lesson) };
                self.assign(first, reason);
            }
        }
        Answer::Unknown
    }

    fn most_active(&mut self) -> Option<u32> {
        while let Some(&v) = self.heap.first() {
            let last = self.heap.pop().unwrap_or(v);
            self.place[v as usize] = u32::MAX;
            if last != v {
                self.heap[0] = last;
                self.place[last as usize] = 0;
                self.sink(0);
            }
            if self.values[v as usize * 2] == 0 {
                return Some(v);
            }
        }
        None
    }

    fn raise(&mut self, v: usize) {
        self.activity[v] += self.step;
        if self.activity[v] > 1e100 {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
            self.step *= 1e-100;
        }
        if self.place[v] != u32::MAX {
            self.rise(self.place[v] as usize);
        }
    }

    fn enter(&mut self, v: u32) {
        if self.place[v as usize] == u32::MAX {
            self.place[v as usize] = self.heap.len() as u32;
            self.heap.push(v);
            self.rise(self.heap.len() - 1);
        }
    }

    fn before(&self, x: u32, y: u32) -> bool {
        self.activity[x as usize] > self.activity[y as usize]
    }

    fn rise(&mut self, mut i: usize) {
        while i > 0 && self.before(self.heap[i], self.heap[(i - 1) / 2]) {
            self.exchange(i, (i - 1) / 2);
            i = (i - 1) / 2;
        }
    }

    fn sink(&mut self, mut i: usize) {
        loop {
            let child = |k: usize| self.heap.get(2 * i + k).copied();
            let Some(left) = child(1) else { return };
            let right = child(2).is_some_and(|right| self.before(right, left));
            let down = 2 * i + 1 + usize::from(right);
            if !self.before(self.heap[down], self.heap[i]) {
                return;
            }
            self.exchange(i, down);
            i = down;
        }
    }

    fn exchange(&mut self, i: usize, j: usize) {
        self.heap.swap(i, j);
        self.place[self.heap[i] as usize] = i as u32;
        self.place[self.heap[j] as usize] = j as u32;
    }
}

/// 1 1 2 1 1 2 4 1 1 2 …
fn luby(mut i: u64) -> u64 {
    loop {
        let bits = 64 - i.leading_zeros();
        if i + 1 == 1 << bits {
            return 1 << (bits - 1);
        }
        i -= (1 << (bits - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Random clauses of three literals, near the ratio where half of them can be
    /// satisfied: against all assignments.
    #[test]
    fn agrees_with_trying_everything() {
        let mut random = Random::new(5);
        let (mut yes, mut no) = (0, 0);
        for _ in 0..400 {
            let n = 4 + random.below(9);
            let clauses: Vec<Vec<(u32, bool)>> = (0..n * 43 / 10)
                .map(|_| (0..3).map(|_| (random.below(n), random.below(2) == 1)).collect())
                .collect();
            let holds = |bits: u32| {
                clauses.iter().all(|c| c.iter().any(|&(v, value)| (bits >> v & 1 == 1) == value))
            };
            let expected = (0..1u32 << n).any(holds);
            let mut solver = Solver::default();
            for _ in 0..n {
                solver.variable(false);
            }
            for clause in &clauses {
                let literals: Vec<Literal> =
                    clause.iter().map(|&(v, value)| Literal::new(v, value)).collect();
                solver.clause(&literals);
            }
            match solver.solve(u64::MAX) {
                Answer::Satisfied => {
                    let bits = (0..n).fold(0, |bits, v| bits | u32::from(solver.value(v)) << v);
                    assert!(holds(bits), "the values do not satisfy the clauses");
                    assert!(expected);
                    yes += 1;
                }
                Answer::Impossible => {
                    assert!(!expected);
                    no += 1;
                }
                Answer::Unknown => panic!("gave up without a limit"),
            }
        }
        assert!(yes > 50 && no > 50, "{yes} could be satisfied, {no} could not");
    }

    #[test]
    fn pigeons_do_not_fit() {
        let mut solver = Solver::default();
        let at: Vec<Vec<u32>> =
            (0..6).map(|_| (0..5).map(|_| solver.variable(true)).collect()).collect();
        for pigeon in &at {
            let somewhere: Vec<Literal> = pigeon.iter().map(|&v| Literal::new(v, true)).collect();
            solver.clause(&somewhere);
        }
        for hole in 0..5 {
            for p in 0..6 {
                for q in 0..p {
                    solver.clause(&[
                        Literal::new(at[p][hole], false),
                        Literal::new(at[q][hole], false),
                    ]);
                }
            }
        }
        assert_eq!(solver.solve(u64::MAX), Answer::Impossible);
    }

    #[test]
    fn restarts_follow_luby() {
        let first: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
