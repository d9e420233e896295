//! What the performance counters say of the applications: the laws hold, and
//! both modes count the same. In none of them does the work depend on who comes
//! first: threads that race (bfs) write the same values.

use rayon::prelude::*;
use upset_apps::{App, Scale, built_in_for};
use upset_chip::{ChipSpec, Vendor};
use upset_device::laws::{self, Findings};
use upset_device::pmu::{Counter, Depends, Reading, STALLS, Sampling};
use upset_device::{Device, Mode};

fn read(app: &dyn App, chip: &str, mode: Mode, sampling: Sampling, seed: u64) -> Vec<Reading> {
    let chip = ChipSpec::preset(chip).expect("a chip of ours");
    let mut device = Device::in_mode(&chip, mode).expect("a device");
    device.start_counting(sampling).expect("it has counters");
    app.run(&mut device, Scale::Small, seed).unwrap_or_else(|e| panic!("{}: {e}", app.id()));
    let readings = device.readings().to_vec();
    let (_, warps, threads) = device.stats().total();
    let sum = |c| readings.iter().map(|r| r.total().get(c)).sum::<u64>();
    let counted = (sum(Counter::WarpInsts), sum(Counter::ThreadInsts));
    assert_eq!(counted, (warps, threads), "{}, {mode:?}: the statistics", app.id());
    if let Some(timing) = device.stats().timing() {
        assert_eq!(STALLS.iter().map(|&c| sum(c)).collect::<Vec<_>>(), timing.cores.sm.stalls);
        assert_eq!(sum(Counter::CtasExited), timing.cores.sm.ctas);
        assert_eq!(readings.iter().map(|r| r.cycles).sum::<u64>(), timing.cycles);
    }
    readings
}

fn obey(app: &dyn App, readings: &[Reading], of: &str) {
    assert!(!readings.is_empty());
    for reading in readings {
        let findings = laws::check(reading);
        let told: Vec<String> = findings.broken.iter().map(ToString::to_string).collect();
        assert_eq!(
            findings,
            Findings::default(),
            "{} ({of}), launch {} of {}: {told:?}",
            app.id(),
            reading.launch,
            reading.kernel
        );
    }
}

fn all(inputs: u64) {
    let apps: Vec<&dyn App> = built_in_for(Vendor::Nvidia).collect();
    // Inputs first: the slow applications spread over the threads.
    let pairs: Vec<_> = (0..inputs).flat_map(|i| apps.iter().map(move |&a| (i, a))).collect();
    pairs.into_par_iter().with_max_len(1).for_each(|(i, app)| {
        let seed = app.default_seed() + i;
        let chip = crate::CHIPS[i as usize % crate::CHIPS.len()];
        let of = |mode: Mode| format!("seed {seed} on {chip}, {}", mode.name());
        let timed = read(app, chip, Mode::Timing, Sampling::Every(997), seed);
        obey(app, &timed, &of(Mode::Timing));
        let plain = read(app, chip, Mode::Functional, Sampling::AtEnd, seed);
        obey(app, &plain, &of(Mode::Functional));
        same(app, &plain, &timed);
    });
}

/// Launch by launch the same work.
fn same(app: &dyn App, plain: &[Reading], timed: &[Reading]) {
    assert_eq!(plain.len(), timed.len(), "{}", app.id());
    for (plain, timed) in plain.iter().zip(timed) {
        let (a, b) = (plain.total(), timed.total());
        for &counter in Counter::ALL {
            if counter.about().depends != Depends::Time {
                let (kernel, name) = (&plain.kernel, counter.name());
                assert_eq!(a.get(counter), b.get(counter), "{} {kernel}: {name}", app.id());
            }
        }
    }
}

#[test]
fn the_laws_hold_in_every_application() {
    all(3);
}

#[test]
#[ignore = "many minutes"]
fn the_laws_hold_for_a_hundred_inputs() {
    all(100);
}

#[test]
fn counters_tell_applications_apart() {
    let total = |id: &str| {
        let app = upset_apps::find(id).expect("an application of ours");
        let readings = read(app, "rtx2060", Mode::Functional, Sampling::AtEnd, app.default_seed());
        readings.iter().fold(upset_device::pmu::Counts::default(), |sum, r| sum.plus(&r.total()))
    };
    // va has no barriers; nw works on diagonals of tiles.
    let (va, nw) = (total("va"), total("nw"));
    assert_eq!(va.get(Counter::BarArrived), 0);
    assert!(nw.get(Counter::Inactive) > 0 && nw.get(Counter::BarArrived) > 0);
    assert_eq!(nw.get(Counter::BarArrived), nw.get(Counter::BarReleased));
}
