//! How gpu-burn and DCGM's `diagnostic` would find the same faults.
//!
//! Both multiply square matrices of values in [0, 10) (steps of 1e-5) and compare
//! each element with that of their first product: it is wrong if it differs by
//! more than 1e-3. gpu-burn's matrices have 8192 rows, DCGM's 2048; DCGM counts
//! NaN as wrong, for gpu-burn no comparison with NaN is true. Here an element is
//! one chain of multiply-adds in order, all of them in the unit with the fault.
//! The first product is that of a good unit: a permanent fault that was there
//! when the first product was made and in the same unit gives the same product
//! again, and neither finds any.

mod chains;

use std::collections::BTreeSet;

use chains::Chains;

use crate::fault::Fault;
use crate::netlist::{Netlist, Operands};
use crate::random::Random;
use crate::sim::{Simulator, undetected};

/// Both compare with this.
const EPSILON: f32 = 1e-3;

/// A tester that multiplies matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rival {
    /// Its name.
    pub name: &'static str,
    /// Multiply-adds per element.
    pub length: usize,
    /// Whether a result that is not a number counts as wrong.
    pub sees_nan: bool,
}

/// gpu-burn.
pub const GPU_BURN: Rival = Rival { name: "gpu-burn", length: 8192, sees_nan: false };
/// DCGM's `diagnostic`.
pub const DCGM: Rival = Rival { name: "DCGM diagnostic", length: 2048, sees_nan: true };

/// A value of the matrices.
fn value(random: &mut Random) -> u32 {
    ((f64::from(random.below(1_000_000)) / 100_000.0) as f32).to_bits()
}

impl Rival {
    /// Whether it takes `found` for wrong, when the first product has `first`.
    pub fn complains(&self, first: f32, found: f32) -> bool {
        (found - first).abs() > EPSILON || self.sees_nan && found.is_nan()
    }

    /// The factors of `n` elements of the product.
    fn elements(&self, seed: u64, n: usize) -> Vec<Vec<(u32, u32)>> {
        let mut random = Random::new(seed);
        let mut pair = || (value(&mut random), value(&mut random));
        (0..n).map(|_| (0..self.length).map(|_| pair()).collect()).collect()
    }

    /// Faults that it has found after each of `n` elements.
    pub fn found(&self, netlist: &Netlist, faults: &[Fault], seed: u64, n: usize) -> Vec<usize> {
        let mut simulator = Simulator::new(netlist);
        let mut left = faults.to_vec();
        let mut counts = Vec::new();
        for element in self.elements(seed, n) {
            // A fault that no step of the good chain shows leaves every sum as it
            // is: the chain of the unit that has it is the good chain.
            let mut missed = undetected(&mut simulator, &chain(&element), &left);
            let hidden: BTreeSet<Fault> = missed.iter().copied().collect();
            left.retain(|f| !hidden.contains(f));
            for group in left.chunks(63) {
                let mut chains = Chains::new(netlist, group);
                chains.clear();
                for &(a, b) in &element {
                    chains.step(a, b);
                }
                let good = chains.sum(0);
                let wrong = |i: usize| self.complains(good, chains.sum(i + 1));
                missed.extend((0..group.len()).filter(|&i| !wrong(i)).map(|i| group[i]));
            }
            left = missed;
            counts.push(faults.len() - left.len());
        }
        counts
    }

    /// The operands of every multiply-add of `n` elements in a good unit: what
    /// the method could find if each result were looked at, every bit of it.
    pub fn operands(&self, seed: u64, n: usize) -> Vec<Operands> {
        self.elements(seed, n).iter().flat_map(|element| chain(element)).collect()
    }
}

/// The operands of each step of a good chain.
fn chain(element: &[(u32, u32)]) -> Vec<Operands> {
    let mut sum = 0f32;
    let mut step = |&(a, b): &(u32, u32)| {
        let operands = [a, b, sum.to_bits(), 0];
        sum = f32::from_bits(a).mul_add(f32::from_bits(b), sum);
        operands
    };
    element.iter().map(&mut step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuits::Unit;
    use crate::fault::Faults;
    use crate::faulty::Faulty;

    #[test]
    fn nan_is_wrong_for_one_of_them_only() {
        assert!(!GPU_BURN.complains(1.0, f32::NAN));
        assert!(DCGM.complains(1.0, f32::NAN));
        for rival in [GPU_BURN, DCGM] {
            assert!(!rival.complains(1.0, 1.0009));
            assert!(rival.complains(1.0, 1.002));
            assert!(rival.complains(1.0, f32::INFINITY));
        }
    }

    /// Machines side by side compute what one unit with the fault computes.
    #[test]
    fn chains_are_units_with_a_fault() {
        let netlist = Unit::Fma.netlist();
        let all = Faults::of(&netlist).collapsed;
        let faults: Vec<Fault> = all.into_iter().step_by(617).take(40).collect();
        let mut chains = Chains::new(&netlist, &faults);
        let short = Rival { length: 6, ..GPU_BURN };
        let element = &short.elements(1, 1)[0];
        for &(a, b) in element {
            chains.step(a, b);
        }
        let mut wrong = 0;
        let good = element
            .iter()
            .fold(0f32, |sum, &(a, b)| f32::from_bits(a).mul_add(f32::from_bits(b), sum));
        assert_eq!(chains.sum(0).to_bits(), good.to_bits());
        for (i, &fault) in faults.iter().enumerate() {
            let mut unit = Faulty::new(Unit::Fma, fault).unwrap();
            let sum = element.iter().fold(0, |sum, &(a, b)| unit.eval(a, b, sum));
            assert_eq!(chains.sum(i + 1).to_bits(), sum, "{fault}");
            wrong += u32::from(sum != good.to_bits());
        }
        assert!(wrong > 5, "{wrong} of the faults act");
    }

    #[test]
    fn operands_follow_the_chain() {
        let short = Rival { length: 3, ..DCGM };
        let operands = short.operands(1, 2);
        assert_eq!(operands.len(), 6);
        assert_eq!([operands[0][2], operands[3][2]], [0, 0]);
        let [a, b, ..] = operands[0].map(f32::from_bits);
        assert_eq!(f32::from_bits(operands[1][2]), a * b);
        assert!(operands.iter().all(|p| f32::from_bits(p[0]) < 10.0));
    }
}
