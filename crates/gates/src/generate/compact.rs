//! A small selection of patterns that shows the same faults: greedy cover, then
//! whatever the others make needless is taken out, last chosen first.

use crate::fault::Fault;
use crate::netlist::Operands;
use crate::sim::Simulator;

/// The faults that a pattern shows, a bit each.
type Shown = Vec<u64>;

/// The selection, in the order in which it was chosen. Every fault of `faults`
/// must be shown by some candidate.
pub fn select(
    simulator: &mut Simulator<'_>,
    candidates: &[Operands],
    faults: &[Fault],
) -> Vec<Operands> {
    let candidates = &last_first(simulator, candidates, faults);
    let shown = table(simulator, candidates, faults);
    let mut left: Shown = vec![!0; faults.len().div_ceil(64)];
    let gain = |left: &Shown, s: &Shown| -> u32 {
        left.iter().zip(s).map(|(l, s)| (l & s).count_ones()).sum()
    };
    // What a pattern adds never grows: an old figure is an upper bound.
    let mut bounds: Vec<u32> = shown.iter().map(|s| gain(&left, s)).collect();
    let mut chosen: Vec<usize> = Vec::new();
    loop {
        let mut best = (0, 0);
        for i in 0..shown.len() {
            if bounds[i] > best.0 {
                bounds[i] = gain(&left, &shown[i]);
                if bounds[i] > best.0 {
                    best = (bounds[i], i);
                }
            }
        }
        if best.0 == 0 {
            break;
        }
        chosen.push(best.1);
        left.iter_mut().zip(&shown[best.1]).for_each(|(l, s)| *l &= !s);
    }
    let mut times = vec![0u32; faults.len()];
    let each = |s: &Shown| -> Vec<usize> {
        (0..faults.len()).filter(|&f| s[f / 64] >> (f % 64) & 1 == 1).collect()
    };
    for &i in &chosen {
        each(&shown[i]).into_iter().for_each(|f| times[f] += 1);
    }
    let mut needless = Vec::new();
    for &i in chosen.iter().rev() {
        let its = each(&shown[i]);
        if its.iter().all(|&f| times[f] > 1) {
            its.into_iter().for_each(|f| times[f] -= 1);
            needless.push(i);
        }
    }
    chosen.retain(|i| !needless.contains(i));
    chosen.into_iter().map(|i| candidates[i]).collect()
}

/// The candidates that are the last to show some fault: what is found late is
/// hard, and what shows it shows much that is easy.
fn last_first(
    simulator: &mut Simulator<'_>,
    candidates: &[Operands],
    faults: &[Fault],
) -> Vec<Operands> {
    let mut left = faults.to_vec();
    let mut kept = Vec::new();
    for block in candidates.rchunks(64) {
        simulator.load(block);
        let mut used = 0u64;
        left.retain(|&fault| {
            let seen = simulator.detects(fault);
            if seen != 0 {
                used |= 1 << (63 - seen.leading_zeros());
            }
            seen == 0
        });
        kept.extend((0..block.len()).filter(|i| used >> i & 1 == 1).map(|i| block[i]));
    }
    kept
}

/// Which candidate shows which fault: no fault is dropped.
fn table(simulator: &mut Simulator<'_>, candidates: &[Operands], faults: &[Fault]) -> Vec<Shown> {
    let mut shown = vec![vec![0u64; faults.len().div_ceil(64)]; candidates.len()];
    for (k, block) in candidates.chunks(64).enumerate() {
        simulator.load(block);
        for (f, &fault) in faults.iter().enumerate() {
            let mut seen = simulator.detects(fault);
            while seen != 0 {
                let slot = seen.trailing_zeros() as usize;
                seen &= seen - 1;
                shown[64 * k + slot][f / 64] |= 1 << (f % 64);
            }
        }
    }
    shown
}
