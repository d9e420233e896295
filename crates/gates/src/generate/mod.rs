//! Test generation: operands at random, then a search for each fault that is
//! left, then a small selection that finds them all.

mod compact;

use crate::circuits::Unit;
use crate::fault::{Fault, Faults};
use crate::netlist::{Netlist, Operands};
use crate::operands::draw;
use crate::random::Random;
use crate::search::{Verdict, search};
use crate::sim::Simulator;

/// How much work to do.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// Random operands end after so many blocks of 64 that found nothing new.
    pub quiet_blocks: usize,
    /// Conflicts after which the search for one fault gives up.
    pub conflicts: u64,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Operands, those that find most first.
    pub patterns: Vec<Operands>,
    /// Random operands that were tried.
    pub tried: usize,
    /// Faults that random operands found.
    pub by_random: usize,
    /// Faults that only the search found operands for.
    pub by_search: usize,
    /// Faults that no operands can show: proved.
    pub untestable: Vec<Fault>,
    /// Faults neither found nor proved untestable.
    pub unknown: Vec<Fault>,
}

/// Generates operands for a unit.
pub fn generate(unit: Unit, netlist: &Netlist, effort: Effort) -> Generated {
    let faults = Faults::of(netlist).collapsed;
    let mut random = Random::new(effort.seed);
    let mut simulator = Simulator::new(netlist);
    let mut candidates = Vec::new();

    let mut left = faults.clone();
    let mut quiet = 0;
    let mut tried = 0;
    while quiet < effort.quiet_blocks && !left.is_empty() {
        let block: Vec<Operands> = (0..64).map(|_| draw(unit, &mut random)).collect();
        tried += block.len();
        let before = left.len();
        candidates.extend(drop_found(&mut simulator, &block, &mut left));
        quiet = if left.len() < before { 0 } else { quiet + 1 };
    }
    let by_random = faults.len() - left.len();

    let (mut untestable, mut unknown) = (Vec::new(), Vec::new());
    while let Some(&fault) = left.first() {
        match search(netlist, fault, effort.conflicts, &mut random) {
            Verdict::Shown(pattern) => {
                candidates.extend(drop_found(&mut simulator, &[pattern], &mut left));
                // The search and the simulator are two readings of one circuit.
                assert!(!left.contains(&fault), "{fault} is not shown by {pattern:08x?}");
            }
            Verdict::Untestable => {
                untestable.push(fault);
                left.remove(0);
            }
            Verdict::Unknown => {
                unknown.push(fault);
                left.remove(0);
            }
        }
    }
    // A pattern found later may show what an earlier search gave up on.
    unknown = crate::sim::undetected(&mut simulator, &candidates, &unknown);

    let open: std::collections::BTreeSet<Fault> =
        untestable.iter().chain(&unknown).copied().collect();
    let found: Vec<Fault> = faults.iter().copied().filter(|f| !open.contains(f)).collect();
    let by_search = found.len() - by_random;
    let patterns = compact::select(&mut simulator, &candidates, &found);
    Generated { patterns, tried, by_random, by_search, untestable, unknown }
}

/// Drops the faults that a block shows; the patterns of it that were the first
/// to show some.
fn drop_found(
    simulator: &mut Simulator<'_>,
    block: &[Operands],
    left: &mut Vec<Fault>,
) -> Vec<Operands> {
    simulator.load(block);
    let mut used = 0u64;
    left.retain(|&fault| {
        let seen = simulator.detects(fault);
        used |= seen & seen.wrapping_neg();
        seen == 0
    });
    let used = (0..block.len()).filter(|i| used >> i & 1 == 1);
    used.map(|i| block[i]).collect()
}
