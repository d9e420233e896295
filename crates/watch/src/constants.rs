//! Counts that follow from the launch: proved from the code, confirmed by runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use upset_machine::pmu::Counter;

use crate::alarm::{Alarm, Layer};
use crate::analysis::{Level, Steering};
use crate::run::{Key, Launched, Shape};

/// What kernels' counts depend on, by kernel.
pub type Steerings = BTreeMap<String, Steering>;

/// Constants of a launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchConstants {
    /// Which launch.
    pub key: Key,
    /// Grid and block.
    pub shape: Shape,
    /// By counter.
    pub values: BTreeMap<String, u64>,
}

/// A count that was proved to be a constant and is none: our mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{counter} of kernel {kernel} was {first} and {other} in two fault-free runs, though no data \
     steer it: the analysis of its code is wrong"
)]
pub struct NotConstant {
    /// Kernel.
    pub kernel: String,
    /// Counter.
    pub counter: &'static str,
    /// Its value in a run.
    pub first: u64,
    /// Its value in another.
    pub other: u64,
}

/// Confirms constants, run by run.
#[derive(Clone, Debug, Default)]
pub struct Confirmed {
    /// None: it has had several shapes.
    launches: BTreeMap<Key, Option<LaunchConstants>>,
}

impl Confirmed {
    /// Adds a run. Where parameters steer, a count that differs is no constant:
    /// the host chose another parameter.
    pub fn add(&mut self, run: &[Launched], code: &Steerings) -> Result<(), NotConstant> {
        for launched in run {
            let steering = code.get(&launched.key.kernel);
            let total = launched.total();
            let constant = |c: &&Counter| steering.is_some_and(|s| s.is_constant(**c));
            let values = || {
                let counters = Counter::ALL.iter().filter(constant);
                counters.map(|&c| (c.name().to_string(), total.get(c))).collect()
            };
            let known = self.launches.entry(launched.key.clone()).or_insert_with(|| {
                Some(LaunchConstants {
                    key: launched.key.clone(),
                    shape: launched.shape,
                    values: values(),
                })
            });
            let Some(of_launch) = known else { continue };
            if of_launch.shape != launched.shape {
                *known = None;
                continue;
            }
            for &counter in Counter::ALL {
                let (name, now) = (counter.name(), total.get(counter));
                let Some(&first) = of_launch.values.get(name).filter(|v| **v != now) else {
                    continue;
                };
                if steering.is_none_or(|s| s.level == Level::Launch || s.absent.contains(&counter))
                {
                    let kernel = launched.key.kernel.clone();
                    return Err(NotConstant { kernel, counter: name, first, other: now });
                }
                of_launch.values.remove(name);
            }
        }
        Ok(())
    }

    /// What was confirmed.
    pub fn constants(self) -> Vec<LaunchConstants> {
        self.launches.into_values().flatten().filter(|l| !l.values.is_empty()).collect()
    }
}

/// Constants by launch.
pub(crate) fn by_key(list: &[LaunchConstants]) -> BTreeMap<&Key, &LaunchConstants> {
    list.iter().map(|l| (&l.key, l)).collect()
}

/// Counts of a run that are not what they must be. A count above its constant
/// shows as soon as it is read, one below it at the launch's end.
pub fn judge(list: &[LaunchConstants], run: &[Launched]) -> Vec<Alarm> {
    let constants = by_key(list);
    let mut alarms = Vec::new();
    for launched in run {
        let Some(of_launch) = constants.get(&launched.key) else { continue };
        if of_launch.shape != launched.shape {
            continue;
        }
        let last = launched.so_far.len().saturating_sub(1);
        for (name, &right) in &of_launch.values {
            let Some(counter) = Counter::named(name) else { continue };
            let wrong = launched.so_far.iter().enumerate().find(|(i, (_, counts))| {
                let value = counts.get(counter);
                value > right || (launched.ended && *i == last && value != right)
            });
            let Some((period, (to, counts))) = wrong else { continue };
            alarms.push(Alarm {
                layer: Layer::Constants,
                what: name.clone(),
                counters: vec![name.clone()],
                launch: launched.launch,
                kernel: launched.key.kernel.clone(),
                period: (period != last).then_some(period as u64),
                sm: None,
                value: counts.get(counter) as f64,
                allowed: (right as f64, right as f64),
                cycle: launched.start + to,
                before_output: true,
            });
        }
    }
    alarms
}

