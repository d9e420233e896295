//! A combinational circuit of two-input gates, in an order in which every gate
//! comes after those it reads.

/// What a gate computes. A primitive: its inside has no faults of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A primary input.
    Input,
    /// `!a`.
    Not,
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// `a ^ b`.
    Xor,
    /// `!(a & b)`.
    Nand,
    /// `!(a | b)`.
    Nor,
    /// `!(a ^ b)`.
    Xnor,
}

impl Kind {
    /// How many pins it reads.
    pub fn pins(self) -> usize {
        match self {
            Kind::Input => 0,
            Kind::Not => 1,
            Kind::And | Kind::Or | Kind::Xor | Kind::Nand | Kind::Nor | Kind::Xnor => 2,
        }
    }

    /// Sixty-four evaluations at once. An input has no function: 0.
    ///
    /// Without branches: which gate comes next is no pattern that a processor
    /// could learn.
    #[inline(always)]
    pub fn eval(self, a: u64, b: u64) -> u64 {
        let [both, unlike, first, inverted] = FORMS[self as usize];
        (a & b & both) ^ ((a ^ b) & unlike) ^ (a & first) ^ inverted
    }

    /// The value of a pin that alone decides the output, and that output.
    pub fn controlling(self) -> Option<(bool, bool)> {
        match self {
            Kind::And => Some((false, false)),
            Kind::Nand => Some((false, true)),
            Kind::Or => Some((true, true)),
            Kind::Nor => Some((true, false)),
            Kind::Input | Kind::Not | Kind::Xor | Kind::Xnor => None,
        }
    }
}

/// Each kind as an exclusive or of `a & b`, `a ^ b`, `a` and 1, in its order.
const FORMS: [[u64; 4]; 8] = {
    const N: u64 = 0;
    const Y: u64 = !0;
    [
        [N, N, N, N],
        [N, N, Y, Y],
        [Y, N, N, N],
        [Y, Y, N, N],
        [N, Y, N, N],
        [Y, N, N, Y],
        [Y, Y, N, Y],
        [N, Y, N, Y],
    ]
};

/// A gate and the gates whose outputs it reads; unused pins repeat the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gate {
    /// What it computes.
    pub kind: Kind,
    /// The gates at its pins.
    pub from: [u32; 2],
}

/// A named group of bits at the edge of the circuit, lowest bit first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name, such as `a` or `sum`.
    pub name: &'static str,
    /// The gates that are its bits.
    pub bits: Vec<u32>,
}

/// The operands of one evaluation: one word per input port.
pub type Operands = [u32; 4];

/// A circuit.
#[derive(Clone, Debug)]
pub struct Netlist {
    gates: Vec<Gate>,
    regions: Vec<&'static str>,
    inputs: Vec<Port>,
    outputs: Vec<Port>,
    /// Readers of gate `g`: `readers[first[g]..first[g + 1]]`.
    first: Vec<u32>,
    readers: Vec<u32>,
    observed: Vec<bool>,
}

impl Netlist {
    /// A circuit of gates that are already in order.
    pub(crate) fn new(
        gates: Vec<Gate>,
        regions: Vec<&'static str>,
        inputs: Vec<Port>,
        outputs: Vec<Port>,
    ) -> Netlist {
        let mut first = vec![0u32; gates.len() + 1];
        let pins = |g: &Gate| g.from.into_iter().take(g.kind.pins());
        for from in gates.iter().flat_map(pins) {
            first[from as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut next = first.clone();
        let mut readers = vec![0u32; first[gates.len()] as usize];
        for (i, gate) in gates.iter().enumerate() {
            for from in pins(gate) {
                readers[next[from as usize] as usize] = i as u32;
                next[from as usize] += 1;
            }
        }
        let mut observed = vec![false; gates.len()];
        for &bit in outputs.iter().flat_map(|p| &p.bits) {
            observed[bit as usize] = true;
        }
        Netlist { gates, regions, inputs, outputs, first, readers, observed }
    }

    /// All gates, inputs among them, each after those it reads.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The part of the unit that a gate belongs to.
    pub fn region(&self, gate: u32) -> &'static str {
        self.regions[gate as usize]
    }

    /// Groups of inputs: operand `i` of a pattern drives group `i`.
    pub fn inputs(&self) -> &[Port] {
        &self.inputs
    }

    /// Groups of outputs.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// The gates that read `gate`, once per pin.
    pub fn readers(&self, gate: u32) -> &[u32] {
        let at = |g: usize| self.first[g] as usize;
        &self.readers[at(gate as usize)..at(gate as usize + 1)]
    }

    /// Whether a gate's output is an output of the circuit.
    pub fn is_output(&self, gate: u32) -> bool {
        self.observed[gate as usize]
    }

    /// Gates that compute: all but the inputs.
    pub fn logic_gates(&self) -> usize {
        self.gates.iter().filter(|g| g.kind != Kind::Input).count()
    }

    /// The longest way from an input to an output, in gates.
    pub fn depth(&self) -> usize {
        let mut level = vec![0usize; self.gates.len()];
        for (i, gate) in self.gates.iter().enumerate() {
            let pins = &gate.from[..gate.kind.pins()];
            level[i] = pins.iter().map(|&f| level[f as usize] + 1).max().unwrap_or(0);
        }
        level.into_iter().max().unwrap_or(0)
    }

    /// Sets the input words of up to 64 patterns; patterns that are not there
    /// repeat the first.
    pub fn drive(&self, patterns: &[Operands], values: &mut [u64]) {
        for (word, port) in self.inputs.iter().enumerate() {
            for (bit, &gate) in port.bits.iter().enumerate() {
                let at = |p: &Operands| u64::from(p[word] >> bit & 1);
                let rest = patterns.first().map_or(0, at);
                let missing = !0u64 << (patterns.len().clamp(1, 64) - 1) << 1;
                let mut value = if rest == 1 { missing } else { 0 };
                for (i, p) in patterns.iter().take(64).enumerate() {
                    value |= at(p) << i;
                }
                values[gate as usize] = value;
            }
        }
    }

    /// Computes every gate from the inputs' values.
    pub fn settle(&self, values: &mut [u64]) {
        for (i, gate) in self.gates.iter().enumerate() {
            if gate.kind != Kind::Input {
                let [a, b] = gate.from.map(|f| values[f as usize]);
                values[i] = gate.kind.eval(a, b);
            }
        }
    }

    /// Output `port` of pattern `slot` as a number.
    pub fn output(&self, values: &[u64], port: usize, slot: usize) -> u64 {
        let bits = self.outputs[port].bits.iter().enumerate();
        bits.fold(0, |sum, (i, &g)| sum | (values[g as usize] >> slot & 1) << i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_compute_what_their_names_say() {
        let (a, b) = (0b0011, 0b0101);
        let table = [
            (Kind::Input, 0),
            (Kind::Not, 0b1100),
            (Kind::And, 0b0001),
            (Kind::Or, 0b0111),
            (Kind::Xor, 0b0110),
            (Kind::Nand, 0b1110),
            (Kind::Nor, 0b1000),
            (Kind::Xnor, 0b1001),
        ];
        for (kind, expected) in table {
            assert_eq!(kind.eval(a, b) & 0b1111, expected, "{kind:?}");
            if let Some((value, forced)) = kind.controlling() {
                let [value, forced] = [value, forced].map(|x| if x { !0 } else { 0 });
                assert_eq!([kind.eval(value, b), kind.eval(b, value)], [forced; 2], "{kind:?}");
            }
        }
    }
}
