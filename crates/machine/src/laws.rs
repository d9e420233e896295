//! Laws of the counters: what holds in every launch of every program, so that
//! a reading that breaks one shows a fault, without anything learned.
//!
//! A law compares two sides, both made of what was counted from the launch's
//! start on. They are counted at different places of the chip: what is launched
//! by the dispatcher, what ends by the warps themselves. Laws hold at every
//! reading, not only at the last; a [`Kind::Balance`] is open until the end.

use crate::pmu::{CLASSES, Counter, Counts, Reading, STALLS};

/// How the two sides compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They are equal at every reading.
    Equal,
    /// The left side is never below the right one; at the end they are equal.
    Balance,
    /// The left side is never below the right one.
    AtLeast,
}

/// What the sides are sums over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Each SM alone.
    Sm,
    /// All SMs.
    Chip,
}

/// What a law is told of the launch.
#[derive(Clone, Copy, Debug)]
pub struct Launched<'a> {
    /// The reading.
    pub reading: &'a Reading,
    /// Cycles from the launch's start.
    pub cycles: u64,
}

/// A law.
#[derive(Clone, Copy)]
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// What it says, a sentence.
    pub what: &'static str,
    /// How its sides compare.
    pub kind: Kind,
    /// What they are sums over.
    pub scope: Scope,
    /// The left and the right side.
    sides: fn(&Counts, Launched<'_>) -> (u128, u128),
}

impl std::fmt::Debug for Law {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Law {
    fn eq(&self, other: &Law) -> bool {
        self.name == other.name
    }
}

impl Eq for Law {}

/// A law that a reading breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The law.
    pub law: &'static Law,
    /// Where; none: over all SMs.
    pub sm: Option<usize>,
    /// The first period at whose end it does not hold.
    pub period: usize,
    /// Its left side then.
    pub left: u128,
    /// Its right side.
    pub right: u128,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Broken { law, sm, period, left, right } = self;
        let relation = match law.kind {
            Kind::Equal => "is not",
            Kind::Balance if left < right => "is less than",
            Kind::Balance => "is more at the end than",
            Kind::AtLeast => "is less than",
        };
        write!(f, "law `{}` is broken: {left} {relation} {right}", law.name)?;
        if let Some(sm) = sm {
            write!(f, " on SM {sm}")?;
        }
        write!(f, ", period {period} ({})", law.what)
    }
}

/// What the laws say of a reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The launch did not come to its end: a finding of its own.
    pub unended: bool,
    /// Laws that do not hold.
    pub broken: Vec<Broken>,
}

impl Findings {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        !self.unended && self.broken.is_empty()
    }
}

fn of(counts: &Counts, counter: Counter) -> u128 {
    counts.get(counter).into()
}

macro_rules! laws {
    ($($name:literal, $kind:ident, $scope:ident, $what:literal, |$c:ident, $l:ident| $left:expr, $right:expr;)*) => {
        /// The laws.
        pub const LAWS: &[Law] = &[$(Law {
            name: $name,
            what: $what,
            kind: Kind::$kind,
            scope: Scope::$scope,
            sides: |$c, $l| ($left, $right),
        },)*];
    };
}

use Counter as C;

