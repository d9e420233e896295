//! Fault simulation: 64 patterns at once, one fault after the other, and of each
//! fault only the gates whose value it changes.

use crate::fault::{Fault, Site};
use crate::netlist::{Netlist, Operands};

/// A simulator of one circuit.
pub struct Simulator<'a> {
    netlist: &'a Netlist,
    /// Values without a fault.
    good: Vec<u64>,
    /// Equal to `good` between calls.
    faulty: Vec<u64>,
    /// Gates to be computed again, a bit each: their numbers are their order.
    pending: Vec<u64>,
    changed: Vec<u32>,
    /// Outputs that the test looks at.
    looked_at: Vec<bool>,
    /// Patterns of the present block.
    slots: u64,
}

impl<'a> Simulator<'a> {
    /// A simulator whose tests look at all outputs.
    pub fn new(netlist: &'a Netlist) -> Simulator<'a> {
        let n = netlist.gates().len();
        Simulator {
            netlist,
            good: vec![0; n],
            faulty: vec![0; n],
            pending: vec![0; n.div_ceil(64)],
            changed: Vec::new(),
            looked_at: (0..n as u32).map(|g| netlist.is_output(g)).collect(),
            slots: 0,
        }
    }

    /// Tests look at the outputs of this port only.
    pub fn look_at(&mut self, port: usize) {
        self.looked_at.fill(false);
        for &bit in &self.netlist.outputs()[port].bits {
            self.looked_at[bit as usize] = true;
        }
    }

    /// Takes up to 64 patterns.
    pub fn load(&mut self, patterns: &[Operands]) {
        let n = patterns.len().min(64);
        self.slots = if n == 0 { 0 } else { !0 >> (64 - n) };
        self.netlist.drive(patterns, &mut self.good);
        self.netlist.settle(&mut self.good);
        self.faulty.copy_from_slice(&self.good);
    }

    /// Which of the patterns show the fault at an output.
    pub fn detects(&mut self, fault: Fault) -> u64 {
        let stuck = if fault.stuck { !0 } else { 0 };
        let (start, value) = match fault.site {
            Site::Output(g) => (g, stuck),
            Site::Pin(g, pin) => {
                let gate = self.netlist.gates()[g as usize];
                let mut pins = gate.from.map(|f| self.good[f as usize]);
                pins[usize::from(pin)] = stuck;
                (g, gate.kind.eval(pins[0], pins[1]))
            }
        };
        let mut seen = self.change(start, value);
        let mut word = start as usize / 64;
        while word < self.pending.len() {
            let Some(bit) = (self.pending[word] != 0).then(|| self.pending[word].trailing_zeros())
            else {
                word += 1;
                continue;
            };
            self.pending[word] &= self.pending[word] - 1;
            let g = word as u32 * 64 + bit;
            let gate = self.netlist.gates()[g as usize];
            let [a, b] = gate.from.map(|f| self.faulty[f as usize]);
            seen |= self.change(g, gate.kind.eval(a, b));
        }
        for g in self.changed.drain(..) {
            self.faulty[g as usize] = self.good[g as usize];
        }
        seen & self.slots
    }

    /// Sets a gate's value under the fault; what an output shows of it.
    fn change(&mut self, g: u32, value: u64) -> u64 {
        let difference = (value ^ self.good[g as usize]) & self.slots;
        if difference == 0 {
            return 0;
        }
        self.faulty[g as usize] = value;
        self.changed.push(g);
        for &reader in self.netlist.readers(g) {
            self.pending[reader as usize / 64] |= 1 << (reader % 64);
        }
        if self.looked_at[g as usize] { difference } else { 0 }
    }
}

/// The faults that a set of patterns does not show, each fault dropped once it
/// is seen.
pub fn undetected(
    simulator: &mut Simulator<'_>,
    patterns: &[Operands],
    faults: &[Fault],
) -> Vec<Fault> {
    let mut left = faults.to_vec();
    for block in patterns.chunks(64) {
        simulator.load(block);
        left.retain(|&f| simulator.detects(f) == 0);
    }
    left
}
