//! Stuck-at faults of a circuit, and which of them cannot be told apart.

use crate::netlist::{Kind, Netlist};

/// Where a fault sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Site {
    /// The output of a gate (or a primary input): all that read it see it.
    Output(u32),
    /// One pin of one gate: nobody else sees it.
    Pin(u32, u8),
}

/// A line that is always 0 or always 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fault {
    /// The line.
    pub site: Site,
    /// What it is stuck at.
    pub stuck: bool,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stuck = u8::from(self.stuck);
        match self.site {
            Site::Output(gate) => write!(f, "g{gate}/{stuck}"),
            Site::Pin(gate, pin) => write!(f, "g{gate}.{pin}/{stuck}"),
        }
    }
}

impl std::str::FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Fault, String> {
        let wrong = || {
            format!(
                "{text:?} is no fault of a circuit: write gGATE/VALUE or gGATE.PIN/VALUE, such as g120/0 or g120.1/1"
            )
        };
        let (line, stuck) = text.split_once('/').ok_or_else(wrong)?;
        let line = line.strip_prefix('g').ok_or_else(wrong)?;
        let stuck = match stuck {
            "0" => false,
            "1" => true,
            _ => return Err(wrong()),
        };
        let site = match line.split_once('.') {
            None => Site::Output(line.parse().map_err(|_| wrong())?),
            Some((gate, pin)) => {
                Site::Pin(gate.parse().map_err(|_| wrong())?, pin.parse().map_err(|_| wrong())?)
            }
        };
        Ok(Fault { site, stuck })
    }
}

/// All faults of a circuit, and one of each class that no test can tell apart.
#[derive(Clone, Debug)]
pub struct Faults {
    /// Both values of every gate output, primary input and pin.
    pub all: usize,
    /// One fault of each class, in the circuit's order.
    pub collapsed: Vec<Fault>,
}

impl Fault {
    /// The gate at which it sits.
    pub fn gate(self) -> u32 {
        match self.site {
            Site::Output(gate) | Site::Pin(gate, _) => gate,
        }
    }

    /// Whether the circuit has this line.
    pub fn is_in(self, netlist: &Netlist) -> bool {
        let gate = |g: u32| netlist.gates().get(g as usize);
        match self.site {
            Site::Output(g) => gate(g).is_some(),
            Site::Pin(g, pin) => gate(g).is_some_and(|g| usize::from(pin) < g.kind.pins()),
        }
    }
}

impl Faults {
    /// Faults of a circuit. Classes by rules that look at one gate at a time:
    /// a controlling value at a pin is the output it forces, an inverter's pin is
    /// its output inverted, and a line that one pin alone reads is that pin.
    pub fn of(netlist: &Netlist) -> Faults {
        let gates = netlist.gates();
        let n = gates.len();
        // Two numbers for each line: outputs first, then two pins a gate.
        let id = |f: Fault| {
            let line = match f.site {
                Site::Output(g) => g as usize,
                Site::Pin(g, pin) => n + 2 * g as usize + usize::from(pin),
            };
            2 * line + usize::from(f.stuck)
        };
        let mut classes = Classes((0..6 * n as u32).collect());
        for (g, gate) in (0u32..).zip(gates) {
            for pin in 0..gate.kind.pins() as u8 {
                let at = |site, stuck| id(Fault { site, stuck });
                let (here, out) = (Site::Pin(g, pin), Site::Output(g));
                if let Some((value, forced)) = gate.kind.controlling() {
                    classes.join(at(here, value), at(out, forced));
                }
                if gate.kind == Kind::Not {
                    classes.join(at(here, false), at(out, true));
                    classes.join(at(here, true), at(out, false));
                }
                let from = gate.from[usize::from(pin)];
                if netlist.readers(from).len() == 1 && !netlist.is_output(from) {
                    for stuck in [false, true] {
                        classes.join(at(here, stuck), at(Site::Output(from), stuck));
                    }
                }
            }
        }
        let sites = (0u32..).zip(gates).flat_map(|(g, gate)| {
            let pins = (0..gate.kind.pins() as u8).map(move |pin| Site::Pin(g, pin));
            std::iter::once(Site::Output(g)).chain(pins)
        });
        let every: Vec<Fault> =
            sites.flat_map(|site| [false, true].map(|stuck| Fault { site, stuck })).collect();
        // Outputs have the lower numbers: a class is named by one where it can be.
        let collapsed = every.iter().copied().filter(|&f| classes.of(id(f)) == id(f)).collect();
        Faults { all: every.len(), collapsed }
    }
}

/// Sets that only ever merge, each known by its smallest member.
struct Classes(Vec<u32>);

impl Classes {
    fn of(&mut self, mut x: usize) -> usize {
        while self.0[x] as usize != x {
            self.0[x] = self.0[self.0[x] as usize];
            x = self.0[x] as usize;
        }
        x
    }

    fn join(&mut self, x: usize, y: usize) {
        let (x, y) = (self.of(x), self.of(y));
        self.0[x.max(y)] = x.min(y) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::sim::Simulator;

    /// `(a & b) | !c`, and `a` itself: every rule, and a line that is read and is
    /// an output.
    fn small() -> Netlist {
        let mut b = Builder::default();
        let x = b.input("x", 3);
        let both = b.and(x[0], x[1]);
        let inverted = b.not(x[2]);
        let result = b.or(both, inverted);
        b.finish(vec![("r", vec![result, x[0]])])
    }

    #[test]
    fn classes_of_a_small_circuit() {
        let netlist = small();
        let faults = Faults::of(&netlist);
        // Lines: 3 inputs, 3 gates, 5 pins.
        assert_eq!(faults.all, 22);
        // a: 2 of the stem, and at the pin s-a-1 alone; b: s-a-1 (s-a-0 is the
        // AND's); AND s-a-0; OR: s-a-1 is also c s-a-0 and AND s-a-1; OR s-a-0; c
        // s-a-1 is the inverter's s-a-0.
        assert_eq!(faults.collapsed.len(), 8);
    }

    /// Nothing is lost: every fault behaves as that of some class does.
    #[test]
    fn classes_are_behaviours() {
        let netlist = small();
        let patterns: Vec<[u32; 4]> = (0..8).map(|x| [x, 0, 0, 0]).collect();
        let mut simulator = Simulator::new(&netlist);
        simulator.load(&patterns);
        let mut behaviour = |fault: Fault| simulator.detects(fault);
        let behaviours: std::collections::BTreeSet<u64> =
            Faults::of(&netlist).collapsed.into_iter().map(&mut behaviour).collect();
        for g in 0..netlist.gates().len() as u32 {
            let pins = netlist.gates()[g as usize].kind.pins() as u8;
            let sites = (0..pins).map(|p| Site::Pin(g, p)).chain([Site::Output(g)]);
            for site in sites {
                for stuck in [false, true] {
                    let fault = Fault { site, stuck };
                    assert!(behaviours.contains(&behaviour(fault)), "{fault}");
                    assert_eq!(fault.to_string().parse(), Ok(fault));
                }
            }
        }
    }
}