laws! {
    "grid", Balance, Chip, "the CTAs launched on all SMs are those of the grid",
        |c, l| l.reading.ctas(), of(c, C::CtasLaunched);
    "ctas", Balance, Sm, "every CTA that begins ends",
        |c, _l| of(c, C::CtasLaunched), of(c, C::CtasExited);
    "cta_warps", Equal, Sm, "every CTA has the warps that its threads fill",
        |c, l| of(c, C::CtasLaunched) * l.reading.warps(), of(c, C::WarpsLaunched);
    "warps", Balance, Sm, "every warp that begins ends",
        |c, _l| of(c, C::WarpsLaunched), of(c, C::WarpsExited);
    "cta_threads", Equal, Sm, "every CTA has the threads of the launch",
        |c, l| of(c, C::CtasLaunched) * l.reading.threads(), of(c, C::ThreadsLaunched);
    "threads", Balance, Sm, "every thread that begins ends",
        |c, _l| of(c, C::ThreadsLaunched), of(c, C::ThreadsExited);
    "lanes", Equal, Sm, "every lane of an issued instruction is active or inactive",
        |c, l| of(c, C::WarpInsts) * u128::from(l.reading.lanes), of(c, C::ThreadInsts) + of(c, C::Inactive);
    "classes", Equal, Sm, "every issued instruction is of one class",
        |c, _l| of(c, C::WarpInsts), c.sum(CLASSES).into();
    "some_thread", AtLeast, Sm, "every issued instruction has an active thread, but for waves",
        |c, l| of(c, C::ThreadInsts), if l.reading.lanes == 32 { of(c, C::WarpInsts) } else { 0 };
    "convergence", Balance, Sm, "every thread that arrives at a convergence barrier is released",
        |c, _l| of(c, C::ConvLanesIn), of(c, C::ConvLanesOut);
    "warp_sync", Balance, Sm, "every thread that arrives at a WARPSYNC goes on",
        |c, _l| of(c, C::SyncLanesIn), of(c, C::SyncLanesOut);
    "divergence", AtLeast, Sm, "a jump divides a group of threads once at most",
        |c, _l| of(c, C::Branches), of(c, C::Diverged);
    "barriers", Balance, Sm, "every thread that waits at a CTA barrier is released",
        |c, _l| of(c, C::BarArrived), of(c, C::BarReleased);
    "cycles", Equal, Sm, "a scheduler issues or waits in every cycle",
        |c, l| u128::from(l.reading.schedulers) * u128::from(l.cycles),
        of(c, C::IssueCycles) + u128::from(c.sum(STALLS));
    "issue_cycles", AtLeast, Sm, "a scheduler's issue is an instruction",
        |c, _l| of(c, C::WarpInsts), of(c, C::IssueCycles);
}

impl Law {
    /// The law with a name.
    pub fn named(name: &str) -> Option<&'static Law> {
        LAWS.iter().find(|law| law.name == name)
    }

    /// Its two sides, for what was counted from the launch's start up to a
    /// reading `cycles` later.
    pub fn sides(&self, counts: &Counts, reading: &Reading, cycles: u64) -> (u128, u128) {
        (self.sides)(counts, Launched { reading, cycles })
    }

    /// Whether these sides obey it; `end`: of a launch that has ended.
    pub fn holds(&self, (left, right): (u128, u128), end: bool) -> bool {
        match self.kind {
            Kind::Equal => left == right,
            Kind::Balance if end => left == right,
            Kind::Balance | Kind::AtLeast => left >= right,
        }
    }

    /// Where a reading breaks it: on each SM the first time.
    pub fn check(&'static self, reading: &Reading) -> Vec<Broken> {
        let sms = reading.periods.iter().map(|p| p.sms.len()).max().unwrap_or(0);
        let mut broken: Vec<Broken> = Vec::new();
        let mut sums = vec![Counts::default(); if self.scope == Scope::Sm { sms } else { 1 }];
        for (period, p) in reading.periods.iter().enumerate() {
            let end = reading.ended && period + 1 == reading.periods.len();
            for (sm, counts) in p.sms.iter().enumerate() {
                let sum = &mut sums[if self.scope == Scope::Sm { sm } else { 0 }];
                *sum = sum.plus(counts);
            }
            for (i, sum) in sums.iter().enumerate() {
                let sm = (self.scope == Scope::Sm).then_some(i);
                let (left, right) = self.sides(sum, reading, p.to);
                if !self.holds((left, right), end) && broken.iter().all(|b| b.sm != sm) {
                    broken.push(Broken { law: self, sm, period, left, right });
                }
            }
        }
        broken
    }
}

