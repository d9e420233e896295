//! Many faults at once through a chain of dependent operations: bit `i` of every
//! value belongs to a machine of its own, with its own fault and its own running
//! sum. Machine 0 has none.

use crate::fault::{Fault, Site};
use crate::netlist::{Kind, Netlist};

/// Up to 63 faulty multiply-add units and a good one, side by side.
pub struct Chains<'a> {
    netlist: &'a Netlist,
    values: Vec<u64>,
    /// Faults by gate: the line, the machine's bit, the value.
    faults: Vec<(Fault, u64)>,
}

impl<'a> Chains<'a> {
    /// Machines for these faults, the first of them in machine 1.
    pub fn new(netlist: &'a Netlist, faults: &[Fault]) -> Chains<'a> {
        let mut faults: Vec<(Fault, u64)> =
            faults.iter().enumerate().map(|(i, &f)| (f, 2u64 << i)).collect();
        faults.sort_by_key(|(f, _)| f.gate());
        Chains { netlist, values: vec![0; netlist.gates().len()], faults }
    }

    /// Running sums of all machines begin at zero.
    pub fn clear(&mut self) {
        for &bit in &self.netlist.inputs()[2].bits {
            self.values[bit as usize] = 0;
        }
    }

    /// `sum = a * b + sum` in every machine.
    pub fn step(&mut self, a: u32, b: u32) {
        for (port, word) in self.netlist.inputs().iter().zip([a, b]) {
            for (i, &bit) in port.bits.iter().enumerate() {
                self.values[bit as usize] = if word >> i & 1 == 1 { !0 } else { 0 };
            }
        }
        let gates = self.netlist.gates();
        let mut done = 0;
        let mut next = 0;
        while let Some(&(fault, _)) = self.faults.get(next) {
            let g = fault.gate();
            self.settle(done, g as usize);
            let first = next;
            while self.faults.get(next).is_some_and(|(f, _)| f.gate() == g) {
                next += 1;
            }
            let force = |word: u64, site: Site| {
                let here = self.faults[first..next].iter().filter(|(f, _)| f.site == site);
                here.fold(word, |word, &(f, bit)| if f.stuck { word | bit } else { word & !bit })
            };
            let gate = gates[g as usize];
            let [x, y] = gate.from.map(|f| self.values[f as usize]);
            let value = match gate.kind {
                Kind::Input => self.values[g as usize],
                kind => kind.eval(force(x, Site::Pin(g, 0)), force(y, Site::Pin(g, 1))),
            };
            self.values[g as usize] = force(value, Site::Output(g));
            done = g as usize + 1;
        }
        self.settle(done, gates.len());
        let (sum, result) = (&self.netlist.inputs()[2], &self.netlist.outputs()[0]);
        for (&to, &from) in sum.bits.iter().zip(&result.bits) {
            self.values[to as usize] = self.values[from as usize];
        }
    }

    /// Computes gates that have no fault.
    fn settle(&mut self, from: usize, to: usize) {
        for (i, gate) in self.netlist.gates()[from..to].iter().enumerate() {
            if gate.kind != Kind::Input {
                let [x, y] = gate.from.map(|f| self.values[f as usize]);
                self.values[from + i] = gate.kind.eval(x, y);
            }
        }
    }

    /// The running sum of a machine.
    pub fn sum(&self, machine: usize) -> f32 {
        f32::from_bits(self.netlist.output(&self.values, 0, machine) as u32)
    }
}
