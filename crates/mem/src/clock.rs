//! Clock domains as exact ratios.

/// Times one, by the other, rounded up. Most domains go at the core's pace: what the
/// others need does not stand in everybody's way.
#[inline(never)]
fn scale(value: u64, times: u64, by: u64) -> u64 {
    value.saturating_mul(times).div_ceil(by)
}

/// Ticks of a domain against cycles of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Core cycles per `ticks` ticks, both without common factor.
    cycles: u64,
    ticks: u64,
    /// The cycle of tick 0. A launch counts from its own start, so that it goes
    /// the same way whenever it starts.
    origin: u64,
}

impl Clock {
    /// From frequencies in MHz, taken to the kHz.
    pub(crate) fn new(core_mhz: f64, mhz: f64) -> Clock {
        let khz = |f: f64| ((f * 1000.0).round() as u64).clamp(1, 1 << 32);
        let (core, own) = (khz(core_mhz), khz(mhz));
        let common = gcd(core, own);
        Clock { cycles: core / common, ticks: own / common, origin: 0 }
    }

    /// Whether its ticks are the core's cycles.
    pub(crate) fn is_the_cores(self) -> bool {
        self.cycles == self.ticks
    }

    /// The first tick not before a core cycle.
    #[inline]
    pub(crate) fn tick(self, cycle: u64) -> u64 {
        let cycle = cycle.saturating_sub(self.origin);
        if self.cycles == self.ticks {
            return cycle;
        }
        scale(cycle, self.ticks, self.cycles)
    }

    /// The first core cycle not before a tick.
    #[inline]
    pub(crate) fn cycle(self, tick: u64) -> u64 {
        if self.cycles == self.ticks {
            return tick.saturating_add(self.origin);
        }
        scale(tick, self.cycles, self.ticks).saturating_add(self.origin)
    }

    /// Counts from `now` on; gives back the ticks that are over.
    pub(crate) fn restart(&mut self, now: u64) -> u64 {
        let over = self.tick(now);
        self.origin = now;
        over
    }

    /// Cycles since tick 0.
    pub(crate) fn phase(self, now: u64) -> u64 {
        now.saturating_sub(self.origin)
    }

    /// A tick that is before every tick of cycle `now` and later.
    pub(crate) fn over(self, now: u64) -> u64 {
        let before = now.saturating_sub(self.origin).saturating_sub(1);
        before.saturating_mul(self.ticks) / self.cycles
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_is_never_early_and_none_is_lost() {
        let c = Clock::new(1365.0, 3500.0);
        assert_eq!((c.cycles, c.ticks), (39, 100));
        assert_eq!(c.tick(39_000), 100_000);
        assert_eq!(c.cycle(100_000), 39_000);
        for t in 0..1000 {
            assert!(c.tick(c.cycle(t)) >= t);
            assert!(c.cycle(c.tick(t)) >= t);
        }
        assert_eq!(Clock::new(1132.0, 1132.0).tick(77), 77);
    }

    #[test]
    fn a_launch_sees_the_same_ticks_whenever_it_starts() {
        for mhz in [3500.0, 1365.0, 900.0] {
            let mut a = Clock::new(1365.0, mhz);
            let mut b = a;
            a.restart(1000);
            b.restart(12_345);
            for c in 0..500 {
                assert_eq!(a.tick(1000 + c), b.tick(12_345 + c));
                assert_eq!(a.cycle(c) - 1000, b.cycle(c) - 12_345);
                assert!(a.over(1000 + c) <= a.tick(1000 + c));
                assert!(c == 0 || a.cycle(a.over(1000 + c)) < 1000 + c);
            }
        }
    }
}
