//! Is there a pattern that shows a fault? Asked as clauses: the circuit without
//! the fault, those gates again that the fault can reach, and a path along which
//! the two differ up to an output (Larrabee 1992; Stephan, Brayton and
//! Sangiovanni-Vincentelli 1996).

use crate::fault::{Fault, Site};
use crate::netlist::{Kind, Netlist, Operands};
use crate::random::Random;

use super::solver::{Answer, Literal, Solver};

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A pattern that shows the fault.
    Shown(Operands),
    /// No pattern does: proved.
    Untestable,
    /// Not known within the limit.
    Unknown,
}

/// Searches for a pattern, for at most `conflicts` conflicts.
pub fn search(netlist: &Netlist, fault: Fault, conflicts: u64, random: &mut Random) -> Verdict {
    let mut question = Question::new(netlist, random);
    if !question.ask(fault) {
        return Verdict::Untestable;
    }
    match question.solver.solve(conflicts) {
        Answer::Satisfied => Verdict::Shown(question.pattern()),
        Answer::Impossible => Verdict::Untestable,
        Answer::Unknown => Verdict::Unknown,
    }
}

struct Question<'a> {
    netlist: &'a Netlist,
    random: &'a mut Random,
    solver: Solver,
    /// Variables of the gates without and with the fault, and of "they differ
    /// here and an output shows it".
    good: Vec<Option<u32>>,
    bad: Vec<Option<u32>>,
    path: Vec<Option<u32>>,
}

impl<'a> Question<'a> {
    fn new(netlist: &'a Netlist, random: &'a mut Random) -> Question<'a> {
        let none = vec![None; netlist.gates().len()];
        let (good, bad, path) = (none.clone(), none.clone(), none);
        Question { netlist, random, solver: Solver::default(), good, bad, path }
    }

    /// Writes the clauses; false if no output can show the fault.
    fn ask(&mut self, fault: Fault) -> bool {
        let gates = self.netlist.gates();
        let (start, pin) = match fault.site {
            Site::Output(g) => (g as usize, None),
            Site::Pin(g, pin) => (g as usize, Some(usize::from(pin))),
        };
        // Gates that the fault reaches, and all that these depend on.
        let mut reached = vec![false; gates.len()];
        reached[start] = true;
        for (i, gate) in gates.iter().enumerate().skip(start + 1) {
            reached[i] = gate.from[..gate.kind.pins()].iter().any(|&f| reached[f as usize]);
        }
        let mut needed = reached.clone();
        for i in (0..gates.len()).rev().filter(|&i| gates[i].kind != Kind::Input) {
            if needed[i] {
                gates[i].from.iter().for_each(|&f| needed[f as usize] = true);
            }
        }
        for i in 0..gates.len() {
            if needed[i] {
                self.good[i] = Some(self.fresh());
                let from = gates[i].from.map(|f| self.good[f as usize]);
                self.function(gates[i].kind, self.good[i], from);
            }
        }
        for i in start..gates.len() {
            if reached[i] {
                self.bad[i] = Some(self.fresh());
                self.path[i] = Some(self.fresh());
            }
        }
        for i in start + 1..gates.len() {
            if reached[i] {
                let from = gates[i].from.map(|f| self.bad[f as usize].or(self.good[f as usize]));
                self.function(gates[i].kind, self.bad[i], from);
            }
        }
        // The line itself.
        let stuck = fault.stuck;
        match pin {
            None => self.unit(self.bad[start], stuck),
            Some(pin) => {
                let gate = gates[start];
                let line = self.fresh();
                self.unit(Some(line), stuck);
                let mut from = gate.from.map(|f| self.good[f as usize]);
                self.unit(from[pin], !stuck);
                from[pin] = Some(line);
                self.function(gate.kind, self.bad[start], from);
            }
        }
        for i in start..gates.len() {
            if reached[i] {
                self.follow(i);
            }
        }
        self.unit(self.path[start], true);
        (start..gates.len()).any(|i| reached[i] && self.netlist.is_output(i as u32))
    }

    fn fresh(&mut self) -> u32 {
        let phase = self.random.bits() >> 63 == 1;
        self.solver.variable(phase)
    }

    fn unit(&mut self, variable: Option<u32>, value: bool) {
        if let Some(v) = variable {
            self.solver.clause(&[Literal::new(v, value)]);
        }
    }

    /// A path at gate `i` means that its values differ, and that it goes on to a
    /// reader unless it ends at an output.
    fn follow(&mut self, i: usize) {
        let (Some(path), Some(good), Some(bad)) = (self.path[i], self.good[i], self.bad[i]) else {
            return;
        };
        let here = Literal::new(path, false);
        for value in [false, true] {
            self.solver.clause(&[here, Literal::new(good, value), Literal::new(bad, value)]);
        }
        if !self.netlist.is_output(i as u32) {
            let mut on = vec![here];
            for &reader in self.netlist.readers(i as u32) {
                on.extend(self.path[reader as usize].map(|p| Literal::new(p, true)));
            }
            self.solver.clause(&on);
        }
    }

    /// `out` is the gate's function of its pins.
    fn function(&mut self, kind: Kind, out: Option<u32>, from: [Option<u32>; 2]) {
        let (Some(out), [Some(a), Some(b)]) = (out, from) else { return };
        let l = Literal::new;
        match kind {
            Kind::Input => {}
            Kind::Not => {
                self.solver.clause(&[l(out, true), l(a, true)]);
                self.solver.clause(&[l(out, false), l(a, false)]);
            }
            Kind::And | Kind::Or | Kind::Nand | Kind::Nor => {
                let Some((value, forced)) = kind.controlling() else { return };
                for pin in [a, b] {
                    self.solver.clause(&[l(pin, !value), l(out, forced)]);
                }
                self.solver.clause(&[l(a, value), l(b, value), l(out, !forced)]);
            }
            Kind::Xor | Kind::Xnor => {
                let odd = kind == Kind::Xor;
                for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
                    let result = (x ^ y) == odd;
                    self.solver.clause(&[l(a, !x), l(b, !y), l(out, result)]);
                }
            }
        }
    }

    fn pattern(&mut self) -> Operands {
        let mut pattern = [0; 4];
        for (word, port) in pattern.iter_mut().zip(self.netlist.inputs()) {
            for (i, &bit) in port.bits.iter().enumerate() {
                let value = match self.good[bit as usize] {
                    Some(v) => self.solver.value(v),
                    None => self.random.bits() >> 63 == 1,
                };
                *word |= u32::from(value) << i;
            }
        }
        pattern
    }
}
