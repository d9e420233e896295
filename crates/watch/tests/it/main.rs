//! From readings to a profile to verdicts.

use upset_machine::pmu::{Counter, Counts, Period, Reading};
use upset_watch::analysis::{Level, Steering};
use upset_watch::constants::Steerings;
use upset_watch::{Layer, LearnError, Lessons, Method, Profile, Subject, Teacher};

/// A launch of 4 CTAs of 32 threads that obeys all laws: `work` instructions,
/// `off` lanes of which were inactive.
fn reading(work: u64, off: u64) -> Reading {
    let mut counts = Counts::default();
    for (counter, n) in [
        (Counter::CtasLaunched, 4),
        (Counter::CtasExited, 4),
        (Counter::WarpsLaunched, 4),
        (Counter::WarpsExited, 4),
        (Counter::ThreadsLaunched, 128),
        (Counter::ThreadsExited, 128),
        (Counter::WarpInsts, work),
        (Counter::ThreadInsts, 32 * work - off),
        (Counter::Inactive, off),
        (Counter::Alu, work),
    ] {
        counts.set(counter, n);
    }
    Reading {
        launch: 0,
        kernel: "k".into(),
        grid: [4, 1, 1],
        block: [32, 1, 1],
        lanes: 32,
        schedulers: 0,
        ended: true,
        cut: false,
        start: 0,
        cycles: 0,
        periods: vec![Period { to: 0, sms: vec![counts] }],
    }
}

fn lessons(inputs: u64, calibration: u64, alpha: f64) -> Lessons {
    Lessons { inputs, calibration, alpha, samples: 1, seed: 1, ..Lessons::default() }
}

fn code(level: Level) -> Steerings {
    [("k".to_string(), Steering { level, at: None, absent: Vec::new() })].into()
}

/// Learned from 10 inputs and calibrated with 19, whose work is 100 to 109 and
/// whose inactive lanes are a tenth of it.
fn learned(level: Level) -> Result<Profile, LearnError> {
    let mut teacher = Teacher::new(Method::Full, lessons(10, 19, 0.05), code(level))?;
    for i in 0..teacher.wanted() {
        let work = 100 + i * 7 % 10;
        teacher.take(&[reading(work, work / 10)])?;
    }
    teacher.profile(Subject::default())
}

fn layers(profile: &Profile, run: Reading) -> Vec<(Layer, String)> {
    let alarms = profile.judge(&[run]).alarms;
    alarms.into_iter().map(|a| (a.layer, a.what)).collect()
}

#[test]
fn what_is_usual_is_quiet_and_what_is_not_is_told() {
    let profile = learned(Level::Data).unwrap();
    assert_eq!(profile.threshold.map(|t| (t.value, t.bound())), Some((0.0, 0.05)));
    assert!(layers(&profile, reading(104, 10)).is_empty());
    // 109 was the most. Inputs with odd numbers had 101 to 109: a spread of 8, of
    // which 0.15 may be added.
    assert!(layers(&profile, reading(110, 10)).is_empty());
    let far = layers(&profile, reading(111, 10));
    let told: Vec<&str> = far.iter().map(|(_, what)| what.as_str()).collect();
    assert_eq!(told, ["inst_alu", "thread_insts", "warp_insts"]);
    assert!(far.iter().all(|(layer, _)| *layer == Layer::Regions));
}

#[test]
fn a_broken_law_needs_nothing_learned() {
    let profile = learned(Level::Data).unwrap();
    let mut lost = reading(104, 10);
    lost.periods[0].sms[0].set(Counter::ThreadsExited, 127);
    let alarms = profile.judge(&[lost]).alarms;
    assert_eq!((alarms[0].layer, alarms[0].what.as_str()), (Layer::Laws, "threads"));
    assert_eq!(alarms[0].counters, ["threads_launched", "threads_exited"]);
    assert_eq!((alarms[0].value, alarms[0].allowed.0, alarms[0].sm), (128.0, 127.0, Some(0)));
    assert!(alarms[0].before_output);
}

#[test]
fn a_law_broken_without_a_fault_is_our_mistake() {
    let mut teacher = Teacher::new(Method::Full, lessons(10, 19, 0.05), code(Level::Data)).unwrap();
    let mut lost = reading(104, 10);
    lost.periods[0].sms[0].set(Counter::Alu, 3);
    let e = teacher.take(&[lost]).unwrap_err();
    assert!(e.is_ours() && e.to_string().contains("`classes`"), "{e}");
    assert_eq!(teacher.take(&[]), Err(LearnError::NoLaunch));
}

#[test]
fn constants_that_vary_are_our_mistake_and_parameters_are_not() {
    let e = learned(Level::Launch).unwrap_err();
    assert!(e.is_ours() && e.to_string().contains("no data steer it"), "{e}");
    let profile = learned(Level::Parameters).unwrap();
    let values = &profile.constants[0].values;
    assert!(!values.contains_key("warp_insts") && values["threads_exited"] == 128);
}

#[test]
fn what_cannot_be_promised_is_refused() {
    let refuse = |inputs, calibration, alpha| {
        let lessons = lessons(inputs, calibration, alpha);
        Teacher::new(Method::Full, lessons, Steerings::new()).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        refuse(10, 500, 0.001),
        "500 calibration inputs cannot promise a false-alarm rate of 0.001: at least 999 are \
         needed (--calibration 999)"
    );
    assert!(refuse(1, 999, 0.001).contains("too few to learn from"));
    assert!(refuse(10, 999, 1.5).contains("between 0 and 1"));
}

#[test]
fn the_published_method_has_two_ratios_and_nothing_else() {
    let mut teacher = Teacher::new(Method::Paper, lessons(5, 0, 0.001), code(Level::Data)).unwrap();
    assert_eq!(teacher.wanted(), 5);
    for i in 0..5 {
        teacher.take(&[reading(100, i)]).unwrap();
    }
    let profile = teacher.profile(Subject::default()).unwrap();
    assert_eq!((profile.paper.inputs, profile.paper.ranges[0].high), (5, 4.0 / 3200.0));
    assert!(profile.judge(&[reading(100, 4)]).alarms.is_empty());
    // Twice the work: no ratio tells.
    assert!(profile.judge(&[reading(200, 4)]).alarms.is_empty());
    let alarms = profile.judge(&[reading(100, 5)]).alarms;
    assert_eq!(
        (alarms.len(), alarms[0].layer, alarms[0].what.as_str()),
        (1, Layer::Paper, "INACT")
    );
}

#[test]
fn a_full_profile_has_the_published_ranges_of_five_inputs_beside_it() {
    let profile = learned(Level::Data).unwrap();
    assert_eq!((profile.paper.inputs, profile.paper.samples), (5, 5));
    let verdict = profile.judge(&[reading(104, 60)]);
    assert_eq!(verdict.paper.iter().map(|a| a.what.as_str()).collect::<Vec<_>>(), ["INACT"]);
}