#[cfg(test)]
mod tests {
    use upset_machine::pmu::Counter::{Fma, StallFetch, Texture, WarpInsts};

    use super::*;
    use crate::run::launches;
    use crate::run::testing::reading;

    fn run(periods: &[(u64, u64)], fetch: u64) -> Vec<Launched> {
        let lists: Vec<[(Counter, u64); 3]> =
            periods.iter().map(|&(w, f)| [(WarpInsts, w), (Fma, f), (StallFetch, fetch)]).collect();
        let sms: Vec<[&[(Counter, u64)]; 1]> = lists.iter().map(|l| [&l[..]]).collect();
        let periods: Vec<&[&[(Counter, u64)]]> = sms.iter().map(|s| &s[..]).collect();
        launches(&[reading("k", 10, &periods, 10 * periods.len() as u64)])
    }

    fn code(level: Level, absent: &[Counter]) -> Steerings {
        let at = None;
        [("k".to_string(), Steering { level, at, absent: absent.to_vec() })].into()
    }

    #[test]
    fn counts_of_work_are_constant_where_no_data_steer() {
        let mut confirmed = Confirmed::default();
        let code = code(Level::Launch, &[]);
        confirmed.add(&run(&[(4, 1), (6, 1)], 7), &code).unwrap();
        // Time may differ, and when things happen.
        confirmed.add(&run(&[(3, 2), (7, 0)], 9), &code).unwrap();
        let list = confirmed.constants();
        assert_eq!(list[0].values["warp_insts"], 10);
        assert!(!list[0].values.contains_key("stall_fetch"));
        assert!(judge(&list, &run(&[(1, 1), (9, 1)], 0)).is_empty());
        // Above: as soon as it is read. Below: at the end.
        let above = judge(&list, &run(&[(11, 1), (0, 1), (0, 0)], 7));
        assert_eq!(
            (above[0].what.as_str(), above[0].period, above[0].cycle),
            ("warp_insts", Some(0), 10)
        );
        assert_eq!((above.len(), above[0].value, above[0].allowed), (1, 11.0, (10.0, 10.0)));
        let below = judge(&list, &run(&[(4, 1), (5, 1)], 7));
        assert_eq!((below[0].period, below[0].cycle, below[0].value), (None, 20, 9.0));
        // A launch that was given up has not counted all.
        let mut given_up = run(&[(4, 1), (5, 1)], 7);
        given_up[0].ended = false;
        assert!(judge(&list, &given_up).is_empty());
    }

    #[test]
    fn a_proof_that_runs_refute_is_our_mistake_unless_parameters_steer() {
        let second = run(&[(5, 1)], 0);
        for (level, ours) in [(Level::Launch, true), (Level::Parameters, false)] {
            let mut confirmed = Confirmed::default();
            let code = code(level, &[]);
            confirmed.add(&run(&[(4, 1)], 0), &code).unwrap();
            let found = confirmed.add(&second, &code);
            assert_eq!(found.is_err(), ours);
            if let Err(e) = found {
                assert_eq!((e.counter, e.first, e.other), ("warp_insts", 4, 5));
            } else {
                let list = confirmed.constants();
                assert!(!list[0].values.contains_key("warp_insts"));
                assert!(list[0].values.contains_key("inst_fma"));
            }
        }
    }

    #[test]
    fn where_data_steer_what_the_code_lacks_stays() {
        let mut confirmed = Confirmed::default();
        let code = code(Level::Data, &[Texture]);
        confirmed.add(&run(&[(4, 1)], 0), &code).unwrap();
        confirmed.add(&run(&[(9, 1)], 0), &code).unwrap();
        let list = confirmed.constants();
        assert_eq!(list[0].values["inst_texture"], 0);
        assert!(!list[0].values.contains_key("warp_insts"));
        assert!(list[0].values.contains_key("ctas_launched"));
    }

    #[test]
    fn a_launch_of_several_shapes_has_no_constants() {
        let mut confirmed = Confirmed::default();
        let code = code(Level::Launch, &[]);
        let mut other = run(&[(8, 1)], 0);
        other[0].shape.0 = [8, 1, 1];
        confirmed.add(&run(&[(4, 1)], 0), &code).unwrap();
        confirmed.add(&other, &code).unwrap();
        confirmed.add(&run(&[(4, 1)], 0), &code).unwrap();
        assert!(confirmed.constants().is_empty());
    }
}
