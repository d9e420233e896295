//! A range of values, and how far others are from it.

use serde::{Deserialize, Serialize};

/// What was learned of one value: the range that it was in, and the unit in
/// which distances from it are counted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Least value.
    pub low: f64,
    /// Largest value.
    pub high: f64,
    /// The unit.
    pub spread: f64,
}

/// Values of a region, as they come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    all: Option<(f64, f64)>,
    odd: Option<(f64, f64)>,
}

impl Range {
    /// Adds the value of input `number`.
    pub fn add(&mut self, number: u64, value: f64) {
        let wider = |r: Option<(f64, f64)>| match r {
            Some((low, high)) => Some((low.min(value), high.max(value))),
            None => Some((value, value)),
        };
        self.all = wider(self.all);
        if number % 2 == 1 {
            self.odd = wider(self.odd);
        }
    }

    /// The region. Its unit is the range of the inputs with odd numbers, so that
    /// one far value does not widen both the bounds and the unit, and at least
    /// `least`.
    pub fn region(&self, least: f64) -> Option<Region> {
        let (low, high) = self.all?;
        let spread = self.odd.map_or(0.0, |(low, high)| high - low);
        Some(Region { low, high, spread: spread.max(least) })
    }
}

impl Region {
    /// Units beyond the range; 0 within.
    pub fn distance(&self, value: f64) -> f64 {
        let beyond = (self.low - value).max(value - self.high).max(0.0);
        beyond / self.spread
    }

    /// Units above the range; 0 within and below.
    pub fn above(&self, value: f64) -> f64 {
        (value - self.high).max(0.0) / self.spread
    }

    /// The range with `units` added on both sides.
    pub fn widened(&self, units: f64) -> (f64, f64) {
        (self.low - units * self.spread, self.high + units * self.spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64], least: f64) -> Option<Region> {
        let mut range = Range::default();
        (0..).zip(values).for_each(|(i, &v)| range.add(i, v));
        range.region(least)
    }

    #[test]
    fn the_unit_comes_from_every_other_value() {
        let r = of(&[10.0, 14.0, 30.0, 12.0, 20.0, 15.0], 1.0).unwrap();
        assert_eq!(r, Region { low: 10.0, high: 30.0, spread: 3.0 });
        assert_eq!((r.distance(36.0), r.distance(7.0), r.distance(11.0)), (2.0, 1.0, 0.0));
        assert_eq!((r.above(36.0), r.above(7.0)), (2.0, 0.0));
        assert_eq!(r.widened(2.0), (4.0, 36.0));
    }

    #[test]
    fn what_never_varied_has_the_least_unit() {
        let r = of(&[7.0; 5], 1.0).unwrap();
        assert_eq!((r.spread, r.distance(8.0)), (1.0, 1.0));
        assert_eq!(of(&[7.0], 2.0).map(|r| r.spread), Some(2.0));
        assert_eq!(of(&[], 1.0), None);
    }
}