/// What all laws say of a reading, those broken first in time first.
pub fn check(reading: &Reading) -> Findings {
    let mut broken: Vec<Broken> = LAWS.iter().flat_map(|law| law.check(reading)).collect();
    broken.sort_by_key(|b| b.period);
    Findings { unended: !reading.ended, broken }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pmu::Period;
    use std::collections::BTreeSet;

    /// Two SMs, two CTAs of 40 threads each: one launch in two periods.
    fn reading() -> Reading {
        let sm = |rows: &[(Counter, u64)]| {
            let mut counts = Counts::default();
            rows.iter().for_each(|&(c, n)| counts.set(c, n));
            counts
        };
        let begin = sm(&[
            (C::CtasLaunched, 1),
            (C::WarpsLaunched, 2),
            (C::ThreadsLaunched, 40),
            (C::WarpInsts, 4),
            (C::ThreadInsts, 80),
            (C::Inactive, 48),
            (C::Alu, 3),
            (C::Branch, 1),
            (C::Branches, 1),
            (C::Diverged, 1),
            (C::ConvLanesIn, 4),
            (C::SyncLanesIn, 8),
            (C::BarArrived, 32),
            (C::IssueCycles, 4),
            (C::StallFetch, 12),
            (C::StallNoWarp, 4),
        ]);
        let end = sm(&[
            (C::CtasExited, 1),
            (C::WarpsExited, 2),
            (C::ThreadsExited, 40),
            (C::WarpInsts, 3),
            (C::ThreadInsts, 40),
            (C::Inactive, 56),
            (C::System, 3),
            (C::ConvLanesOut, 4),
            (C::SyncLanesOut, 8),
            (C::BarReleased, 32),
            (C::IssueCycles, 2),
            (C::StallDrain, 8),
        ]);
        Reading {
            launch: 0,
            kernel: "k".into(),
            grid: [2, 1, 1],
            block: [40, 1, 1],
            lanes: 32,
            schedulers: 2,
            ended: true,
            cut: false,
            start: 0,
            cycles: 15,
            periods: vec![
                Period { to: 10, sms: vec![begin, begin] },
                Period { to: 15, sms: vec![end, end] },
            ],
        }
    }

    #[test]
    fn a_launch_that_obeys_has_no_findings() {
        assert_eq!(check(&reading()), Findings::default());
        let mut unended = reading();
        unended.ended = false;
        unended.periods.pop();
        let findings = check(&unended);
        assert!(findings.unended && findings.broken.is_empty(), "{findings:?}");
    }

    #[test]
    fn names_are_one_law_each() {
        let names: BTreeSet<_> = LAWS.iter().map(|law| law.name).collect();
        assert_eq!(names.len(), LAWS.len());
        assert!(LAWS.iter().all(|law| Law::named(law.name) == Some(law)));
        assert_eq!(Law::named("none"), None);
    }

    /// Laws broken when a counter of SM 1 has one more, or one less, in a period.
    fn moved(period: usize, counter: Counter, up: bool) -> BTreeSet<(&'static str, usize)> {
        let mut reading = reading();
        let counts = &mut reading.periods[period].sms[1];
        let value = counts.get(counter);
        counts.set(counter, if up { value + 1 } else { value.wrapping_sub(1) });
        let broken = check(&reading).broken;
        for b in &broken {
            assert_eq!(b.sm, (b.law.scope == Scope::Sm).then_some(1), "{b}");
        }
        broken.iter().map(|b| (b.law.name, b.period)).collect()
    }

    #[test]
    fn every_side_of_every_law_counts() {
        let only = |laws: &[(&'static str, usize)]| laws.iter().copied().collect::<BTreeSet<_>>();
        // Broken at once where a law is an equality, at the end where it is a balance.
        assert_eq!(
            moved(0, C::CtasLaunched, true),
            only(&[("grid", 0), ("ctas", 1), ("cta_warps", 0), ("cta_threads", 0)])
        );
        assert_eq!(moved(1, C::CtasExited, false), only(&[("ctas", 1)]));
        assert_eq!(moved(0, C::CtasExited, true), only(&[("ctas", 1)]));
        assert_eq!(moved(0, C::WarpsLaunched, true), only(&[("cta_warps", 0), ("warps", 1)]));
        assert_eq!(moved(1, C::WarpsExited, true), only(&[("warps", 1)]));
        assert_eq!(
            moved(0, C::ThreadsLaunched, false),
            only(&[("cta_threads", 0), ("threads", 1)])
        );
        assert_eq!(moved(1, C::ThreadsExited, false), only(&[("threads", 1)]));
        assert_eq!(moved(0, C::ThreadInsts, true), only(&[("lanes", 0)]));
        assert_eq!(moved(1, C::Inactive, false), only(&[("lanes", 1)]));
        assert_eq!(moved(1, C::WarpInsts, true), only(&[("lanes", 1), ("classes", 1)]));
        for &class in CLASSES {
            assert_eq!(moved(0, class, true), only(&[("classes", 0)]), "{class:?}");
        }
        assert_eq!(moved(1, C::ConvLanesOut, false), only(&[("convergence", 1)]));
        assert_eq!(moved(0, C::ConvLanesIn, true), only(&[("convergence", 1)]));
        assert_eq!(moved(1, C::SyncLanesOut, true), only(&[("warp_sync", 1)]));
        assert_eq!(moved(0, C::SyncLanesIn, false), only(&[("warp_sync", 1)]));
        assert_eq!(moved(1, C::Diverged, true), only(&[("divergence", 1)]));
        assert_eq!(moved(0, C::Branches, false), only(&[("divergence", 0)]));
        assert_eq!(moved(1, C::BarReleased, false), only(&[("barriers", 1)]));
        assert_eq!(moved(0, C::BarArrived, true), only(&[("barriers", 1)]));
        for &stall in STALLS {
            assert_eq!(moved(0, stall, true), only(&[("cycles", 0)]), "{stall:?}");
        }
        assert_eq!(moved(0, C::IssueCycles, true), only(&[("cycles", 0), ("issue_cycles", 0)]));
    }

    #[test]
    fn more_out_than_in_is_told_before_the_end() {
        let mut early = reading();
        early.periods[0].sms[0].set(C::ThreadsExited, 41);
        let broken = check(&early).broken;
        assert_eq!((broken[0].law.name, broken[0].sm, broken[0].period), ("threads", Some(0), 0));
        assert_eq!(
            broken[0].to_string(),
            "law `threads` is broken: 40 is less than 41 on SM 0, period 0 \
             (every thread that begins ends)"
        );
        let mut late = reading();
        late.periods[1].sms[1].set(C::ThreadsExited, 39);
        assert_eq!(
            check(&late).broken[0].to_string(),
            "law `threads` is broken: 40 is more at the end than 39 on SM 1, period 1 \
             (every thread that begins ends)"
        );
    }

    #[test]
    fn instructions_without_threads_are_a_matter_of_waves() {
        let mut reading = reading();
        let counts = &mut reading.periods[0].sms[0];
        counts.set(C::ThreadInsts, 3);
        counts.set(C::Inactive, 125);
        assert_eq!(check(&reading).broken[0].law.name, "some_thread");
        let counts = &mut reading.periods[0].sms[0];
        counts.set(C::Inactive, 64 * 4 - 3);
        reading.periods[1].sms[0].set(C::Inactive, 64 * 3 - 40);
        reading.lanes = 64;
        let names: Vec<_> = check(&reading).broken.iter().map(|b| (b.law.name, b.sm)).collect();
        assert!(!names.contains(&("some_thread", Some(0))) && !names.contains(&("lanes", Some(0))));
    }
}
