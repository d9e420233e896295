//! Building a circuit: constants are folded away and equal gates are shared, so
//! that what is left has no fault that only clumsy drawing made untestable.

use std::collections::HashMap;

use crate::netlist::{Gate, Kind, Netlist, Port};

/// The output of a gate, or a constant, while a circuit is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Net(u32);

/// The constant 0.
pub const ZERO: Net = Net(0);
/// The constant 1.
pub const ONE: Net = Net(1);

/// A circuit under construction. The first two gates stand for the constants.
pub struct Builder {
    gates: Vec<Gate>,
    regions: Vec<&'static str>,
    region: &'static str,
    /// Looked up, never walked: its order cannot matter.
    known: HashMap<Gate, Net>,
    inputs: Vec<Port>,
}

impl Default for Builder {
    fn default() -> Builder {
        let constant = Gate { kind: Kind::Input, from: [0, 0] };
        Builder {
            gates: vec![constant, constant],
            regions: vec!["", ""],
            region: "",
            known: HashMap::new(),
            inputs: Vec::new(),
        }
    }
}

impl Builder {
    /// Gates from here on belong to this part of the unit.
    pub fn region(&mut self, name: &'static str) {
        self.region = name;
    }

    /// A group of input bits, lowest first.
    pub fn input(&mut self, name: &'static str, width: usize) -> Vec<Net> {
        let first = self.gates.len() as u32;
        self.gates.extend((0..width).map(|_| Gate { kind: Kind::Input, from: [0, 0] }));
        self.regions.resize(self.gates.len(), "operands");
        let bits: Vec<u32> = (first..first + width as u32).collect();
        self.inputs.push(Port { name, bits: bits.clone() });
        bits.into_iter().map(Net).collect()
    }

    fn gate(&mut self, kind: Kind, a: Net, b: Net) -> Net {
        let gate = Gate { kind, from: [a.min(b).0, a.max(b).0] };
        if let Some(&net) = self.known.get(&gate) {
            return net;
        }
        let net = Net(self.gates.len() as u32);
        self.gates.push(gate);
        self.regions.push(self.region);
        self.known.insert(gate, net);
        net
    }

    /// Whether one is the inverter of the other.
    fn opposite(&self, a: Net, b: Net) -> bool {
        let inverts =
            |x: Net, y: Net| self.gates[x.0 as usize] == Gate { kind: Kind::Not, from: [y.0; 2] };
        inverts(a, b) || inverts(b, a)
    }

    /// `!a`.
    pub fn not(&mut self, a: Net) -> Net {
        match a {
            ZERO => ONE,
            ONE => ZERO,
            _ if self.gates[a.0 as usize].kind == Kind::Not => {
                Net(self.gates[a.0 as usize].from[0])
            }
            _ => self.gate(Kind::Not, a, a),
        }
    }

    /// `a & b`.
    pub fn and(&mut self, a: Net, b: Net) -> Net {
        match (a, b) {
            (ZERO, _) | (_, ZERO) => ZERO,
            (ONE, x) | (x, ONE) => x,
            _ if a == b => a,
            _ if self.opposite(a, b) => ZERO,
            _ => self.gate(Kind::And, a, b),
        }
    }

    /// `a | b`.
    pub fn or(&mut self, a: Net, b: Net) -> Net {
        match (a, b) {
            (ONE, _) | (_, ONE) => ONE,
            (ZERO, x) | (x, ZERO) => x,
            _ if a == b => a,
            _ if self.opposite(a, b) => ONE,
            _ => self.gate(Kind::Or, a, b),
        }
    }

    /// `a ^ b`.
    pub fn xor(&mut self, a: Net, b: Net) -> Net {
        match (a, b) {
            (ZERO, x) | (x, ZERO) => x,
            (ONE, x) | (x, ONE) => self.not(x),
            _ if a == b => ZERO,
            _ if self.opposite(a, b) => ONE,
            _ => self.gate(Kind::Xor, a, b),
        }
    }

    /// `!(a | b)`, one gate.
    pub fn nor(&mut self, a: Net, b: Net) -> Net {
        match (a, b) {
            (ZERO | ONE, _) | (_, ZERO | ONE) => {
                let either = self.or(a, b);
                self.not(either)
            }
            _ if a == b => self.not(a),
            _ => self.gate(Kind::Nor, a, b),
        }
    }

    /// `if select { one } else { zero }`: two ANDs, an OR and an inverter.
    pub fn mux(&mut self, select: Net, one: Net, zero: Net) -> Net {
        if one == zero {
            return one;
        }
        let inverted = self.not(select);
        let (x, y) = (self.and(select, one), self.and(inverted, zero));
        self.or(x, y)
    }

    /// The circuit of the gates that some output needs.
    pub fn finish(self, outputs: Vec<(&'static str, Vec<Net>)>) -> Netlist {
        let mut needed = vec![false; self.gates.len()];
        for net in outputs.iter().flat_map(|(_, bits)| bits) {
            assert!(net.0 > 1, "an output of the circuit is a constant");
            needed[net.0 as usize] = true;
        }
        for &bit in self.inputs.iter().flat_map(|p| &p.bits) {
            needed[bit as usize] = true;
        }
        for i in (0..self.gates.len()).rev() {
            let gate = self.gates[i];
            if needed[i] {
                for &from in &gate.from[..gate.kind.pins()] {
                    needed[from as usize] = true;
                }
            }
        }
        let mut place = vec![u32::MAX; self.gates.len()];
        let mut gates = Vec::new();
        let mut regions = Vec::new();
        for (i, gate) in self.gates.iter().enumerate().filter(|&(i, _)| needed[i]) {
            place[i] = gates.len() as u32;
            let from = match gate.kind {
                Kind::Input => [0, 0],
                _ => gate.from.map(|f| place[f as usize]),
            };
            gates.push(Gate { kind: gate.kind, from });
            regions.push(self.regions[i]);
        }
        let inputs = self.inputs.into_iter().map(|p| Port {
            name: p.name,
            bits: p.bits.into_iter().map(|b| place[b as usize]).collect(),
        });
        let outputs = outputs.into_iter().map(|(name, bits)| Port {
            name,
            bits: bits.into_iter().map(|b| place[b.0 as usize]).collect(),
        });
        Netlist::new(gates, regions, inputs.collect(), outputs.collect())
    }
}
