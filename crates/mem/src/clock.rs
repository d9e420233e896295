//! Clock domains as exact ratios.

/// Ticks of a domain against cycles of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Core cycles per `ticks` ticks, both without common factor.
    cycles: u64,
    ticks: u64,
}

impl Clock {
    /// From frequencies in MHz, taken to the kHz.
    pub(crate) fn new(core_mhz: f64, mhz: f64) -> Clock {
        let khz = |f: f64| ((f * 1000.0).round() as u64).clamp(1, 1 << 32);
        let (core, own) = (khz(core_mhz), khz(mhz));
        let common = gcd(core, own);
        Clock { cycles: core / common, ticks: own / common }
    }

    /// The first tick not before a core cycle.
    #[inline]
    pub(crate) fn tick(self, cycle: u64) -> u64 {
        if self.cycles == self.ticks {
            return cycle;
        }
        cycle.saturating_mul(self.ticks).div_ceil(self.cycles)
    }

    /// The first core cycle not before a tick.
    #[inline]
    pub(crate) fn cycle(self, tick: u64) -> u64 {
        if self.cycles == self.ticks {
            return tick;
        }
        tick.saturating_mul(self.cycles).div_ceil(self.ticks)
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
}
