//! How far a run's values are from what was learned.

use std::collections::BTreeMap;

use upset_machine::pmu::Counter;

use super::types::{LaunchRegions, Regions, UNSEEN};
use crate::alarm::{Alarm, Layer};
use crate::region::Region;
use crate::run::{Key, Launched};

/// What a value is of, beside a counter.
pub const CYCLES: &str = "cycles";
/// Launches of a kernel.
pub const LAUNCHES: &str = "launches";
/// Grid and block of a launch.
pub const SHAPE: &str = "shape";

/// A value outside its range.
#[derive(Clone, Debug, PartialEq)]
pub struct Distance {
    /// How far, in units of the range's spread.
    pub units: f64,
    region: Region,
    /// As an alarm, but for what is allowed.
    alarm: Alarm,
}

impl Distance {
    /// The alarm, with `limit` units allowed.
    pub fn alarm(self, limit: f64) -> Alarm {
        let (low, high) = self.region.widened(limit);
        // Nothing counts less than nothing.
        Alarm { allowed: (low.max(0.0), high), ..self.alarm }
    }
}

/// Where a value was read.
struct Place<'a> {
    launched: &'a Launched,
    layer: Layer,
    period: Option<u64>,
    sm: Option<u32>,
    /// Cycle in the launch.
    to: u64,
    before_output: bool,
}

impl Place<'_> {
    fn distance(&self, what: &str, region: Region, units: f64, value: f64) -> Option<Distance> {
        (units > 0.0).then(|| Distance {
            units,
            region,
            alarm: Alarm {
                layer: self.layer,
                what: what.into(),
                counters: vec![what.into()],
                launch: self.launched.launch,
                kernel: self.launched.key.kernel.clone(),
                period: self.period,
                sm: self.sm,
                value,
                allowed: (0.0, 0.0),
                cycle: self.launched.start + self.to,
                before_output: self.before_output,
            },
        })
    }
}

impl Regions {
    /// Every value of a run that is more than `limit` units outside its range,
    /// each at the first reading that shows so.
    pub fn distances(&self, run: &[Launched], limit: f64) -> Vec<Distance> {
        let known: BTreeMap<&Key, &LaunchRegions> = self.list.iter().map(|l| (&l.key, l)).collect();
        let mut found = Vec::new();
        for launched in run {
            self.too_many(launched, &mut found);
            if let Some(regions) = known.get(&launched.key) {
                regions.distances(launched, limit, &mut found);
            }
        }
        self.too_few(run, &mut found);
        found.retain(|d| d.units > limit);
        found
    }

    /// A launch more of its kernel than there ever were.
    fn too_many(&self, launched: &Launched, found: &mut Vec<Distance>) {
        let never = Region { low: 0.0, high: 0.0, spread: 1.0 };
        let region = *self.launches.get(&launched.key.kernel).unwrap_or(&never);
        let count = (launched.key.nth + 1) as f64;
        let place = Place {
            launched,
            layer: Layer::Regions,
            period: None,
            sm: None,
            to: 0,
            before_output: true,
        };
        found.extend(place.distance(LAUNCHES, region, region.above(count), count));
    }

    /// Kernels that were launched less often than ever: known at the end of the
    /// run. One that broke off has launched less, and told so itself.
    fn too_few(&self, run: &[Launched], found: &mut Vec<Distance>) {
        let Some(last) = run.last().filter(|l| l.ended) else { return };
        for (kernel, region) in &self.launches {
            let count = run.iter().filter(|l| l.key.kernel == *kernel).count() as f64;
            let place = Place {
                launched: last,
                layer: Layer::Regions,
                period: None,
                sm: None,
                to: last.cycles,
                before_output: false,
            };
            let units = region.distance(count.min(region.high));
            let distance = place.distance(LAUNCHES, *region, units, count);
            found.extend(distance.map(|mut d| {
                d.alarm.kernel = kernel.clone();
                d
            }));
        }
    }
}

impl LaunchRegions {
    fn distances(&self, launched: &Launched, limit: f64, found: &mut Vec<Distance>) {
        let at =
            |layer, period, sm, to| Place { launched, layer, period, sm, to, before_output: true };
        let whole = at(Layer::Regions, None, None, launched.cycles);
        if !self.shapes.contains(&launched.shape) {
            let region = Region { low: 0.0, high: 0.0, spread: 1.0 };
            found.extend(whole.distance(SHAPE, region, UNSEEN, UNSEEN));
            return;
        }
        self.totals(launched, limit, found);
        if let Some(region) = self.cycles {
            // Known as soon as a reading comes so late.
            let late = launched.so_far.iter().find(|(to, _)| region.above(*to as f64) > limit);
            let value = launched.cycles as f64;
            let units = match launched.ended {
                true => region.distance(value),
                false => region.above(value),
            };
            let to = late.map_or(launched.cycles, |(to, _)| *to);
            found.extend(at(Layer::Regions, None, None, to).distance(CYCLES, region, units, value));
        }
        for (i, (counts, regions)) in
            launched.whole_periods(self.every).iter().zip(&self.periods).enumerate()
        {
            let place = at(Layer::Regions, Some(i as u64), None, self.every * (i as u64 + 1));
            for (name, region) in regions {
                let Some(counter) = Counter::named(name) else { continue };
                let value = counts.get(counter) as f64;
                found.extend(place.distance(name, *region, region.distance(value), value));
            }
        }
        for &(counter, distance, sm) in launched.farthest.iter().filter(|_| launched.ended) {
            let Some(region) = self.between.get(counter.name()) else { continue };
            let place = at(Layer::Between, None, Some(sm), launched.cycles);
            let units = region.above(distance);
            found.extend(place.distance(counter.name(), *region, units, distance));
        }
    }

    /// Totals: above their range as soon as they are read, below it at the end.
    fn totals(&self, launched: &Launched, limit: f64, found: &mut Vec<Distance>) {
        let last = launched.so_far.len().saturating_sub(1);
        for (name, region) in &self.totals {
            let Some(counter) = Counter::named(name) else { continue };
            let value = launched.total().get(counter) as f64;
            let units = match launched.ended {
                true => region.distance(value),
                false => region.above(value),
            };
            if units <= limit {
                continue;
            }
            let beyond = |(_, counts): &&(u64, _)| {
                let counts: &upset_machine::pmu::Counts = counts;
                region.above(counts.get(counter) as f64) > limit
            };
            let first = launched.so_far.iter().position(|p| beyond(&p)).unwrap_or(last);
            let to = launched.so_far.get(first).map_or(0, |(to, _)| *to);
            let place = Place {
                launched,
                layer: Layer::Regions,
                period: (first != last).then_some(first as u64),
                sm: None,
                to,
                before_output: true,
            };
            found.extend(place.distance(name, *region, units, value));
        }
    }
}
