//! SMs with the same work, compared with each other.

use upset_machine::pmu::{Counter, Counts, Depends};

use crate::statistics::robust::distances;

/// SMs below which there is no telling which of them is wrong.
pub const LEAST: usize = 3;

/// Deviations below this many counts are no deviations: SMs that agree but for
/// one event do not make the next one infinitely far.
const UNIT: f64 = 1.0;

/// How far the SM that is farthest from the others is from them, for each
/// counter of work; with its number. Empty where too few SMs have the same
/// number of CTAs.
pub fn farthest(by_sm: &[Counts]) -> Vec<(Counter, f64, u32)> {
    let members = equals(by_sm);
    if members.len() < LEAST {
        return Vec::new();
    }
    let counters = Counter::ALL.iter().filter(|c| c.about().depends == Depends::Work);
    let of = |&counter: &Counter| {
        let values: Vec<f64> = members.iter().map(|&sm| by_sm[sm].get(counter) as f64).collect();
        let mut most = (counter, 0.0, members[0] as u32);
        for (&sm, distance) in members.iter().zip(distances(&values, UNIT)) {
            if distance > most.1 {
                most = (counter, distance, sm as u32);
            }
        }
        most
    };
    counters.map(of).collect()
}

/// The SMs with the number of CTAs (not 0) that most SMs have; of several such
/// numbers the largest.
fn equals(by_sm: &[Counts]) -> Vec<usize> {
    let ctas = |sm: usize| by_sm[sm].get(Counter::CtasLaunched);
    let with = |n: u64| (0..by_sm.len()).filter(|&sm| ctas(sm) == n).collect::<Vec<_>>();
    let groups = (0..by_sm.len()).map(ctas).filter(|&n| n > 0).map(|n| (with(n).len(), n));
    groups.max().map(|(_, n)| with(n)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sm(ctas: u64, insts: u64) -> Counts {
        let mut c = Counts::default();
        c.set(Counter::CtasLaunched, ctas);
        c.set(Counter::WarpInsts, insts);
        c
    }

    #[test]
    fn the_sm_that_differs_is_named() {
        let sms = [sm(2, 100), sm(2, 101), sm(2, 99), sm(2, 140), sm(1, 50), sm(0, 0)];
        let found = farthest(&sms);
        let (_, distance, which) = found[0];
        assert_eq!((found[0].0, which), (Counter::WarpInsts, 3));
        // Middle 100.5, deviations 0.5, 0.5, 1.5, 39.5: their median 1 is 1.48 sigmas.
        assert!((distance - 39.5 / 1.482_602_2).abs() < 1e-4, "{distance}");
        assert!(found[1..].iter().all(|f| f.1 == 0.0));
        assert!(found.iter().all(|f| f.0.about().depends == Depends::Work));
    }

    #[test]
    fn two_sms_cannot_tell() {
        assert!(farthest(&[sm(2, 100), sm(2, 900), sm(1, 3)]).is_empty());
        assert!(farthest(&[sm(0, 0); 5]).is_empty());
        assert!(farthest(&[]).is_empty());
    }
}
