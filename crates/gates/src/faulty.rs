//! A unit with a fault in it, for whoever computes with it.

use crate::circuits::Unit;
use crate::fault::{Fault, Site};
use crate::netlist::{Kind, Netlist, Operands};

/// A circuit with one line stuck.
#[derive(Clone, Debug)]
pub struct Faulty {
    netlist: Netlist,
    fault: Fault,
    values: Vec<u64>,
}

impl Faulty {
    /// The unit with the fault; an error if it has no such line.
    pub fn new(unit: Unit, fault: Fault) -> Result<Faulty, String> {
        let netlist = unit.netlist();
        if !fault.is_in(&netlist) {
            let (name, n) = (unit.name(), netlist.gates().len());
            return Err(format!("{name} has no line {fault}: its gates are g0 to g{}", n - 1));
        }
        let values = vec![0; netlist.gates().len()];
        Ok(Faulty { netlist, fault, values })
    }

    /// Its first output port for one set of operands: the result of an FMA, the
    /// sum of an addition, the low word of an integer multiply-add.
    pub fn eval(&mut self, a: u32, b: u32, c: u32) -> u32 {
        self.settle(&[[a, b, c, 0]]);
        self.netlist.output(&self.values, 0, 0) as u32
    }

    /// All output ports for up to 64 sets of operands, in about the time of one.
    pub fn eval_many(&mut self, patterns: &[Operands]) -> Vec<[u32; 2]> {
        let mut results = Vec::new();
        for block in patterns.chunks(64) {
            self.settle(block);
            results.extend((0..block.len()).map(|slot| {
                let port = |i: usize| match i < self.netlist.outputs().len() {
                    true => self.netlist.output(&self.values, i, slot) as u32,
                    false => 0,
                };
                [port(0), port(1)]
            }));
        }
        results
    }

    fn settle(&mut self, patterns: &[Operands]) {
        self.netlist.drive(patterns, &mut self.values);
        let stuck = if self.fault.stuck { !0 } else { 0 };
        for (i, gate) in self.netlist.gates().iter().enumerate() {
            if gate.kind != Kind::Input {
                let mut pins = gate.from.map(|f| self.values[f as usize]);
                if let Site::Pin(g, pin) = self.fault.site
                    && g as usize == i
                {
                    pins[usize::from(pin)] = stuck;
                }
                self.values[i] = gate.kind.eval(pins[0], pins[1]);
            }
            if self.fault.site == Site::Output(i as u32) {
                self.values[i] = stuck;
            }
        }
    }
}

/// `a * b + c` as a multiply-add unit with this fault gives it.
pub fn fma_with(fault: Fault) -> Result<impl FnMut(u32, u32, u32) -> u32, String> {
    let mut unit = Faulty::new(Unit::Fma, fault)?;
    Ok(move |a, b, c| unit.eval(a, b, c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Faults;
    use crate::operands::draw;
    use crate::random::Random;
    use crate::sim::Simulator;

    /// Two ways to compute with a fault agree: the whole circuit, and only what
    /// changes.
    #[test]
    fn the_simulator_sees_what_the_unit_shows() {
        let mut random = Random::new(9);
        for unit in Unit::ALL {
            let netlist = unit.netlist();
            let block: Vec<Operands> = (0..64).map(|_| draw(unit, &mut random)).collect();
            let mut simulator = Simulator::new(&netlist);
            simulator.load(&block);
            let mut good = vec![0; netlist.gates().len()];
            netlist.drive(&block, &mut good);
            netlist.settle(&mut good);
            for &fault in Faults::of(&netlist).collapsed.iter().step_by(211) {
                let results = Faulty::new(unit, fault).unwrap().eval_many(&block);
                let mut shown = 0;
                for (slot, result) in results.iter().enumerate() {
                    let ports = netlist.outputs().len();
                    let differs =
                        (0..ports).any(|p| netlist.output(&good, p, slot) != u64::from(result[p]));
                    shown |= u64::from(differs) << slot;
                }
                assert_eq!(simulator.detects(fault), shown, "{} {fault}", unit.name());
            }
        }
    }

    #[test]
    fn a_stuck_sign_is_a_stuck_sign() {
        let netlist = Unit::Fma.netlist();
        let sign = netlist.outputs()[0].bits[31];
        let fault: Fault = format!("g{sign}/1").parse().unwrap();
        let mut unit = fma_with(fault).unwrap();
        let [two, three, one] = [2f32, 3.0, 1.0].map(f32::to_bits);
        assert_eq!(f32::from_bits(unit(two, three, one)), -7.0);
    }

    #[test]
    fn a_line_that_is_not_there_is_refused() {
        let fault = "g999999/0".parse().unwrap();
        assert!(Faulty::new(Unit::Fma, fault).unwrap_err().contains("fma has no line g999999/0"));
        assert!("g1".parse::<Fault>().is_err());
    }
}
