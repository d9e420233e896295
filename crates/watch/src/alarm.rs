//! What is told of a run that counts as it should not.

use serde::{Deserialize, Serialize};

/// Why a value is wrong: what stands behind the limit that it crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// Two counts must agree in every run.
    Laws,
    /// A count that follows from the launch.
    Constants,
    /// A count outside what was learned.
    Regions,
    /// One SM counts otherwise than the others.
    Between,
    /// One of the two ratios of the published method left its range.
    Paper,
}

impl Layer {
    /// All of them, those that promise most first.
    pub const ALL: [Layer; 5] =
        [Layer::Laws, Layer::Constants, Layer::Regions, Layer::Between, Layer::Paper];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Laws => "laws",
            Layer::Constants => "constants",
            Layer::Regions => "regions",
            Layer::Between => "between",
            Layer::Paper => "paper",
        }
    }
}

/// One value that is wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alarm {
    /// Why it is wrong.
    pub layer: Layer,
    /// Law, counter or ratio.
    pub what: String,
    /// Counters that must be read to know.
    pub counters: Vec<String>,
    /// Launch in its run, from 0.
    pub launch: u64,
    /// Kernel.
    pub kernel: String,
    /// Period of the launch, from 0; none for the launch as a whole.
    pub period: Option<u64>,
    /// SM, where it is known.
    pub sm: Option<u32>,
    /// What was counted.
    pub value: f64,
    /// Least and most that are right.
    pub allowed: (f64, f64),
    /// Cycle of the reading, from the run's start; 0 without timing.
    pub cycle: u64,
    /// The reading comes before the host can copy what this launch computed.
    pub before_output: bool,
}

/// What is said of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Largest distance from what was learned; 0 where all is within.
    pub score: f64,
    /// Alarms, in order of time.
    pub alarms: Vec<Alarm>,
    /// Those of the published method, in order of time.
    pub paper: Vec<Alarm>,
}

impl Verdict {
    /// The first alarm.
    pub fn first(&self) -> Option<&Alarm> {
        self.alarms.first()
    }

    /// Layers that noticed something, in order.
    pub fn layers(&self) -> Vec<Layer> {
        let mut layers: Vec<Layer> = self.alarms.iter().map(|a| a.layer).collect();
        layers.sort_unstable();
        layers.dedup();
        layers
    }

    /// Sets of counters each of which is enough to notice it, without those
    /// that contain another.
    pub fn ways(&self) -> Vec<Vec<String>> {
        let mut ways: Vec<Vec<String>> = self.alarms.iter().map(|a| a.counters.clone()).collect();
        ways.iter_mut().for_each(|way| way.sort_unstable());
        ways.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
        ways.dedup();
        let all = ways.clone();
        ways.retain(|way| {
            let inside = |o: &Vec<String>| o != way && o.iter().all(|c| way.contains(c));
            !all.iter().any(inside)
        });
        ways
    }
}

/// Puts alarms in order of time; of one reading, those that promise most first.
pub(crate) fn in_order(alarms: &mut [Alarm]) {
    alarms.sort_by(|a, b| {
        let key = |x: &Alarm| (x.launch, x.cycle, x.layer);
        key(a).cmp(&key(b))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alarm(layer: Layer, launch: u64, cycle: u64, counters: &[&str]) -> Alarm {
        Alarm {
            layer,
            what: counters.join("="),
            counters: counters.iter().map(|c| c.to_string()).collect(),
            launch,
            kernel: "k".into(),
            period: None,
            sm: None,
            value: 1.0,
            allowed: (0.0, 0.0),
            cycle,
            before_output: true,
        }
    }

    #[test]
    fn the_first_alarm_is_the_first_in_time_then_the_surest() {
        let mut alarms = vec![
            alarm(Layer::Laws, 1, 90, &["a", "b"]),
            alarm(Layer::Regions, 0, 80, &["c"]),
            alarm(Layer::Constants, 0, 80, &["a"]),
            alarm(Layer::Regions, 0, 20, &["d"]),
        ];
        in_order(&mut alarms);
        let layers: Vec<Layer> = alarms.iter().map(|a| a.layer).collect();
        use Layer::{Constants, Laws, Regions};
        assert_eq!(layers, [Regions, Constants, Regions, Laws]);
        let verdict = Verdict { alarms, ..Verdict::default() };
        assert_eq!(verdict.first().map(|a| a.cycle), Some(20));
        assert_eq!(verdict.layers(), [Laws, Constants, Regions]);
        // `a` alone is enough: `a` and `b` say no more.
        assert_eq!(verdict.ways(), [vec!["a"], vec!["c"], vec!["d"]]);
    }
}
